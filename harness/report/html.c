#include "harness/report/html.h"

#include "harness/report/html_text.h"
#include "harness/report/json_report.h"
#include "harness/report/visible.h"

/* The files of harness/report/page/, built in by the Makefile. */
HTML_FILE(page_page_html);
HTML_FILE(page_page_css);
HTML_FILE(page_elements_js);
HTML_FILE(page_labels_js);
HTML_FILE(page_sequence_js);
HTML_FILE(page_case_js);
HTML_FILE(page_filters_js);
HTML_FILE(page_theme_js);
HTML_FILE(page_page_js);

static void script(struct buffer *out) {
    buffer_text(out, HTML_FILE_TEXT(page_elements_js));
    buffer_text(out, HTML_FILE_TEXT(page_labels_js));
    buffer_text(out, HTML_FILE_TEXT(page_sequence_js));
    buffer_text(out, HTML_FILE_TEXT(page_case_js));
    buffer_text(out, HTML_FILE_TEXT(page_filters_js));
    buffer_text(out, HTML_FILE_TEXT(page_theme_js));
    buffer_text(out, HTML_FILE_TEXT(page_page_js));
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
    html_line(out, text_of(head->target), HTML_TEXT_CEILING);
}

struct page {
    const struct suite_results *results;
    const struct report_head *head;
};

/* What stands for {{NAME}} in the page. */
static void place(struct buffer *out, struct text name, void *context) {
    const struct page *page = context;
    if (text_equal(name, TEXT("style"))) {
        buffer_text(out, HTML_FILE_TEXT(page_page_css));
    } else if (text_equal(name, TEXT("script"))) {
        script(out);
    } else if (text_equal(name, TEXT("data"))) {
        data(out, page->results, page->head);
    } else if (text_equal(name, TEXT("title"))) {
        title(out, page->results, page->head);
    } else if (text_equal(name, TEXT("headline"))) {
        buffer_string(out, report_headline(page->results, page->head->strict));
    } else if (text_equal(name, TEXT("verdict"))) {
        verdict(out, page->results, page->head);
    }
}

void html_report(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    struct page page = {results, head};
    html_fill(out, HTML_FILE_TEXT(page_page_html), place, &page);
}
