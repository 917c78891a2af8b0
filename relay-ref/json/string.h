/* JSON strings: decoded to WTF-8 characters (U+0000 and lone surrogates kept) and written back. */
#ifndef MESHSPEC_RELAY_JSON_STRING_H
#define MESHSPEC_RELAY_JSON_STRING_H

#include <stdbool.h>
#include <stddef.h>

#include "relay-ref/json/scanner.h"

/* Decodes a string that the scanner gave. `out` has room for `string->length` bytes, which is always enough. Returns the
   bytes written. */
size_t relay_string_decode(const struct json_value *string, char *out);

/* True when no escape is in the string: its characters are then the bytes between the quotes. */
bool relay_string_is_plain(const struct json_value *string);

/* True when `value` is a string whose characters are `text`. */
bool relay_string_equals(const struct json_value *value, const char *text, size_t length);

/* True when `value` is a string with the characters of the C string `word`, which must be plain ASCII. */
bool relay_string_is(const struct json_value *value, const char *word);

/* The bytes that `relay_string_encode` will write for these characters, quotes included. */
size_t relay_string_encoded_length(const char *characters, size_t length);

/* Writes characters (WTF-8) as a JSON string with quotes; returns the bytes written. */
size_t relay_string_encode(const char *characters, size_t length, char *out);

#endif
