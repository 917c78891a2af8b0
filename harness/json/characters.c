#include "harness/json/characters.h"

#include <string.h>

static bool continues(const char *bytes, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (((unsigned char)bytes[i] & 0xC0) != 0x80)
            return false;
    return true;
}

size_t utf8_length(const char *bytes, size_t left) {
    if (left == 0)
        return 0;
    unsigned char lead = (unsigned char)bytes[0];
    if (lead < 0x80)
        return 1;
    size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || left < length || !continues(bytes, length))
        return 0;
    unsigned char second = (unsigned char)bytes[1];
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90))
        return 0; /* overlong */
    if ((lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F))
        return 0; /* a surrogate; past U+10FFFF */
    return length;
}

bool utf8_valid(struct text text) {
    for (size_t at = 0; at < text.length;) {
        size_t length = utf8_length(text.bytes + at, text.length - at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

size_t wtf8_put(char *out, uint32_t code_point) {
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (char)(leads[length] | code_point);
    return length;
}

uint32_t wtf8_get(const char *bytes, size_t *length) {
    unsigned char lead = (unsigned char)bytes[0];
    *length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    static const unsigned char payloads[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t code_point = lead & payloads[*length];
    for (size_t i = 1; i < *length; i++)
        code_point = code_point << 6 | ((unsigned char)bytes[i] & 0x3F);
    return code_point;
}

size_t wtf8_units(struct text text) {
    size_t units = 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        units += byte >= 0xF0 ? 2 : (byte & 0xC0) != 0x80;
    }
    return units;
}

/* The surrogate in `bytes`, when its three bytes are one of the range that starts at `first`; else 0. */
static uint32_t surrogate(const char *bytes, uint32_t first) {
    size_t length;
    if ((unsigned char)bytes[0] != 0xED)
        return 0;
    uint32_t code_point = wtf8_get(bytes, &length);
    return code_point >= first && code_point < first + 0x400 ? code_point : 0;
}

void wtf8_append(struct buffer *buffer, struct text text) {
    if (buffer->length >= 3 && text.length >= 3) {
        uint32_t high = surrogate(buffer->bytes + buffer->length - 3, 0xD800);
        uint32_t low = surrogate(text.bytes, 0xDC00);
        if (high != 0 && low != 0) {
            char joined[4];
            size_t length = wtf8_put(joined, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            buffer->length -= 3;
            buffer_append(buffer, joined, length);
            text.bytes += 3;
            text.length -= 3;
        }
    }
    buffer_text(buffer, text);
}
