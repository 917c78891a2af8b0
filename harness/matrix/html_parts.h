/*
 * The parts of the page; each appends one. Inside harness/matrix only.
 */
#ifndef MESHSPEC_MATRIX_HTML_PARTS_H
#define MESHSPEC_MATRIX_HTML_PARTS_H

#include "harness/matrix/collect.h"

/* The table of relays, or of stores. */
void matrix_html_table(struct buffer *out, const struct matrix_table *table);

/* What each column is, with its counts. */
void matrix_html_columns(struct buffer *out, const struct matrix_view *view);

/* Every rule with its text, its scenarios, and what they came to. */
void matrix_html_rules(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table);

/* Every case that has something to show. */
void matrix_html_cases(struct buffer *out, const struct matrix_view *view);

/* Appends a mark with the words of a state: "✗ fail". */
void matrix_html_badge(struct buffer *out, enum matrix_state state);

/* Appends "name, transport, profile". */
void matrix_html_column_name(struct buffer *out, const struct matrix_column *column);

/* Appends the way back to a rule's row in the table. */
void matrix_html_back(struct buffer *out, const char *clause);

/* Begins a link to a run's full report, up to the closing quote of its address: `<a href="…`. */
void matrix_html_report_link(struct buffer *out, const struct matrix *matrix, size_t run_index);

#endif
