#include "relay-ref/core/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

void relay_buffer_start(struct relay_buffer *buffer, size_t reserved, size_t expected) {
    *buffer = (struct relay_buffer){.reserved = reserved};
    if (expected <= RELAY_BUFFER_CEILING)
        buffer->memory = malloc(reserved + expected);
    buffer->capacity = expected;
    buffer->failed = buffer->memory == NULL;
}

void relay_buffer_free(struct relay_buffer *buffer) {
    free(buffer->memory);
    buffer->memory = NULL;
    buffer->failed = true;
}

static bool make_room(struct relay_buffer *buffer, size_t length) {
    if (buffer->failed)
        return false;
    if (buffer->capacity - buffer->length >= length)
        return true;
    buffer->failed = true;
    if (length > RELAY_BUFFER_CEILING - buffer->length)
        return false;
    size_t capacity = buffer->length + length + buffer->capacity;
    char *memory = realloc(buffer->memory, buffer->reserved + capacity);
    if (memory == NULL)
        return false;
    buffer->memory = memory;
    buffer->capacity = capacity;
    buffer->failed = false;
    return true;
}

static char *end_of(const struct relay_buffer *buffer) {
    return buffer->memory + buffer->reserved + buffer->length;
}

void relay_buffer_add(struct relay_buffer *buffer, const char *bytes, size_t length) {
    if (length == 0 || !make_room(buffer, length))
        return;
    memcpy(end_of(buffer), bytes, length);
    buffer->length += length;
}

void relay_buffer_add_text(struct relay_buffer *buffer, struct relay_text text) {
    relay_buffer_add(buffer, text.bytes, text.length);
}

void relay_buffer_add_words(struct relay_buffer *buffer, const char *words) {
    relay_buffer_add(buffer, words, strlen(words));
}

void relay_buffer_add_count(struct relay_buffer *buffer, uint64_t count) {
    char digits[NUMBER_TEXT_CAPACITY];
    relay_buffer_add(buffer, digits, relay_number_write_count(count, digits));
}

void relay_buffer_add_number(struct relay_buffer *buffer, double number) {
    char digits[NUMBER_TEXT_CAPACITY];
    relay_buffer_add(buffer, digits, relay_number_write(number, digits));
}

void relay_buffer_add_string(struct relay_buffer *buffer, struct relay_text characters) {
    size_t length = relay_string_encoded_length(characters.bytes, characters.length);
    if (!make_room(buffer, length))
        return;
    relay_string_encode(characters.bytes, characters.length, end_of(buffer));
    buffer->length += length;
}

void relay_buffer_trim(struct relay_buffer *buffer) {
    if (buffer->failed || buffer->length == 0)
        return;
    char *memory = realloc(buffer->memory, buffer->reserved + buffer->length);
    if (memory == NULL)
        return;
    buffer->memory = memory;
    buffer->capacity = buffer->length;
}

void relay_buffer_drop_last(struct relay_buffer *buffer, char byte) {
    if (!buffer->failed && buffer->length > 0 && end_of(buffer)[-1] == byte)
        buffer->length--;
}
