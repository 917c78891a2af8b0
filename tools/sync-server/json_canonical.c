#include "tools/sync-server/json.h"

#include <stdlib.h>
#include <string.h>

void json_compact(const struct json_document *document, uint32_t node, struct buffer *out) {
    struct text text = json_text(document, node);
    bool in_string = false;
    size_t kept = 0;
    for (size_t at = 0; at < text.length; at++) {
        char c = text.bytes[at];
        if (in_string) {
            if (c == '\\') {
                at++;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            buffer_append(out, text.bytes + kept, at - kept);
            kept = at + 1;
        }
    }
    buffer_append(out, text.bytes + kept, text.length - kept);
}

/* The exponent behind `e`, held within a range that no length of digits can leave. */
static int64_t read_exponent(struct text text, size_t at) {
    bool negative = at < text.length && text.bytes[at] == '-';
    if (at < text.length && (text.bytes[at] == '-' || text.bytes[at] == '+')) {
        at++;
    }
    int64_t exponent = 0;
    for (; at < text.length; at++) {
        if (exponent < INT64_C(1000000000000000)) {
            exponent = exponent * 10 + (text.bytes[at] - '0');
        }
    }
    return negative ? -exponent : exponent;
}

/* Digits without leading and trailing zeros, then `e` and the exponent of the last digit: 1, 1.0 and 10e-1 are all
 * `1e0`; every zero is `0`. */
void json_canonical_number(struct text number, struct buffer *out) {
    size_t at = number.length > 0 && number.bytes[0] == '-' ? 1 : 0;
    bool negative = at == 1;
    size_t mark = out->length;
    if (negative) {
        buffer_append_byte(out, '-');
    }
    size_t first_digit = out->length;
    int64_t exponent = 0;
    bool fraction = false;
    for (; at < number.length && number.bytes[at] != 'e' && number.bytes[at] != 'E'; at++) {
        if (number.bytes[at] == '.') {
            fraction = true;
            continue;
        }
        exponent -= fraction ? 1 : 0;
        if (number.bytes[at] != '0' || out->length > first_digit) {
            buffer_append_byte(out, number.bytes[at]);
        }
    }
    if (at < number.length) {
        exponent += read_exponent(number, at + 1);
    }
    while (!out->failed && out->length > first_digit && out->bytes[out->length - 1] == '0') {
        out->length--;
        exponent++;
    }
    if (out->failed) {
        return;
    }
    if (out->length == first_digit) {
        out->length = mark;
        buffer_append_byte(out, '0');
        return;
    }
    buffer_append_byte(out, 'e');
    buffer_append_number(out, exponent);
}

struct member {
    size_t name_start; /* in the buffer of decoded names */
    size_t name_length;
    uint32_t value;
    uint32_t position; /* among the object's members, so that the last of equal names can win */
    const struct buffer *names;
};

static int compare_members(const void *left, const void *right) {
    const struct member *a = left;
    const struct member *b = right;
    int order = text_compare((struct text){a->names->bytes + a->name_start, a->name_length},
                             (struct text){b->names->bytes + b->name_start, b->name_length});
    return order != 0 ? order : (a->position > b->position) - (a->position < b->position);
}

static bool same_name(const struct member *a, const struct member *b) {
    return a->name_length == b->name_length &&
           memcmp(a->names->bytes + a->name_start, b->names->bytes + b->name_start, a->name_length) == 0;
}

static void append_members(const struct json_document *document, const struct member *members, size_t count,
                           struct buffer *out) {
    bool first = true;
    for (size_t at = 0; at < count; at++) {
        if (at + 1 < count && same_name(&members[at], &members[at + 1])) {
            continue;
        }
        if (!first) {
            buffer_append_byte(out, ',');
        }
        first = false;
        json_quote(out, (struct text){members[at].names->bytes + members[at].name_start, members[at].name_length});
        buffer_append_byte(out, ':');
        json_canonical(document, members[at].value, out);
    }
}

static void canonical_object(const struct json_document *document, uint32_t object, struct buffer *out) {
    size_t count = json_size(document, object);
    struct buffer names;
    buffer_init(&names, BUFFER_CEILING);
    buffer_append_byte(&names, ' '); /* so that `bytes` is there even when every name is empty */
    struct member *members = calloc(count ? count : 1, sizeof *members);
    if (!members) {
        out->failed = true;
        buffer_free(&names);
        return;
    }
    size_t filled = 0;
    for (uint32_t at = json_first(document, object); at != JSON_NONE; at = json_after(document, object, at + 1)) {
        size_t start = names.length;
        json_decode(document, at, &names);
        members[filled] = (struct member){start, names.length - start, at + 1, (uint32_t)filled, &names};
        filled++;
    }
    if (names.failed) {
        out->failed = true;
    } else {
        qsort(members, count, sizeof *members, compare_members);
        buffer_append_byte(out, '{');
        append_members(document, members, count, out);
        buffer_append_byte(out, '}');
    }
    free(members);
    buffer_free(&names);
}

static void canonical_array(const struct json_document *document, uint32_t array, struct buffer *out) {
    buffer_append_byte(out, '[');
    bool first = true;
    for (uint32_t at = json_first(document, array); at != JSON_NONE; at = json_after(document, array, at)) {
        if (!first) {
            buffer_append_byte(out, ',');
        }
        first = false;
        json_canonical(document, at, out);
    }
    buffer_append_byte(out, ']');
}

static void canonical_string(const struct json_document *document, uint32_t string, struct buffer *out) {
    struct buffer characters;
    buffer_init(&characters, BUFFER_CEILING);
    json_decode(document, string, &characters);
    if (characters.failed) {
        out->failed = true;
    }
    json_quote(out, buffer_text(&characters));
    buffer_free(&characters);
}

/* Recursive: json_read holds the depth at JSON_DEPTH_CEILING. */
void json_canonical(const struct json_document *document, uint32_t node, struct buffer *out) {
    switch (json_kind(document, node)) {
    case JSON_OBJECT:
        canonical_object(document, node, out);
        return;
    case JSON_ARRAY:
        canonical_array(document, node, out);
        return;
    case JSON_STRING:
        canonical_string(document, node, out);
        return;
    case JSON_NUMBER:
        json_canonical_number(json_text(document, node), out);
        return;
    default:
        buffer_append_text(out, json_text(document, node));
    }
}
