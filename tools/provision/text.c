#include "tools/provision/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct text text_from(const char *string) {
    return (struct text){string, string == NULL ? 0 : strlen(string)};
}

bool text_equal(struct text a, struct text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool text_is(struct text text, const char *string) { return text_equal(text, text_from(string)); }

int text_compare(struct text a, struct text b) {
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter == 0 ? 0 : memcmp(a.bytes, b.bytes, shorter);
    if (order != 0) return order;
    return (a.length > b.length) - (a.length < b.length);
}

size_t text_find(struct text text, const char *needle) {
    size_t length = strlen(needle);
    if (length == 0) return 0;
    const char *found = text.length == 0 ? NULL : memmem(text.bytes, text.length, needle, length);
    return found == NULL ? text.length : (size_t)(found - text.bytes);
}

char *text_string(struct arena *arena, struct text text) {
    char *string = arena_take(arena, text.length + 1);
    if (text.length > 0) memcpy(string, text.bytes, text.length);
    return string;
}

/* ---- lists ------------------------------------------------------------------------------------- */

void text_list_add(struct arena *arena, struct text_list *list, struct text text) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
        struct text *items = arena_take(arena, capacity * sizeof *items);
        if (list->count > 0) memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = text;
}

bool text_list_has(const struct text_list *list, struct text text) {
    for (size_t i = 0; i < list->count; i++)
        if (text_equal(list->items[i], text)) return true;
    return false;
}

/* ---- building ---------------------------------------------------------------------------------- */

/* Makes room for `more` bytes and the NUL behind them. */
static void make_room(struct builder *builder, size_t more) {
    size_t needed = builder->length + more + 1;
    if (needed <= builder->capacity) return;
    size_t capacity = builder->capacity < 64 ? 64 : builder->capacity;
    while (capacity < needed) capacity *= 2;
    char *bytes = arena_take(builder->arena, capacity);
    if (builder->length > 0) memcpy(bytes, builder->bytes, builder->length);
    builder->bytes = bytes;
    builder->capacity = capacity;
}

void builder_add(struct builder *builder, struct text text) {
    if (text.length == 0) return;
    make_room(builder, text.length);
    memcpy(builder->bytes + builder->length, text.bytes, text.length);
    builder->length += text.length;
}

void builder_add_string(struct builder *builder, const char *string) { builder_add(builder, text_from(string)); }

void builder_format(struct builder *builder, const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    builder_add_string(builder, line);
}

struct text builder_text(struct builder *builder) {
    make_room(builder, 0);
    builder->bytes[builder->length] = '\0';
    return (struct text){builder->bytes, builder->length};
}

/* The code point of an encoded surrogate (three bytes, ED A0..BF xx) at the start of `bytes`, or 0. */
static unsigned encoded_surrogate(const char *bytes, size_t available) {
    const unsigned char *b = (const unsigned char *)bytes;
    if (available < 3 || b[0] != 0xED || b[1] < 0xA0 || b[1] > 0xBF || (b[2] & 0xC0) != 0x80) return 0;
    return 0xD000u | ((b[1] & 0x3Fu) << 6) | (b[2] & 0x3Fu);
}

static void add_escaped_byte(struct builder *builder, unsigned char byte) {
    switch (byte) {
    case '"': builder_add_string(builder, "\\\""); break;
    case '\\': builder_add_string(builder, "\\\\"); break;
    case '\n': builder_add_string(builder, "\\n"); break;
    case '\r': builder_add_string(builder, "\\r"); break;
    case '\t': builder_add_string(builder, "\\t"); break;
    default: builder_format(builder, "\\u%04x", byte); break;
    }
}

void builder_add_quoted(struct builder *builder, struct text text) {
    builder_add_string(builder, "\"");
    for (size_t at = 0; at < text.length;) {
        const char *bytes = text.bytes + at;
        size_t length = utf8_length(bytes, text.length - at);
        unsigned surrogate = length == 0 ? encoded_surrogate(bytes, text.length - at) : 0;
        unsigned char byte = (unsigned char)bytes[0];
        if (surrogate != 0) {
            builder_format(builder, "\\u%04x", surrogate);
            length = 3;
        } else if (length == 0) {
            builder_add_string(builder, "\xEF\xBF\xBD");
            length = 1;
        } else if (byte < 0x20 || byte == 0x7F || byte == '"' || byte == '\\') {
            add_escaped_byte(builder, byte);
        } else {
            builder_add(builder, (struct text){bytes, length});
        }
        at += length;
    }
    builder_add_string(builder, "\"");
}

/* ---- UTF-8 ------------------------------------------------------------------------------------- */

static bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

size_t utf8_length(const char *bytes, size_t available) {
    const unsigned char *b = (const unsigned char *)bytes;
    if (b[0] < 0x80) return 1;
    if (b[0] < 0xC2 || b[0] > 0xF4) return 0;
    if (b[0] < 0xE0) return available >= 2 && continues(b[1]) ? 2 : 0;
    if (b[0] < 0xF0) {
        if (available < 3 || !continues(b[1]) || !continues(b[2])) return 0;
        if (b[0] == 0xE0 && b[1] < 0xA0) return 0; /* overlong */
        if (b[0] == 0xED && b[1] > 0x9F) return 0; /* a surrogate */
        return 3;
    }
    if (available < 4 || !continues(b[1]) || !continues(b[2]) || !continues(b[3])) return 0;
    if (b[0] == 0xF0 && b[1] < 0x90) return 0; /* overlong */
    if (b[0] == 0xF4 && b[1] > 0x8F) return 0; /* beyond U+10FFFF */
    return 4;
}
