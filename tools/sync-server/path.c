#include "tools/sync-server/path.h"

#include <string.h>

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool percent_decode(struct text text, bool plus, struct buffer *out) {
    for (size_t at = 0; at < text.length; at++) {
        char c = text.bytes[at];
        if (c == '%') {
            int high = at + 2 < text.length ? hex_digit(text.bytes[at + 1]) : -1;
            int low = at + 2 < text.length ? hex_digit(text.bytes[at + 2]) : -1;
            if (high < 0 || low < 0) {
                return false;
            }
            c = (char)(high * 16 + low);
            at += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        buffer_append_byte(out, c);
    }
    return true;
}

/* Cuts off what stands before `separator`; the separator itself goes. */
static struct text take_until(struct text *rest, char separator) {
    const char *found = rest->length ? memchr(rest->bytes, separator, rest->length) : NULL;
    size_t length = found ? (size_t)(found - rest->bytes) : rest->length;
    struct text taken = {rest->bytes, length};
    rest->bytes += found ? length + 1 : length;
    rest->length -= found ? length + 1 : length;
    return taken;
}

static enum path_result read_segments(struct path *path, struct text rest) {
    /* Decoding never makes a text longer, so the segments do not move once the room is there. */
    buffer_init(&path->decoded, rest.length + 1);
    for (size_t at = 0; at <= rest.length; at++) {
        buffer_append_byte(&path->decoded, ' ');
    }
    path->decoded.length = 0;
    if (!path->decoded.bytes) {
        return PATH_NO_MEMORY;
    }
    bool more = true;
    while (more) {
        more = rest.length > 0 && memchr(rest.bytes, '/', rest.length);
        struct text segment = take_until(&rest, '/');
        if (path->count == PATH_SEGMENTS_CEILING) {
            return PATH_UNKNOWN;
        }
        size_t start = path->decoded.length;
        if (!percent_decode(segment, false, &path->decoded)) {
            return PATH_BAD_ESCAPE;
        }
        path->segments[path->count++] = (struct text){path->decoded.bytes + start, path->decoded.length - start};
    }
    return PATH_OK;
}

enum path_result path_read(struct path *path, struct text target, struct text base) {
    *path = (struct path){.query = {"", 0}};
    struct text rest = target;
    struct text plain = take_until(&rest, '?');
    path->query = rest;
    if (plain.length <= base.length || (base.length && memcmp(plain.bytes, base.bytes, base.length) != 0) ||
        plain.bytes[base.length] != '/') {
        return PATH_UNKNOWN;
    }
    return read_segments(path, (struct text){plain.bytes + base.length + 1, plain.length - base.length - 1});
}

void path_free(struct path *path) {
    buffer_free(&path->decoded);
    *path = (struct path){0};
}

bool path_is(const struct path *path, size_t at, const char *word) {
    return at < path->count && text_equal(path->segments[at], text_of(word));
}

bool query_field(struct text query, const char *name, struct buffer *value) {
    while (query.length > 0) {
        struct text field = take_until(&query, '&');
        if (text_equal(take_until(&field, '='), text_of(name))) {
            return percent_decode(field, true, value);
        }
    }
    return false;
}
