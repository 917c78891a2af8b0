#include "relay-ref/json/string.h"

#include <stdint.h>
#include <string.h>

#include "relay-ref/json/utf8.h"

static uint32_t hex_digit(char byte) {
    if (byte <= '9')
        return (uint32_t)(byte - '0');
    return (uint32_t)((byte | 0x20) - 'a' + 10);
}

static uint32_t hex_unit(const char *digits) {
    return hex_digit(digits[0]) << 12 | hex_digit(digits[1]) << 8 | hex_digit(digits[2]) << 4 | hex_digit(digits[3]);
}

static char short_escape(char kind) {
    switch (kind) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return kind;
    }
}

/* The code point of the \u escape at `at`; moves `at` past it, and past the second half of a surrogate pair. */
static uint32_t take_unit(const char **at, const char *end) {
    uint32_t unit = hex_unit(*at + 2);
    *at += 6;
    if ((unit & 0xfc00) != 0xd800 || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return unit;
    uint32_t low = hex_unit(*at + 2);
    if ((low & 0xfc00) != 0xdc00)
        return unit;
    *at += 6;
    return 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff));
}

size_t relay_string_decode(const struct json_value *string, char *out) {
    const char *at = string->bytes + 1, *end = string->bytes + string->length - 1;
    char *to = out;
    while (at < end) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((escape != NULL ? escape : end) - at);
        memcpy(to, at, plain);
        to += plain;
        at += plain;
        if (escape == NULL)
            break;
        if (at[1] == 'u') {
            to += relay_utf8_write(to, take_unit(&at, end));
        } else {
            *to++ = short_escape(at[1]);
            at += 2;
        }
    }
    return (size_t)(to - out);
}

bool relay_string_equals_decoded(const struct json_value *value, const char *text, size_t length) {
    const char *at = value->bytes + 1, *end = value->bytes + value->length - 1, *want = text, *want_end = text + length;
    while (at < end) {
        char piece[4];
        size_t size = 1;
        if (*at != '\\') {
            piece[0] = *at++;
        } else if (at[1] == 'u') {
            size = relay_utf8_write(piece, take_unit(&at, end));
        } else {
            piece[0] = short_escape(at[1]);
            at += 2;
        }
        if ((size_t)(want_end - want) < size || memcmp(want, piece, size) != 0)
            return false;
        want += size;
    }
    return want == want_end;
}

/* A surrogate in WTF-8 starts with ED A0..BF; UTF-8 has no such bytes. */
static bool is_surrogate(const char *at, const char *end) {
    return (unsigned char)at[0] == 0xed && end - at >= 3 && (unsigned char)at[1] >= 0xa0;
}

static char short_name(char byte) {
    switch (byte) {
    case '"':
    case '\\':
        return byte;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return '\0';
    }
}

size_t relay_string_encoded_length(const char *characters, size_t length) {
    size_t total = 2;
    const char *end = characters + length;
    for (const char *at = characters; at < end; at++) {
        if (short_name(*at) != '\0') {
            total += 2;
        } else if ((unsigned char)*at < 0x20) {
            total += 6;
        } else if (is_surrogate(at, end)) {
            total += 6;
            at += 2;
        } else {
            total++;
        }
    }
    return total;
}

static char *write_unit(char *to, uint32_t unit) {
    static const char digits[] = "0123456789abcdef";
    *to++ = '\\';
    *to++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4)
        *to++ = digits[unit >> shift & 0xf];
    return to;
}

size_t relay_string_encode(const char *characters, size_t length, char *out) {
    char *to = out;
    const char *end = characters + length;
    *to++ = '"';
    for (const char *at = characters; at < end; at++) {
        char name = short_name(*at);
        if (name != '\0') {
            *to++ = '\\';
            *to++ = name;
        } else if ((unsigned char)*at < 0x20) {
            to = write_unit(to, (unsigned char)*at);
        } else if (is_surrogate(at, end)) {
            to = write_unit(to, 0xd000u | ((unsigned char)at[1] & 0x3fu) << 6 | ((unsigned char)at[2] & 0x3fu));
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to++ = '"';
    return (size_t)(to - out);
}
