/*
 * The matrix in GitHub's Markdown: first a summary by area that is small enough for a README, then a table for each area
 * with every rule, the scenarios behind the rules, and the evidence of what failed.
 */
#ifndef MESHSPEC_MATRIX_MARKDOWN_H
#define MESHSPEC_MATRIX_MARKDOWN_H

#include "harness/matrix/matrix.h"

/* The summary stands between these lines, for programs that take it from there. */
#define MATRIX_SUMMARY_BEGIN "<!-- matrix summary: begin -->"
#define MATRIX_SUMMARY_END "<!-- matrix summary: end -->"

#define MATRIX_MARKDOWN_CEILING ((size_t)960 << 10) /* bytes: from here on evidence is left out, and that is said */

/* Appends all of it. */
void matrix_markdown(struct buffer *out, const struct matrix *matrix);

#endif
