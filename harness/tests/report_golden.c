/* Every report of the hand-made results, byte for byte. harness/tests/test_report_files.py reads the same files with
 * other people's parsers. */
#include <criterion/criterion.h>

#include "harness/report/console.h"
#include "harness/report/json_report.h"
#include "harness/report/junit.h"
#include "harness/report/markdown.h"
#include "harness/report/tap.h"
#include "harness/tests/report_results.h"

typedef void writer(struct buffer *out, const struct suite_results *results, const struct report_head *head);
typedef void maker(struct report_results *made);

static void expect(maker *make, writer *write, bool strict, const char *golden) {
    struct report_results made;
    report_results_begin(&made);
    make(&made);
    made.head.strict = strict;
    struct buffer out = {0};
    write(&out, &made.results, &made.head);
    report_expect_golden(golden, &out);
    buffer_free(&out);
    report_results_end(&made);
}

static void console(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    struct console_style style = {.strict = head->strict, .program = head->program, .arguments = head->arguments};
    for (size_t i = 0; i < results->count; i++) {
        console_case(out, &results->cases[i], &style);
    }
    console_summary(out, results, &style);
}

Test(report_golden, console_usual) {
    expect(report_results_usual, console, false, "usual.txt");
}

Test(report_golden, console_nasty) {
    expect(report_results_nasty, console, false, "nasty.txt");
}

Test(report_golden, json_usual) {
    expect(report_results_usual, json_report, false, "usual.json");
}

Test(report_golden, json_nasty) {
    expect(report_results_nasty, json_report, false, "nasty.json");
}

Test(report_golden, json_strict) {
    expect(report_results_usual, json_report, true, "strict.json");
}

Test(report_golden, junit_usual) {
    expect(report_results_usual, junit_report, false, "usual.xml");
}

Test(report_golden, junit_nasty) {
    expect(report_results_nasty, junit_report, false, "nasty.xml");
}

Test(report_golden, junit_strict) {
    expect(report_results_usual, junit_report, true, "strict.xml");
}

Test(report_golden, tap_usual) {
    expect(report_results_usual, tap_report, false, "usual.tap");
}

Test(report_golden, tap_nasty) {
    expect(report_results_nasty, tap_report, false, "nasty.tap");
}

Test(report_golden, tap_strict) {
    expect(report_results_usual, tap_report, true, "strict.tap");
}

Test(report_golden, markdown_usual) {
    expect(report_results_usual, markdown_report, false, "usual.md");
}

Test(report_golden, markdown_nasty) {
    expect(report_results_nasty, markdown_report, false, "nasty.md");
}
