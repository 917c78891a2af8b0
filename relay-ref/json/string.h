/* JSON strings: decoded to WTF-8 characters (U+0000 and lone surrogates kept) and written back. */
#ifndef MESHSPEC_RELAY_JSON_STRING_H
#define MESHSPEC_RELAY_JSON_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "relay-ref/json/scanner.h"

/* Decodes a string that the scanner gave. `out` has room for `string->length` bytes, which is always enough. Returns
   the bytes written. */
size_t relay_string_decode(const struct json_value *string, char *out);

/* The same as relay_string_equals, for a string with escapes. */
bool relay_string_equals_decoded(const struct json_value *value, const char *text, size_t length);

/* True when `value` is a string whose characters are `text`. */
static inline bool relay_string_equals(const struct json_value *value, const char *text, size_t length) {
    if (value->kind != JSON_STRING)
        return false;
    if (value->escaped)
        return relay_string_equals_decoded(value, text, length);
    return value->length - 2 == length && memcmp(value->bytes + 1, text, length) == 0;
}

/* True when `value` is a string with the characters of the C string `word`, which must be plain ASCII. Inline, so that
   the compiler knows the length of a word that it can see. */
static inline bool relay_string_is(const struct json_value *value, const char *word) {
    return relay_string_equals(value, word, strlen(word));
}

/* The bytes that `relay_string_encode` will write for these characters, quotes included. */
size_t relay_string_encoded_length(const char *characters, size_t length);

/* Writes characters (WTF-8) as a JSON string with quotes; returns the bytes written. */
size_t relay_string_encode(const char *characters, size_t length, char *out);

#endif
