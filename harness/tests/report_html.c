/* The page's own part of the HTML report: what is put into it and how much. harness/tests/test_html_report.py opens it
 * in a browser. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/json/characters.h"
#include "harness/report/html.h"
#include "harness/tests/report_results.h"

static struct text data_of(const struct buffer *page) {
    static const char start[] = "<script type=\"application/json\" id=\"data\">";
    const char *begin = strstr(page->bytes, start);
    cr_assert_not_null(begin);
    begin += sizeof start - 1;
    const char *end = strstr(begin, "</script>");
    cr_assert_not_null(end);
    return (struct text){begin, (size_t)(end - begin)};
}

Test(report_html, data_cannot_end_its_element_and_is_json) {
    struct report_results made;
    report_results_begin(&made);
    report_results_nasty(&made);
    struct buffer page = {0};
    html_report(&page, &made.results, &made.head);
    struct text data = data_of(&page);
    cr_expect_null(memchr(data.bytes, '<', data.length));
    cr_expect_null(memmem(data.bytes, data.length, "\xe2\x80\xa8", 3), "a line separator stands unescaped");
    struct arena *arena = arena_new();
    struct error error = {0};
    struct json_value *report = json_parse(arena, data, &error);
    cr_assert_not_null(report, "%s", error.text);
    const struct json_value *title = json_get(json_get(report, "cases")->first, "title");
    cr_expect_not_null(memmem(title->text.bytes, title->text.length, "</script><script>", 17));
    cr_expect_not_null(memmem(title->text.bytes, title->text.length, "\\u202e", 6), "what turns text around is shown");
    cr_expect(utf8_valid((struct text){page.bytes, page.length}));
    arena_free(arena);
    buffer_free(&page);
    report_results_end(&made);
}

Test(report_html, every_place_of_the_page_is_filled) {
    struct report_results made;
    report_results_begin(&made);
    report_results_usual(&made);
    made.head.target = "exec:my <relay> & \"co\"";
    struct buffer page = {0};
    html_report(&page, &made.results, &made.head);
    cr_expect_null(strstr(page.bytes, "{{"));
    cr_expect_not_null(
        strstr(page.bytes, "<title>meshspec: not as the protocol says – exec:my &lt;relay> &amp; &quot;co&quot;</title>"));
    cr_expect_not_null(strstr(page.bytes, "<p id=\"verdict\">10 cases: 1 passed, 2 failed, 1 error"));
    cr_expect_not_null(strstr(page.bytes, "</html>"));
    buffer_free(&page);
    report_results_end(&made);
}

#define CASES 60000

Test(report_html, a_run_of_very_many_cases_stays_a_page_that_opens) {
    struct report_results made;
    report_results_begin(&made);
    struct case_result *large = report_results_add(&made, "frame/large", "0.2.0", VERDICT_FAIL, CLAUSE_MUST);
    char *bytes = arena_alloc(made.arena, 100000);
    memset(bytes, 'x', 100000);
    for (int i = 0; i < 300; i++) {
        report_results_trace(&made, large, TRACE_RECEIVED, "ana", (struct text){bytes, 100000});
    }
    report_results_add(&made, "join/fresh", "0.2.0", VERDICT_PASS, CLAUSE_MUST);
    struct case_result *cases = calloc(CASES, sizeof *cases);
    for (size_t i = 0; i < CASES; i++) {
        cases[i] = made.cases[i < CASES - 100];
    }
    made.results.cases = cases;
    made.results.count = CASES;
    struct buffer page = {0};
    html_report(&page, &made.results, &made.head);
    cr_expect_lt(page.length, (size_t)20 << 20, "%zu bytes", page.length);
    size_t failed = 0;
    for (const char *at = page.bytes; (at = strstr(at, "\"outcome\":\"fail\"")) != NULL; at++) {
        failed++;
    }
    cr_expect_eq(failed, 100, "what failed is listed, though it ran last: %zu", failed);
    cr_expect_null(strstr(page.bytes, "\"left_out\":0,\"us\""));
    buffer_free(&page);
    free(cases);
    report_results_end(&made);
}
