#include "tools/sync-server/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct text text_of(const char *string) {
    return (struct text){string, string ? strlen(string) : 0};
}

bool text_equal(struct text a, struct text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool text_equal_ignoring_case(struct text a, struct text b) {
    return a.length == b.length && (a.length == 0 || strncasecmp(a.bytes, b.bytes, a.length) == 0);
}

int text_compare(struct text a, struct text b) {
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.bytes, b.bytes, shorter) : 0;
    if (order != 0) {
        return order;
    }
    return (a.length > b.length) - (a.length < b.length);
}

size_t text_find(struct text haystack, struct text needle) {
    if (needle.length == 0 || haystack.length < needle.length) {
        return SIZE_MAX;
    }
    const char *found = memmem(haystack.bytes, haystack.length, needle.bytes, needle.length);
    return found ? (size_t)(found - haystack.bytes) : SIZE_MAX;
}

bool text_to_number(struct text text, uint64_t *number) {
    if (text.length == 0 || text.length > 18) {
        return false;
    }
    uint64_t value = 0;
    for (size_t at = 0; at < text.length; at++) {
        if (text.bytes[at] < '0' || text.bytes[at] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(text.bytes[at] - '0');
    }
    *number = value;
    return true;
}

void buffer_init(struct buffer *buffer, size_t ceiling) {
    *buffer = (struct buffer){.ceiling = ceiling};
}

void buffer_free(struct buffer *buffer) {
    free(buffer->bytes);
    *buffer = (struct buffer){.ceiling = buffer->ceiling};
}

void buffer_clear(struct buffer *buffer) {
    buffer->length = 0;
    buffer->failed = false;
}

static bool buffer_reserve(struct buffer *buffer, size_t more) {
    if (buffer->failed || more > buffer->ceiling || buffer->length > buffer->ceiling - more) {
        buffer->failed = true;
        return false;
    }
    size_t needed = buffer->length + more;
    if (needed <= buffer->capacity) {
        return true;
    }
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity < needed) {
        capacity *= 2;
    }
    char *bytes = realloc(buffer->bytes, capacity);
    if (!bytes) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

void buffer_append(struct buffer *buffer, const char *bytes, size_t length) {
    if (length > 0 && buffer_reserve(buffer, length)) {
        memcpy(buffer->bytes + buffer->length, bytes, length);
        buffer->length += length;
    }
}

void buffer_append_text(struct buffer *buffer, struct text text) {
    buffer_append(buffer, text.bytes, text.length);
}

void buffer_append_string(struct buffer *buffer, const char *string) {
    buffer_append(buffer, string, strlen(string));
}

void buffer_append_byte(struct buffer *buffer, char byte) {
    buffer_append(buffer, &byte, 1);
}

void buffer_append_number(struct buffer *buffer, int64_t number) {
    buffer_format(buffer, "%" PRId64, number);
}

void buffer_format(struct buffer *buffer, const char *format, ...) {
    char piece[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof piece) {
        buffer->failed = true;
        return;
    }
    buffer_append(buffer, piece, (size_t)length);
}

struct text buffer_text(const struct buffer *buffer) {
    return (struct text){buffer->bytes ? buffer->bytes : "", buffer->length};
}
