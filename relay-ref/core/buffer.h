/*
 * A growing text. Running out of memory is remembered and told once, at the end: until then every addition
 * to a failed buffer does nothing.
 */
#ifndef MESHSPEC_RELAY_BUFFER_H
#define MESHSPEC_RELAY_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay-ref/core/relay.h"

/* No text that the core builds is longer than this; a longer one fails like memory that is out. */
#define RELAY_BUFFER_CEILING ((size_t)1 << 31)

struct relay_buffer {
    char *memory;    /* owned */
    size_t reserved; /* bytes before the text, not part of it */
    size_t length;   /* of the text */
    size_t capacity; /* for the text */
    bool failed;
};

/* Starts an empty text with `reserved` bytes before it and room for `expected` bytes. */
void relay_buffer_start(struct relay_buffer *buffer, size_t reserved, size_t expected);

void relay_buffer_free(struct relay_buffer *buffer);

void relay_buffer_add(struct relay_buffer *buffer, const char *bytes, size_t length);

void relay_buffer_add_text(struct relay_buffer *buffer, struct relay_text text);

/* Adds a C string. */
void relay_buffer_add_words(struct relay_buffer *buffer, const char *words);

/* Adds a count in decimal. */
void relay_buffer_add_count(struct relay_buffer *buffer, uint64_t count);

/* Adds a finite number, spelled as JavaScript does. */
void relay_buffer_add_number(struct relay_buffer *buffer, double number);

/* Adds decoded characters as a JSON string. */
void relay_buffer_add_string(struct relay_buffer *buffer, struct relay_text characters);

/* Gives back the memory behind the text, of which there may be as much as the text itself. */
void relay_buffer_trim(struct relay_buffer *buffer);

/* Takes the last byte away when it is `byte`. */
void relay_buffer_drop_last(struct relay_buffer *buffer, char byte);

#endif
