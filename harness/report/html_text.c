#include "harness/report/html_text.h"

#include <string.h>

#include "harness/report/visible.h"

void html_lines(struct buffer *out, struct text text) {
    for (size_t i = 0; i < text.length; i++) {
        switch (text.bytes[i]) {
        case '<':
            buffer_string(out, "&lt;");
            break;
        case '&':
            buffer_string(out, "&amp;");
            break;
        case '"':
            buffer_string(out, "&quot;");
            break;
        default:
            buffer_append(out, &text.bytes[i], 1);
        }
    }
}

void html_line(struct buffer *out, struct text text, size_t ceiling) {
    struct buffer safe = {0};
    visible_text(&safe, text, VISIBLE_LINE, ceiling);
    html_lines(out, (struct text){safe.bytes, safe.length});
    buffer_free(&safe);
}

void html_fill(struct buffer *out, struct text frame, void (*place)(struct buffer *out, struct text name, void *context), void *context) {
    const char *rest = frame.bytes, *const end = frame.bytes + frame.length;
    while (rest < end) {
        const char *open = memmem(rest, (size_t)(end - rest), "{{", 2);
        const char *close = open == NULL ? NULL : memmem(open, (size_t)(end - open), "}}", 2);
        if (close == NULL) {
            break;
        }
        buffer_append(out, rest, (size_t)(open - rest));
        place(out, (struct text){open + 2, (size_t)(close - open) - 2}, context);
        rest = close + 2;
    }
    buffer_append(out, rest, (size_t)(end - rest));
}
