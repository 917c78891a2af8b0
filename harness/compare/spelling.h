/*
 * The same JSON in other words: blanks between tokens, escapes in strings, numbers with a point. A relay must take them all alike, and what it does not
 * interpret must come out equal.
 */
#ifndef MESHSPEC_COMPARE_SPELLING_H
#define MESHSPEC_COMPARE_SPELLING_H

#include "harness/base/text.h"

enum {
    SPELLING_BLANKS = 1,  /* blanks, tabs and line breaks around tokens */
    SPELLING_ESCAPES = 2, /* every third ASCII character of a string as \uXXXX, and / as \/ */
    SPELLING_POINTS = 4,  /* whole numbers as 3.0, 3e0 or 3.00 in turn */
    SPELLINGS = 8         /* combinations of these; 0 is the plain one */
};

/* Appends `compact`, JSON without blanks as json_print gives it, in another spelling. */
void spelling_print(struct buffer *out, struct text compact, unsigned spelling);

#endif
