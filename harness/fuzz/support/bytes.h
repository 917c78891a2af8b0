/*
 * The bytes of a fuzzer as a row of decisions: each decision takes one byte, and past the end every decision is 0, so
 * that any bytes at all stand for some input.
 */
#ifndef MESHSPEC_FUZZ_BYTES_H
#define MESHSPEC_FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct bytes {
    const uint8_t *at; /* borrowed from the fuzzer */
    size_t left;
};

/* A number below `count` (1 to 256). */
unsigned bytes_choose(struct bytes *bytes, unsigned count);

/* One of an array's elements. */
#define ONE_OF(bytes, words) ((words)[bytes_choose((bytes), sizeof(words) / sizeof *(words))])

/* The next bytes as they are, at most `most`; a decision says how many. Valid as long as the fuzzer's input. */
const char *bytes_raw(struct bytes *bytes, size_t most, size_t *length);

/* Writes a JSON value, nested a few levels: all kinds, awkward strings, keys and numbers among them. */
void bytes_json(struct bytes *bytes, FILE *out);

/* Writes a JSON array of ops for the fold (`set` and `delete` at small paths that meet each other). At most `most`. */
void bytes_ops(struct bytes *bytes, unsigned most, FILE *out);

/* Says what was found (printf style, a line is ended) and aborts, which the fuzzer takes as a crash. */
void found(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
