#include "tools/sync-server/utf8.h"

static bool is_continuation(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

/* The length of the valid character at `at`, or 0. */
static size_t character_length(const unsigned char *at, size_t left) {
    unsigned char lead = at[0];
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return left >= 2 && is_continuation(at[1]) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        if (left < 3 || !is_continuation(at[1]) || !is_continuation(at[2])) {
            return 0;
        }
        bool overlong = lead == 0xE0 && at[1] < 0xA0;
        bool surrogate = lead == 0xED && at[1] >= 0xA0;
        return overlong || surrogate ? 0 : 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        if (left < 4 || !is_continuation(at[1]) || !is_continuation(at[2]) || !is_continuation(at[3])) {
            return 0;
        }
        bool overlong = lead == 0xF0 && at[1] < 0x90;
        bool beyond = lead == 0xF4 && at[1] >= 0x90;
        return overlong || beyond ? 0 : 4;
    }
    return 0;
}

size_t utf8_valid_length(struct text text) {
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    size_t at = 0;
    while (at < text.length) {
        size_t length = character_length(bytes + at, text.length - at);
        if (length == 0) {
            break;
        }
        at += length;
    }
    return at;
}

void utf8_append_short(struct buffer *out, struct text text, size_t most) {
    if (text.length <= most) {
        buffer_append_text(out, text);
        return;
    }
    text.length = most;
    text.length = utf8_valid_length(text);
    buffer_append_text(out, text);
    buffer_append_string(out, "…");
}

void utf8_append(struct buffer *out, uint32_t code_point) {
    char bytes[4];
    size_t length;
    if (code_point < 0x80) {
        bytes[0] = (char)code_point;
        length = 1;
    } else if (code_point < 0x800) {
        bytes[0] = (char)(0xC0 | (code_point >> 6));
        bytes[1] = (char)(0x80 | (code_point & 0x3F));
        length = 2;
    } else if (code_point < 0x10000) {
        bytes[0] = (char)(0xE0 | (code_point >> 12));
        bytes[1] = (char)(0x80 | ((code_point >> 6) & 0x3F));
        bytes[2] = (char)(0x80 | (code_point & 0x3F));
        length = 3;
    } else {
        bytes[0] = (char)(0xF0 | (code_point >> 18));
        bytes[1] = (char)(0x80 | ((code_point >> 12) & 0x3F));
        bytes[2] = (char)(0x80 | ((code_point >> 6) & 0x3F));
        bytes[3] = (char)(0x80 | (code_point & 0x3F));
        length = 4;
    }
    buffer_append(out, bytes, length);
}
