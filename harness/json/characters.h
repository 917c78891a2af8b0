/*
 * Characters as JSON has them: UTF-8 outside, WTF-8 inside (value.h says why), counted in UTF-16 code units.
 */
#ifndef MESHSPEC_JSON_CHARACTERS_H
#define MESHSPEC_JSON_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/arena.h"
#include "harness/base/text.h"

/* The bytes of the UTF-8 character that starts at `bytes` (`left` bytes are there), 1 to 4; 0 when none does: a stray
   or missing byte, an overlong form, a surrogate, or past U+10FFFF. */
size_t utf8_length(const char *bytes, size_t left);

/* Whether the whole text is valid UTF-8. */
bool utf8_valid(struct text text);

/* Writes a code point (surrogates too, in their three-byte form) to `out`, which has room for 4 bytes; returns the
   bytes. */
size_t wtf8_put(char *out, uint32_t code_point);

/* Reads the code point that starts at `bytes` of a well-formed WTF-8 text and sets its length in bytes. */
uint32_t wtf8_get(const char *bytes, size_t *length);

/* The length of a well-formed WTF-8 text in UTF-16 code units, as JavaScript counts. */
size_t wtf8_units(struct text text);

/* Appends a WTF-8 text to one under construction. A high surrogate at its end and a low one at the start of `text`
   become the character that they make up. */
void wtf8_append(struct buffer *buffer, struct text text);

#endif
