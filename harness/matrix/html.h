/*
 * The matrix as one page that needs nothing else: the table, what each column is, and below it the evidence. All of it
 * can be read without scripts; a small script adds filters. What the page is made of lies in harness/matrix/page/ and
 * harness/report/page/ and is built in.
 */
#ifndef MESHSPEC_MATRIX_HTML_H
#define MESHSPEC_MATRIX_HTML_H

#include "harness/matrix/matrix.h"

#define MATRIX_TEXT_CEILING ((size_t)2000)          /* bytes of one text from outside */
#define MATRIX_BLOCK_CEILING ((size_t)8 << 10)      /* of one case's evidence */
#define MATRIX_EVIDENCE_CEILING ((size_t)16 << 20)  /* once the page has so many bytes, cases come with their reason only */

/* Appends the whole page. */
void matrix_html(struct buffer *out, const struct matrix *matrix);

#endif
