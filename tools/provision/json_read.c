#include "tools/provision/json.h"

#include <stdlib.h>

static const struct json_node *node_of(struct json value) { return &value.document->nodes[value.index]; }

bool json_present(struct json value) { return value.document != NULL; }

bool json_is(struct json value, enum json_kind kind) { return json_present(value) && node_of(value)->kind == kind; }

bool json_is_null_or_absent(struct json value) { return !json_present(value) || json_is(value, JSON_NULL); }

size_t json_count(struct json value) { return json_present(value) ? node_of(value)->count : 0; }

struct json json_first(struct json value) {
    if (json_count(value) == 0) return (struct json){0};
    return (struct json){value.document, value.index + 1};
}

struct json json_next(struct json value) {
    if (!json_present(value) || node_of(value)->next == 0) return (struct json){0};
    return (struct json){value.document, node_of(value)->next};
}

static struct text slice_of(struct json value, uint32_t start, uint32_t end) {
    return (struct text){value.document->text.bytes + start, end - start};
}

struct text json_raw(struct json value) {
    if (!json_present(value)) return (struct text){0};
    return slice_of(value, node_of(value)->start, node_of(value)->end);
}

struct text json_raw_key(struct json member) {
    if (!json_present(member) || node_of(member)->key_end == 0) return (struct text){0};
    return slice_of(member, node_of(member)->key_start, node_of(member)->key_end);
}

/* ---- decoding ---------------------------------------------------------------------------------- */

static unsigned hex_value(char c) {
    if (c >= '0' && c <= '9') return (unsigned)(c - '0');
    return (unsigned)((c | 0x20) - 'a') + 10;
}

static unsigned hex_quad(const char *digits) {
    return hex_value(digits[0]) << 12 | hex_value(digits[1]) << 8 | hex_value(digits[2]) << 4 | hex_value(digits[3]);
}

/* Writes one code point (a lone surrogate too) as up to four bytes and returns their number. */
static size_t put_code_point(char *out, unsigned code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

static char plain_escape(char c) {
    switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;
    }
}

static bool is_unicode_escape(struct text text, size_t at) {
    if (at + 6 > text.length || text.bytes[at] != '\\' || text.bytes[at + 1] != 'u') return false;
    for (size_t i = 2; i < 6; i++) {
        char c = text.bytes[at + i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))) return false;
    }
    return true;
}

size_t json_escape(struct text text, size_t at, char out[4], size_t *written) {
    if (!is_unicode_escape(text, at)) {
        *written = 1;
        if (at + 1 < text.length) out[0] = plain_escape(text.bytes[at + 1]);
        return at + 1 < text.length && text.bytes[at] == '\\' ? 2 : 0;
    }
    unsigned code = hex_quad(text.bytes + at + 2);
    if (code >= 0xD800 && code < 0xDC00 && is_unicode_escape(text, at + 6)) {
        unsigned low = hex_quad(text.bytes + at + 8);
        if (low >= 0xDC00 && low < 0xE000) {
            *written = put_code_point(out, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
            return 12;
        }
    }
    *written = put_code_point(out, code);
    return 6;
}

/* Decodes a well-formed string token with its quotes. */
static struct text decode(struct arena *arena, struct text token) {
    struct text inside = {token.bytes + 1, token.length - 2};
    if (text_find(inside, "\\") == inside.length) return inside;
    char *out = arena_take(arena, inside.length);
    size_t written = 0;
    for (size_t at = 0; at < inside.length;) {
        char decoded[4];
        size_t count = 0, read = inside.bytes[at] == '\\' ? json_escape(inside, at, decoded, &count) : 0;
        for (size_t i = 0; i < count; i++) out[written++] = decoded[i];
        if (read == 0) out[written++] = inside.bytes[at];
        at += read == 0 ? 1 : read;
    }
    return (struct text){out, written};
}

struct text json_string(struct arena *arena, struct json value) {
    return json_is(value, JSON_STRING) ? decode(arena, json_raw(value)) : (struct text){0};
}

struct text json_key(struct arena *arena, struct json member) {
    struct text token = json_raw_key(member);
    return token.bytes == NULL ? token : decode(arena, token);
}

/* Whether a string token says `wanted`. One code unit of it needs at most six bytes, which bounds the copy. */
static bool token_says(struct text token, struct text wanted) {
    struct text inside = {token.bytes + 1, token.length - 2};
    if (text_find(inside, "\\") == inside.length) return text_equal(inside, wanted);
    if (inside.length > wanted.length * 6) return false;
    struct arena *scratch = arena_new(inside.length + 64);
    bool same = text_equal(decode(scratch, token), wanted);
    arena_free(scratch);
    return same;
}

bool json_string_is(struct json value, const char *wanted) {
    return json_is(value, JSON_STRING) && token_says(json_raw(value), text_from(wanted));
}

struct json json_member_named(struct json object, struct text name) {
    struct json found = {0};
    if (!json_is(object, JSON_OBJECT)) return found;
    for (struct json member = json_first(object); json_present(member); member = json_next(member))
        if (token_says(json_raw_key(member), name)) found = member;
    return found;
}

struct json json_member(struct json object, const char *name) { return json_member_named(object, text_from(name)); }

double json_number(struct arena *arena, struct json value) {
    return json_is(value, JSON_NUMBER) ? strtod(text_string(arena, json_raw(value)), NULL) : 0;
}
