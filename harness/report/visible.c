#include "harness/report/visible.h"

#include <stdio.h>

#include "harness/json/characters.h"

#define ESCAPE_CAPACITY 12 /* "\uffff" and its NUL, with room for what printf could print */

static bool is_lone_surrogate(const char *bytes, size_t left) {
    return left >= 3 && (unsigned char)bytes[0] == 0xED && ((unsigned char)bytes[1] & 0xE0) == 0xA0 &&
           ((unsigned char)bytes[2] & 0xC0) == 0x80;
}

/* Characters that a reader does not see, or that make other text look different from what it is. */
static bool is_hidden(uint32_t point) {
    return (point >= 0x80 && point < 0xA0) || point == 0x200E || point == 0x200F ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF ||
           point == 0xFFFE || point == 0xFFFF;
}

static bool is_shown_control(unsigned char byte, enum visible_what what) {
    bool is_layout = byte == '\n' || byte == '\t';
    return what != VISIBLE_BYTES && (byte < 0x20 || byte == 0x7F) && !(is_layout && what == VISIBLE_LINES);
}

/* The number of bytes of the character at `bytes`; writes its escape, or nothing when it is shown as it is. */
static size_t look(const char *bytes, size_t left, enum visible_what what, char *escape) {
    size_t length = utf8_length(bytes, left);
    bool stray = length == 0 && !is_lone_surrogate(bytes, left);
    if (stray || (length == 1 && is_shown_control((unsigned char)*bytes, what))) {
        snprintf(escape, ESCAPE_CAPACITY, "\\x%02x", (unsigned char)*bytes);
        return 1;
    }
    bool surrogate = length == 0;
    uint32_t point = wtf8_get(bytes, &length);
    if (surrogate || (what != VISIBLE_BYTES && is_hidden(point))) {
        snprintf(escape, ESCAPE_CAPACITY, "\\u%04x", (unsigned)point);
    }
    return length;
}

void visible_text(struct buffer *out, struct text text, enum visible_what what, size_t ceiling) {
    size_t plain = 0, at = 0; /* `plain`: where the run starts that is appended as it is */
    while (at < text.length) {
        char escape[ESCAPE_CAPACITY] = "";
        size_t length = look(text.bytes + at, text.length - at, what, escape);
        if (at + length > ceiling) {
            break;
        }
        if (escape[0] != '\0') {
            buffer_append(out, text.bytes + plain, at - plain);
            buffer_string(out, escape);
            plain = at + length;
        }
        at += length;
    }
    if (at > plain) {
        buffer_append(out, text.bytes + plain, at - plain);
    }
    if (at < text.length) {
        buffer_format(out, "… (%zu bytes)", text.length);
    }
}
