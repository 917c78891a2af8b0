/*
 * The parts of the Markdown; each appends one. Inside harness/matrix only.
 */
#ifndef MESHSPEC_MATRIX_MARKDOWN_PARTS_H
#define MESHSPEC_MATRIX_MARKDOWN_PARTS_H

#include "harness/matrix/collect.h"

/* Rows are areas, columns are runs: how many rules came to what. */
void matrix_markdown_summary(struct buffer *out, const struct matrix_view *view);

/* The scenarios of an area's rules, which begin at row `first` of the table. */
void matrix_markdown_scenarios(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table, size_t first);

/* The cases that have something to show. */
void matrix_markdown_cases(struct buffer *out, const struct matrix_view *view);

/* Appends "name transport profile" for a table's head, in several lines. */
void matrix_markdown_head(struct buffer *out, const struct matrix_run *run, const char *profile);

#endif
