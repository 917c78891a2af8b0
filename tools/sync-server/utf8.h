/* What is UTF-8 and what is not. */
#ifndef SYNC_SERVER_UTF8_H
#define SYNC_SERVER_UTF8_H

#include "tools/sync-server/text.h"

/* How many leading bytes are whole, valid UTF-8 characters: all of them where the text is valid. Overlong forms,
 * encoded surrogates and code points above U+10FFFF are not valid. */
size_t utf8_valid_length(struct text text);

/* Appends at most `most` bytes of a valid text, cut between characters, with "…" where it was cut. For messages. */
void utf8_append_short(struct buffer *out, struct text text, size_t most);

/* Appends a code point below 0x110000; a surrogate becomes its three-byte form. */
void utf8_append(struct buffer *out, uint32_t code_point);

#endif
