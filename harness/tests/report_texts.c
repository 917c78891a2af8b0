/* Texts from outside, made visible; and the limits that keep a report a file that can be read. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/json/characters.h"
#include "harness/report/json_report.h"
#include "harness/report/junit.h"
#include "harness/report/markdown.h"
#include "harness/report/markdown_text.h"
#include "harness/report/tap.h"
#include "harness/report/visible.h"
#include "harness/tests/report_results.h"

static void expect_visible(struct text text, enum visible_what what, size_t ceiling, const char *wanted) {
    struct buffer out = {0};
    buffer_string(&out, "");
    visible_text(&out, text, what, ceiling);
    cr_expect_str_eq(out.bytes, wanted);
    cr_expect_eq(out.length, strlen(wanted));
    buffer_free(&out);
}

Test(visible, plain_text_stays) {
    expect_visible(TEXT("wanted \"ä\" 😀 → ok"), VISIBLE_LINE, 100, "wanted \"ä\" 😀 → ok");
}

Test(visible, nothing_stays_nothing) {
    expect_visible((struct text){NULL, 0}, VISIBLE_LINE, 100, "");
}

Test(visible, control_characters_are_shown) {
    expect_visible(TEXT("a\x00z\x1b[0m\x7f\r"), VISIBLE_LINES, 100, "a\\x00z\\x1b[0m\\x7f\\x0d");
}

Test(visible, layout_stays_in_lines_and_is_shown_in_a_line) {
    expect_visible(TEXT("a\n\tb"), VISIBLE_LINES, 100, "a\n\tb");
    expect_visible(TEXT("a\n\tb"), VISIBLE_LINE, 100, "a\\x0a\\x09b");
}

Test(visible, bytes_shows_only_what_utf_8_cannot_carry) {
    expect_visible(TEXT("\x01\n\xe2\x80\xa8\xff"), VISIBLE_BYTES, 100, "\x01\n\xe2\x80\xa8\\xff");
}

Test(visible, lone_surrogates_are_named_by_their_code) {
    expect_visible(TEXT("\xed\xa0\xbd|\xed\xbf\xbf"), VISIBLE_BYTES, 100, "\\ud83d|\\udfff");
}

Test(visible, stray_overlong_and_cut_characters_are_shown_byte_by_byte) {
    expect_visible(TEXT("\x80|\xc0\xaf|\xf5\x80|\xe2\x82"), VISIBLE_BYTES, 100,
                   "\\x80|\\xc0\\xaf|\\xf5\\x80|\\xe2\\x82");
    expect_visible(TEXT("\xed\xa0"), VISIBLE_BYTES, 100, "\\xed\\xa0");
}

Test(visible, what_hides_or_turns_text_around_is_shown) {
    expect_visible(TEXT("\xc2\x9b \xe2\x80\xae \xe2\x81\xa6 \xef\xbb\xbf \xef\xbf\xbf"), VISIBLE_LINE, 100,
                   "\\u009b \\u202e \\u2066 \\ufeff \\uffff");
}

Test(visible, a_cut_names_the_full_length_and_is_never_inside_a_character) {
    expect_visible(TEXT("abcdef"), VISIBLE_LINE, 4, "abcd… (6 bytes)");
    expect_visible(TEXT("abcdef"), VISIBLE_LINE, 6, "abcdef");
    expect_visible(TEXT("ab€d"), VISIBLE_LINE, 4, "ab… (6 bytes)");
}

Test(markdown_text, prose_escapes_what_would_be_markup) {
    struct buffer out = {0};
    markdown_prose(&out, TEXT("a|b `c` <d> *e* [f](g) \\\n#"), 100);
    cr_expect_str_eq(out.bytes, "a\\|b \\`c\\` \\<d\\> \\*e\\* \\[f\\]\\(g\\) \\\\\\\\x0a\\#");
    buffer_free(&out);
}

Test(markdown_text, code_has_a_longer_fence_than_what_it_holds) {
    struct buffer out = {0};
    markdown_code(&out, TEXT("a``b|c"), 100);
    cr_expect_str_eq(out.bytes, "``` a``b\\|c ```");
    buffer_free(&out);
    markdown_fenced(&out, TEXT("x\n````\ny"));
    cr_expect_str_eq(out.bytes, "`````text\nx\n````\ny\n`````\n");
    buffer_free(&out);
    markdown_code(&out, (struct text){NULL, 0}, 100);
    cr_expect_eq(out.length, 0);
}

Test(shell_word, is_quoted_only_when_it_must_be) {
    struct buffer out = {0};
    report_shell_word(&out, "scenarios/a-b_c.yaml");
    buffer_string(&out, " ");
    report_shell_word(&out, "my relay's $HOME");
    buffer_string(&out, " ");
    report_shell_word(&out, "");
    cr_expect_str_eq(out.bytes, "scenarios/a-b_c.yaml 'my relay'\\''s $HOME' ''");
    buffer_free(&out);
}

/* ---- limits ---- */

#define MEGABYTE ((size_t)1 << 20)

static struct text large_text(struct arena *arena, size_t length) {
    char *bytes = arena_alloc(arena, length);
    memset(bytes, 'x', length);
    return (struct text){bytes, length};
}

/* A failing case whose message, value and transcript have a megabyte in one text. */
static void add_large(struct report_results *made) {
    struct case_result *result = report_results_add(made, "frame/large", "0.2.0", VERDICT_FAIL, CLAUSE_MUST);
    result->failure.message = result->failure.came = large_text(made->arena, MEGABYTE);
    report_results_trace(made, result, TRACE_RECEIVED, "ana", large_text(made->arena, MEGABYTE));
}

typedef void writer(struct buffer *out, const struct suite_results *results, const struct report_head *head);

