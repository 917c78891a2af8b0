/*
 * The harness' own JSON and fold behind plain types, so that a fuzzer of the relay's can ask them: both have a
 * `struct json_value` of their own.
 */
#ifndef MESHSPEC_FUZZ_ORACLE_H
#define MESHSPEC_FUZZ_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text is one JSON value. */
bool oracle_accepts(const char *text, size_t length);

/* Whether two texts are JSON and equal as values. */
bool oracle_equal(const char *left, size_t left_length, const char *right, size_t right_length);

/* Whether the JSON string `text` has exactly these characters (WTF-8). */
bool oracle_has_characters(const char *text, size_t length, const char *characters, size_t characters_length);

/* The double of the JSON number `text`. */
double oracle_number(const char *text, size_t length);

/* Whether the text is UTF-8. */
bool oracle_utf8(const char *text, size_t length);

/*
 * Whether `root` is what the ops (a JSON array) make of `base`, or the protocol leaves that open. NULL is no value,
 * for both.
 */
bool oracle_folds(const char *base, size_t base_length, const char *ops, size_t ops_length, const char *root,
                  size_t root_length);

#endif
