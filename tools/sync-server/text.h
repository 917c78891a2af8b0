/*
 * Texts that carry their length, and buffers that grow up to a ceiling.
 *
 * A buffer's failure sticks: once an append did not fit or memory ran out, `failed` stays set and later appends
 * do nothing, so that a caller may build a whole answer and look once at the end.
 */
#ifndef SYNC_SERVER_TEXT_H
#define SYNC_SERVER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A borrowed text; never assumed to end in NUL. `bytes` is NULL where there is no value. */
struct text {
    const char *bytes;
    size_t length;
};

/* A text of a string literal. */
#define TEXT(literal) ((struct text){(literal), sizeof(literal) - 1})

/* The text of a NUL-terminated string; no value for NULL. */
struct text text_of(const char *string);

bool text_equal(struct text a, struct text b);

/* Equality where A–Z and a–z are the same; for header names and methods' schemes. */
bool text_equal_ignoring_case(struct text a, struct text b);

/* Byte order, shorter first among equals up to the shorter length: below, at or above 0. */
int text_compare(struct text a, struct text b);

/* Where `needle` first stands in `haystack`, or SIZE_MAX. An empty needle is never found. */
size_t text_find(struct text haystack, struct text needle);

/* Reads a decimal number of 1 to 18 digits and nothing else. */
bool text_to_number(struct text text, uint64_t *number);

/* Growable bytes. All zero but `ceiling` is an empty buffer; free it with `buffer_free`. */
struct buffer {
    char *bytes;
    size_t length;
    size_t capacity;
    size_t ceiling; /* in bytes; the most that `length` may be */
    bool failed;
};

/* The ceiling of one answer's body and of other working buffers: a list or a big schema fits, a runaway does not. */
#define BUFFER_CEILING ((size_t)256 * 1024 * 1024)

void buffer_init(struct buffer *buffer, size_t ceiling);
void buffer_free(struct buffer *buffer);

/* Forgets what is in it and its failure; keeps the memory. */
void buffer_clear(struct buffer *buffer);

void buffer_append(struct buffer *buffer, const char *bytes, size_t length);
void buffer_append_text(struct buffer *buffer, struct text text);
void buffer_append_string(struct buffer *buffer, const char *string);
void buffer_append_byte(struct buffer *buffer, char byte);
void buffer_append_number(struct buffer *buffer, int64_t number);

/* printf into the buffer; for short pieces (at most 1,023 bytes a call). */
void buffer_format(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What is in it; valid until the next append. */
struct text buffer_text(const struct buffer *buffer);

#endif
