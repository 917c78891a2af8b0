#include "harness/report/markdown_text.h"

#include <string.h>

#include "harness/report/visible.h"

void markdown_prose(struct buffer *out, struct text text, size_t ceiling) {
    struct buffer safe = {0};
    visible_text(&safe, text, VISIBLE_LINE, ceiling);
    for (size_t i = 0; i < safe.length; i++) {
        if (memchr("\\`*_{}[]()#+!|~<>&$", safe.bytes[i], 19) != NULL) {
            buffer_string(out, "\\");
        }
        buffer_append(out, &safe.bytes[i], 1);
    }
    buffer_free(&safe);
}

void markdown_html(struct buffer *out, struct text text, size_t ceiling) {
    struct buffer safe = {0};
    visible_text(&safe, text, VISIBLE_LINE, ceiling);
    for (size_t i = 0; i < safe.length; i++) {
        if (safe.bytes[i] == '<' || safe.bytes[i] == '&') {
            buffer_string(out, safe.bytes[i] == '<' ? "&lt;" : "&amp;");
        } else {
            buffer_append(out, &safe.bytes[i], 1);
        }
    }
    buffer_free(&safe);
}

/* A fence must be longer than any run of backticks within. */
static size_t longest_run(const char *bytes, size_t length) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < length; i++) {
        run = bytes[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void fence(struct buffer *out, size_t length) {
    for (size_t i = 0; i < length; i++) {
        buffer_string(out, "`");
    }
}

void markdown_code(struct buffer *out, struct text text, size_t ceiling) {
    struct buffer safe = {0};
    visible_text(&safe, text, VISIBLE_LINE, ceiling);
    if (safe.length > 0) {
        size_t ticks = longest_run(safe.bytes, safe.length) + 1;
        const char *pad = ticks > 1 || safe.bytes[0] == ' ' ? " " : ""; /* a blank is taken off at both ends */
        fence(out, ticks);
        buffer_string(out, pad);
        for (size_t i = 0; i < safe.length; i++) {
            buffer_string(out, safe.bytes[i] == '|' ? "\\" : ""); /* even within code, a bar ends a cell */
            buffer_append(out, &safe.bytes[i], 1);
        }
        buffer_string(out, pad);
        fence(out, ticks);
    }
    buffer_free(&safe);
}

void markdown_fenced(struct buffer *out, struct text text) {
    size_t ticks = longest_run(text.bytes, text.length) + 1;
    ticks = ticks < 3 ? 3 : ticks;
    fence(out, ticks);
    buffer_string(out, "text\n");
    buffer_text(out, text);
    buffer_string(out, text_ends_with(text, TEXT("\n")) ? "" : "\n");
    fence(out, ticks);
    buffer_string(out, "\n");
}
