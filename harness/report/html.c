#include "harness/report/html.h"

#include <string.h>

#include "harness/report/json_report.h"
#include "harness/report/visible.h"

/* The files of harness/report/page/, built in by the Makefile. */
#define PAGE_FILE(name)                                                                                                \
    extern const unsigned char name[];                                                                                 \
    extern const size_t name##_size
PAGE_FILE(page_page_html);
PAGE_FILE(page_page_css);
PAGE_FILE(page_elements_js);
PAGE_FILE(page_labels_js);
PAGE_FILE(page_sequence_js);
PAGE_FILE(page_case_js);
PAGE_FILE(page_filters_js);
PAGE_FILE(page_page_js);

static void file(struct buffer *out, const unsigned char *bytes, size_t size) {
    buffer_append(out, (const char *)bytes, size);
}

static void script(struct buffer *out) {
    file(out, page_elements_js, page_elements_js_size);
    file(out, page_labels_js, page_labels_js_size);
    file(out, page_sequence_js, page_sequence_js_size);
    file(out, page_case_js, page_case_js_size);
    file(out, page_filters_js, page_filters_js_size);
    file(out, page_page_js, page_page_js_size);
}

static void escaped(struct buffer *out, struct text text) {
    struct buffer safe = {0};
    visible_text(&safe, text, VISIBLE_LINE, HTML_TEXT_CEILING);
    for (size_t i = 0; i < safe.length; i++) {
        switch (safe.bytes[i]) {
        case '<':
            buffer_string(out, "&lt;");
            break;
        case '&':
            buffer_string(out, "&amp;");
            break;
        default:
            buffer_append(out, &safe.bytes[i], 1);
        }
    }
    buffer_free(&safe);
}

/*
 * JSON within a script element ends at `</script` and changes its rules at `<!--`, wherever they stand. In JSON `<`
 * stands in strings only, so it can be written as an escape.
 */
static void json_in_script(struct buffer *out, struct text json) {
    size_t plain = 0;
    for (size_t at = 0; at < json.length; at++) {
        if (json.bytes[at] == '<') {
            buffer_append(out, json.bytes + plain, at - plain);
            buffer_string(out, "\\u003c");
            plain = at + 1;
        }
    }
    buffer_append(out, json.bytes + plain, json.length - plain);
}

static void data(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    static const struct json_limits limits = {VISIBLE_LINES, HTML_TEXT_CEILING, HTML_ENTRIES_CEILING,
                                              HTML_TRACES_CEILING, HTML_CASES_CEILING};
    struct buffer json = {0};
    json_report_within(&json, results, head, &limits);
    json_in_script(out, (struct text){json.bytes, json.length});
    buffer_free(&json);
}

static void verdict(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    report_verdict(out, results, head->strict);
    buffer_string(out, ".");
}

static void title(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    buffer_format(out, "meshspec: %s – ", report_headline(results, head->strict));
    escaped(out, text_of(head->target));
}

/* What stands for {{NAME}} in the page. */
static void place(struct buffer *out, struct text name, const struct suite_results *results,
                  const struct report_head *head) {
    if (text_equal(name, TEXT("style"))) {
        file(out, page_page_css, page_page_css_size);
    } else if (text_equal(name, TEXT("script"))) {
        script(out);
    } else if (text_equal(name, TEXT("data"))) {
        data(out, results, head);
    } else if (text_equal(name, TEXT("title"))) {
        title(out, results, head);
    } else if (text_equal(name, TEXT("headline"))) {
        buffer_string(out, report_headline(results, head->strict));
    } else if (text_equal(name, TEXT("verdict"))) {
        verdict(out, results, head);
    }
}

void html_report(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    const char *rest = (const char *)page_page_html, *const end = rest + page_page_html_size;
    while (rest < end) {
        const char *open = memmem(rest, (size_t)(end - rest), "{{", 2);
        const char *close = open == NULL ? NULL : memmem(open, (size_t)(end - open), "}}", 2);
        if (close == NULL) {
            break;
        }
        buffer_append(out, rest, (size_t)(open - rest));
        place(out, (struct text){open + 2, (size_t)(close - open) - 2}, results, head);
        rest = close + 2;
    }
    buffer_append(out, rest, (size_t)(end - rest));
}
