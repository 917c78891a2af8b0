/* The console's view of a case as a text for the other reports. */
#include <string.h>

#include "harness/report/console.h"
#include "harness/report/report.h"
#include "harness/report/visible.h"

#define NOTE_ROOM 80 /* bytes kept for the note that says what is left out */

/* The start of the first line at or behind `at`. */
static size_t line_start(struct text text, size_t at) {
    const char *end = at == 0 || at >= text.length ? NULL : memchr(text.bytes + at - 1, '\n', text.length - at + 1);
    return end == NULL ? (at == 0 ? 0 : text.length) : (size_t)(end - text.bytes) + 1;
}

/* The end of the last whole line at or before `at`. */
static size_t line_end(struct text text, size_t at) {
    const char *end = memrchr(text.bytes, '\n', at);
    return end == NULL ? 0 : (size_t)(end - text.bytes) + 1;
}

/* What failed stands at the start; how it came to that, at the end. */
static void cut_middle(struct buffer *out, struct text text, size_t ceiling) {
    if (text.length <= ceiling) {
        buffer_text(out, text);
        return;
    }
    size_t room = ceiling > NOTE_ROOM ? ceiling - NOTE_ROOM : 0;
    size_t head = line_end(text, room / 2), tail = line_start(text, text.length - room / 2);
    buffer_append(out, text.bytes, head);
    buffer_format(out, "   … %zu bytes are left out here …\n", tail - head);
    buffer_append(out, text.bytes + tail, text.length - tail);
}

void report_block(struct buffer *out, const struct case_result *result, const struct report_head *head,
                  size_t ceiling) {
    struct console_style style = {.strict = head->strict, .program = head->program, .arguments = head->arguments};
    struct buffer raw = {0}, block = {0};
    console_case(&raw, result, &style);
    visible_text(&block, (struct text){raw.bytes, raw.length}, VISIBLE_LINES, raw.length);
    while (block.length > 0 && block.bytes[block.length - 1] == '\n') {
        block.length--; /* the console's empty line between cases */
    }
    cut_middle(out, (struct text){block.bytes, block.length}, ceiling);
    buffer_free(&raw);
    buffer_free(&block);
}
