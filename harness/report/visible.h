/*
 * Texts from outside, made fit for a report: whatever the bytes are, what comes out is UTF-8 in which nothing is
 * hidden.
 */
#ifndef MESHSPEC_VISIBLE_H
#define MESHSPEC_VISIBLE_H

#include "harness/base/text.h"

enum visible_what {
    VISIBLE_BYTES, /* shows only what UTF-8 cannot carry; for formats that escape control characters themselves */
    VISIBLE_LINES, /* shows control characters too, but keeps line breaks and tabs */
    VISIBLE_LINE   /* shows line breaks and tabs as well: the result is one line */
};

/*
 * Appends `text`, at most `ceiling` bytes of it; where more was there, its full length is named behind it. Shown are,
 * as \xNN: stray bytes, and control characters below U+0080; as \uNNNN: lone surrogates (three bytes in WTF-8), the
 * controls above U+007F, line and paragraph separators, marks that turn the direction of writing around, U+FEFF, U+FFFE
 * and U+FFFF. The cut is never inside a character. What comes out is at most six times `ceiling`, and the note.
 */
void visible_text(struct buffer *out, struct text text, enum visible_what what, size_t ceiling);

#endif
