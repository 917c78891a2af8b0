/*
 * Texts in HTML, so that nothing in them is taken for markup, and pages made of a frame with places to fill.
 */
#ifndef MESHSPEC_HTML_TEXT_H
#define MESHSPEC_HTML_TEXT_H

#include "harness/base/text.h"

/* Appends one line, fit for an element or for an attribute in double quotes; at most `ceiling` bytes of it (see visible_text). */
void html_line(struct buffer *out, struct text text, size_t ceiling);

/* Appends a text with lines of its own, fit for <pre>. The text must be visible already. */
void html_lines(struct buffer *out, struct text text);

/* Appends `frame`; wherever {{NAME}} stands in it, `place` is called instead, which appends what belongs there. */
void html_fill(struct buffer *out, struct text frame, void (*place)(struct buffer *out, struct text name, void *context), void *context);

/* A file of a page that the Makefile built in, as `page_NAME` with `_` for the dot. */
#define HTML_FILE(name)                                                                                                \
    extern const unsigned char name[];                                                                                 \
    extern const size_t name##_size
#define HTML_FILE_TEXT(name) ((struct text){(const char *)(name), name##_size})

#endif
