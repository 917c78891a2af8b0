/*
 * Length-carrying texts, and a growing buffer to build them in.
 */
#ifndef MESHSPEC_TEXT_H
#define MESHSPEC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A text with its length; may contain NUL bytes, need not end in one. */
struct text {
    const char *bytes;
    size_t length;
};

#define TEXT(literal) ((struct text){(literal), sizeof(literal) - 1})

/* The text of a NUL-terminated string. */
struct text text_of(const char *string);

bool text_equal(struct text a, struct text b);
bool text_starts_with(struct text whole, struct text start);
bool text_ends_with(struct text whole, struct text end);

/* Shell-style glob: `*` any run, `?` one byte; matched over the whole text. */
bool text_glob(const char *pattern, struct text text);

/*
 * A growing buffer. Zero-initialise it with a ceiling: `struct buffer b = {.ceiling = N}`. An append past the ceiling
 * is cut there and sets `overflowed`.
 */
struct buffer {
    char *bytes; /* NUL-terminated once anything was appended */
    size_t length;
    size_t capacity;
    size_t ceiling; /* 0 means BUFFER_CEILING */
    bool overflowed;
};

#define BUFFER_CEILING ((size_t)1 << 30)

void buffer_append(struct buffer *buffer, const char *bytes, size_t length);
void buffer_text(struct buffer *buffer, struct text text);
void buffer_string(struct buffer *buffer, const char *string);
void buffer_format(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Drops the first `count` bytes. */
void buffer_consume(struct buffer *buffer, size_t count);

/* Empties it and frees its memory; the ceiling stays. */
void buffer_free(struct buffer *buffer);

#endif
