#include "harness/json/raw.h"

#include <string.h>

/* Behind the string that begins at `at`. */
static size_t end_of_string(struct text text, size_t at) {
    for (at++; at < text.length && text.bytes[at] != '"'; at++)
        at += text.bytes[at] == '\\';
    return at + 1 < text.length ? at + 1 : text.length;
}

struct text json_raw_compact(struct arena *arena, struct text text) {
    char *out = arena_alloc(arena, text.length + 1);
    size_t length = 0;
    for (size_t at = 0; at < text.length;) {
        size_t end = text.bytes[at] == '"' ? end_of_string(text, at) : at + 1;
        if (strchr(" \t\r\n", text.bytes[at]) == NULL || text.bytes[at] == '\0') {
            memcpy(out + length, text.bytes + at, end - at);
            length += end - at;
        }
        at = end;
    }
    return (struct text){out, length};
}

/* Behind the value that begins at `at`: at the comma or bracket that follows. */
static size_t end_of_value(struct text text, size_t at) {
    size_t depth = 0;
    while (at < text.length) {
        char sign = text.bytes[at];
        bool closes = sign == '}' || sign == ']';
        if (depth == 0 && (sign == ',' || closes))
            return at;
        depth += sign == '{' || sign == '[';
        depth -= closes;
        at = sign == '"' ? end_of_string(text, at) : at + 1;
    }
    return at;
}

bool json_raw_next(struct text object, size_t *at, struct json_raw_member *member) {
    if (object.length < 2 || object.bytes[0] != '{')
        return false;
    /* In front of a member stands the object's bracket, or a comma. */
    size_t key = *at + 1;
    if (key >= object.length || object.bytes[key] != '"')
        return false;
    size_t colon = end_of_string(object, key), end = end_of_value(object, colon + 1);
    *member = (struct json_raw_member){{object.bytes + key, colon - key}, {object.bytes + colon + 1, end - colon - 1}};
    *at = end;
    return true;
}