Test(report_limits, a_megabyte_is_cut_with_its_length_named) {
    static writer *const writers[] = {json_report, junit_report, tap_report, markdown_report};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        struct report_results made;
        report_results_begin(&made);
        add_large(&made);
        struct buffer out = {0};
        writers[i](&out, &made.results, &made.head);
        cr_expect_lt(out.length, MEGABYTE / 4, "report %zu has %zu bytes", i, out.length);
        cr_expect_not_null(strstr(out.bytes, "(1048576 bytes)"), "report %zu does not name the length", i);
        cr_expect(utf8_valid((struct text){out.bytes, out.length}), "report %zu", i);
        buffer_free(&out);
        report_results_end(&made);
    }
}

/* A transcript of `count` lines, of which the one at `unexpected` is what the failure is about. */
static void add_long(struct report_results *made, size_t count, size_t unexpected) {
    struct case_result *result = report_results_add(made, "story/long", "0.2.0", VERDICT_FAIL, CLAUSE_MUST);
    struct trace_entry *entries = arena_alloc(made->arena, count * sizeof *entries);
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct trace_entry){.kind = TRACE_RECEIVED,
                                          .actor = TEXT("ana"),
                                          .text = text_of(arena_format(made->arena, "message %zu.", i)),
                                          .unexpected = i == unexpected,
                                          .next = i + 1 < count ? &entries[i + 1] : NULL};
    }
    result->trace = entries;
}

Test(report_limits, a_long_transcript_keeps_its_ends_and_what_the_failure_is_about) {
    struct report_results made;
    report_results_begin(&made);
    add_long(&made, 100000, 30000);
    struct buffer out = {0};
    json_report(&out, &made.results, &made.head);
    cr_expect_lt(out.length, MEGABYTE);
    static const char *const kept[] = {"\"message 0.\"",     "\"message 499.\"",   "\"message 29750.\"",
                                       "\"message 30000.\"", "\"message 99000.\"", "\"message 99999.\""};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        cr_expect_not_null(strstr(out.bytes, kept[i]), "%s is missing", kept[i]);
    }
    cr_expect_null(strstr(out.bytes, "\"message 500.\""));
    cr_expect_not_null(strstr(out.bytes, "\"left_out\":29250"), "the gap is not named");
    buffer_free(&out);
    report_results_end(&made);
}

Test(report_limits, a_long_block_is_cut_between_lines_in_its_middle) {
    struct report_results made;
    report_results_begin(&made);
    add_long(&made, 5000, 10);
    struct buffer whole = {0}, cut = {0};
    report_block(&whole, &made.cases[0], &made.head, SIZE_MAX);
    report_block(&cut, &made.cases[0], &made.head, 4096);
    cr_expect(cut.length <= 4096 && cut.length > 3800, "%zu bytes", cut.length);
    const char *note = strstr(cut.bytes, "   … ");
    cr_assert_not_null(note);
    size_t left_out = strtoull(note + strlen("   … "), NULL, 10), head = (size_t)(note - cut.bytes);
    const char *rest = strchr(note, '\n') + 1;
    size_t tail = cut.length - (size_t)(rest - cut.bytes);
    cr_expect_eq(head + left_out + tail, whole.length);
    cr_expect(memcmp(cut.bytes, whole.bytes, head) == 0 && note[-1] == '\n');
    cr_expect_str_eq(rest, whole.bytes + whole.length - tail);
    cr_expect_eq(whole.bytes[whole.length - tail - 1], '\n');
    buffer_free(&cut);
    buffer_free(&whole);
    report_results_end(&made);
}

Test(report_limits, once_the_report_is_full_transcripts_and_then_cases_are_left_out) {
    struct report_results made;
    report_results_begin(&made);
    for (int i = 0; i < 20; i++) {
        add_long(&made, 10, 3);
    }
    report_results_add(&made, "join/fresh", "0.2.0", VERDICT_PASS, CLAUSE_MUST);
    struct buffer out = {0};
    json_report_within(
        &out, &made.results, &made.head,
        &(struct json_limits){.what = VISIBLE_BYTES, .text = 100, .entries = 10, .traces = 3000, .cases = 8000});
    size_t traces = 0, cases = 0;
    for (const char *at = out.bytes; (at = strstr(at, "\"trace\":")) != NULL; at++) {
        traces++;
    }
    for (const char *at = out.bytes; (at = strstr(at, "{\"name\":")) != NULL; at++) {
        cases++;
    }
    cr_expect(traces > 0 && traces < cases && cases < 21, "%zu traces, %zu cases", traces, cases);
    char left_out[40];
    snprintf(left_out, sizeof left_out, "\"left_out\":%zu,\"us\"", 21 - cases);
    cr_expect_not_null(strstr(out.bytes, left_out));
    cr_expect_lt(out.length, 12000);
    buffer_free(&out);
    report_results_end(&made);
}

Test(report_limits, a_summary_stays_below_what_github_takes) {
    struct report_results made;
    report_results_begin(&made);
    struct case_result *cases = calloc(5000, sizeof *cases);
    add_large(&made);
    for (size_t i = 0; i < 5000; i++) {
        cases[i] = made.cases[0];
    }
    made.results.cases = cases;
    made.results.count = made.results.failed = 5000;
    struct buffer out = {0};
    markdown_report(&out, &made.results, &made.head);
    cr_expect_lt(out.length, MEGABYTE, "%zu bytes", out.length);
    cr_expect_not_null(strstr(out.bytes, "more does not fit"));
    cr_expect_not_null(strstr(out.bytes, "and 4800 more"));
    buffer_free(&out);
    free(cases);
    report_results_end(&made);
}
