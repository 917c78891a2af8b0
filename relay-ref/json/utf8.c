#include "relay-ref/json/utf8.h"

#include <stdbool.h>

static bool continues(unsigned char byte) {
    return (byte & 0xc0) == 0x80;
}

/* The second byte is where overlong forms, surrogates and too high code points show. */
static bool second_fits(unsigned char first, unsigned char second) {
    switch (first) {
    case 0xe0:
        return second >= 0xa0 && second <= 0xbf;
    case 0xed:
        return second >= 0x80 && second <= 0x9f;
    case 0xf0:
        return second >= 0x90 && second <= 0xbf;
    case 0xf4:
        return second >= 0x80 && second <= 0x8f;
    default:
        return continues(second);
    }
}

size_t relay_utf8_step(const char *bytes, size_t length) {
    const unsigned char *at = (const unsigned char *)bytes;
    if (length == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    size_t step = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (length < step || !second_fits(at[0], at[1]))
        return 0;
    for (size_t i = 2; i < step; i++)
        if (!continues(at[i]))
            return 0;
    return step;
}

size_t relay_utf8_write(char *out, uint32_t code_point) {
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xc0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3f));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xe0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code_point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code_point & 0x3f));
    return 4;
}
