#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

#define FIRST_CAPACITY ((size_t)64)

struct text text_of(const char *string) {
    return (struct text){string, strlen(string)};
}

bool text_equal(struct text a, struct text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool text_starts_with(struct text whole, struct text start) {
    return whole.length >= start.length && (start.length == 0 || memcmp(whole.bytes, start.bytes, start.length) == 0);
}

bool text_ends_with(struct text whole, struct text end) {
    return whole.length >= end.length &&
           (end.length == 0 || memcmp(whole.bytes + (whole.length - end.length), end.bytes, end.length) == 0);
}

bool text_glob(const char *pattern, struct text text) {
    const char *star = NULL; /* the last `*` passed, and how much of the text it has taken */
    size_t taken = 0, at = 0;
    while (at < text.length) {
        if (*pattern == '*') {
            star = pattern++;
            taken = at;
        } else if (*pattern != '\0' && (*pattern == '?' || *pattern == text.bytes[at])) {
            pattern++;
            at++;
        } else if (star != NULL) {
            pattern = star + 1;
            at = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* How many of `length` bytes more fit below the ceiling; makes room for them and a NUL. */
static size_t reserve(struct buffer *buffer, size_t length) {
    size_t ceiling = buffer->ceiling > 0 ? buffer->ceiling : BUFFER_CEILING;
    size_t left = buffer->length < ceiling ? ceiling - buffer->length : 0;
    if (length > left) {
        buffer->overflowed = true;
        length = left;
    }
    size_t needed = buffer->length + length + 1;
    if (needed > buffer->capacity) {
        size_t capacity = buffer->capacity > 0 ? buffer->capacity : FIRST_CAPACITY;
        while (capacity < needed)
            capacity *= 2;
        buffer->bytes = memory_resize(buffer->bytes, capacity);
        buffer->capacity = capacity;
    }
    return length;
}

void buffer_append(struct buffer *buffer, const char *bytes, size_t length) {
    length = reserve(buffer, length);
    if (length > 0)
        memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
}

void buffer_text(struct buffer *buffer, struct text text) {
    buffer_append(buffer, text.bytes, text.length);
}

void buffer_string(struct buffer *buffer, const char *string) {
    buffer_append(buffer, string, strlen(string));
}

void buffer_format(struct buffer *buffer, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        size_t room = reserve(buffer, (size_t)length);
        vsnprintf(buffer->bytes + buffer->length, room + 1, format, again);
        buffer->length += room;
    }
    va_end(again);
}

void buffer_consume(struct buffer *buffer, size_t count) {
    if (count > buffer->length)
        count = buffer->length;
    if (count == 0)
        return;
    buffer->length -= count;
    memmove(buffer->bytes, buffer->bytes + count, buffer->length + 1);
}

void buffer_free(struct buffer *buffer) {
    free(buffer->bytes);
    *buffer = (struct buffer){.ceiling = buffer->ceiling};
}
