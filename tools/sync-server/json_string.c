#include "tools/sync-server/json.h"
#include "tools/sync-server/utf8.h"

#include <string.h>

static uint32_t hex_value(char c) {
    if (c <= '9') {
        return (uint32_t)(c - '0');
    }
    return (uint32_t)((c | 0x20) - 'a') + 10;
}

static uint32_t hex4(const char *digits) {
    return hex_value(digits[0]) << 12 | hex_value(digits[1]) << 8 | hex_value(digits[2]) << 4 | hex_value(digits[3]);
}

/* The code point of the escape at `at` (a backslash); `*length` becomes the escape's length, both halves of a
 * surrogate pair together. The scanner has already seen that the escape is whole. */
static uint32_t decode_escape(const char *at, const char *end, size_t *length) {
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    *length = 2;
    if (at[1] != 'u') {
        return (uint32_t)(unsigned char)meanings[strchr(letters, at[1]) - letters];
    }
    *length = 6;
    uint32_t unit = hex4(at + 2);
    bool high = unit >= 0xD800 && unit <= 0xDBFF;
    if (high && end - at >= 12 && at[6] == '\\' && at[7] == 'u') {
        uint32_t low = hex4(at + 8);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            *length = 12;
            return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return unit;
}

void json_decode(const struct json_document *document, uint32_t string, struct buffer *out) {
    const struct json_node *node = &document->nodes[string];
    const char *at = document->source + node->start + 1;
    const char *end = document->source + node->end - 1;
    while (at < end) {
        const char *backslash = node->escaped ? memchr(at, '\\', (size_t)(end - at)) : NULL;
        const char *plain_end = backslash ? backslash : end;
        buffer_append(out, at, (size_t)(plain_end - at));
        at = plain_end;
        if (backslash) {
            size_t length;
            utf8_append(out, decode_escape(at, end, &length));
            at += length;
        }
    }
}

bool json_string_is(const struct json_document *document, uint32_t node, struct text characters) {
    if (json_kind(document, node) != JSON_STRING) {
        return false;
    }
    struct text spelled = json_text(document, node);
    struct text inside = {spelled.bytes + 1, spelled.length - 2};
    if (!document->nodes[node].escaped) {
        return text_equal(inside, characters);
    }
    if (inside.length < characters.length) {
        return false; /* an escape is never shorter than what it stands for */
    }
    struct buffer decoded;
    buffer_init(&decoded, inside.length);
    json_decode(document, node, &decoded);
    bool equal = !decoded.failed && text_equal(buffer_text(&decoded), characters);
    buffer_free(&decoded);
    return equal;
}

/* Whether a lone surrogate's three-byte form stands at `at`; JSON text must spell it as an escape. */
static bool surrogate_at(struct text text, size_t at) {
    return (unsigned char)text.bytes[at] == 0xED && at + 2 < text.length && (unsigned char)text.bytes[at + 1] >= 0xA0;
}

static size_t quote_one(struct buffer *out, struct text text, size_t at) {
    unsigned char c = (unsigned char)text.bytes[at];
    if (c == '"' || c == '\\') {
        buffer_append_byte(out, '\\');
        buffer_append_byte(out, (char)c);
        return 1;
    }
    if (c < 0x20) {
        buffer_format(out, "\\u%04x", c);
        return 1;
    }
    unsigned second = (unsigned char)text.bytes[at + 1];
    unsigned third = (unsigned char)text.bytes[at + 2];
    buffer_format(out, "\\u%04x", 0xD000u | (second & 0x3F) << 6 | (third & 0x3F));
    return 3;
}

void json_quote(struct buffer *out, struct text characters) {
    buffer_append_byte(out, '"');
    size_t plain = 0;
    size_t at = 0;
    while (at < characters.length) {
        unsigned char c = (unsigned char)characters.bytes[at];
        if (c >= 0x20 && c != '"' && c != '\\' && !surrogate_at(characters, at)) {
            at++;
            continue;
        }
        buffer_append(out, characters.bytes + plain, at - plain);
        at += quote_one(out, characters, at);
        plain = at;
    }
    buffer_append(out, characters.bytes + plain, characters.length - plain);
    buffer_append_byte(out, '"');
}
