/*
 * Texts in GitHub's Markdown, so that nothing in them is taken for markup.
 */
#ifndef MESHSPEC_MARKDOWN_TEXT_H
#define MESHSPEC_MARKDOWN_TEXT_H

#include "harness/base/text.h"

/* Appends prose in one line, fit for a table's cell; at most `ceiling` bytes of it (see visible_text). */
void markdown_prose(struct buffer *out, struct text text, size_t ceiling);

/* Appends a span of code, fit for a table's cell; nothing for an empty text. */
void markdown_code(struct buffer *out, struct text text, size_t ceiling);

/* Appends what stands within a tag, such as <summary>, where Markdown is not read. */
void markdown_html(struct buffer *out, struct text text, size_t ceiling);

/* Appends a block of code with lines of its own. The text must be visible already. */
void markdown_fenced(struct buffer *out, struct text text);

#endif
