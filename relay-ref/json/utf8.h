/* Strict UTF-8, and its superset WTF-8 that can also carry lone surrogates (frame.lone-surrogate). */
#ifndef MESHSPEC_RELAY_JSON_UTF8_H
#define MESHSPEC_RELAY_JSON_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the well-formed UTF-8 sequence at the start of `bytes`, 0 when there is none (overlong forms, encoded
   surrogates, code points past U+10FFFF and cut sequences are none). */
size_t relay_utf8_step(const char *bytes, size_t length);

/* Writes `code_point` (a surrogate is allowed) to `out`, which has room for 4 bytes; returns the bytes written. */
size_t relay_utf8_write(char *out, uint32_t code_point);

#endif
