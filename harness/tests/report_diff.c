/* What became of a case, for every outcome before and after; and how that is shown. */
#include <criterion/criterion.h>
#include <string.h>

#include "harness/diff/diff.h"
#include "harness/tests/report_results.h"

#define OUTCOMES (DIFF_ERROR + 1)

static struct diff_case made_case(const char *name, enum diff_outcome outcome, const char *reason) {
    return (struct diff_case){.name = text_of(name),
                              .profile = TEXT("0.2.0"),
                              .target = TEXT("memory"),
                              .outcome = outcome,
                              .reason = text_of(reason),
                              .gist = text_of(reason)};
}

static enum diff_kind became(const struct diff_case *before, const struct diff_case *after) {
    struct diff_report old = {.cases = (struct diff_case *)before, .count = before != NULL};
    struct diff_report young = {.cases = (struct diff_case *)after, .count = after != NULL};
    struct diff diff = diff_compare(&old, &young);
    cr_assert_eq(diff.count, 1);
    enum diff_kind kind = diff.changes[0].kind;
    cr_expect_eq(diff.counts[kind], 1);
    cr_expect_eq(diff_worse(&diff), kind <= DIFF_LAST_WORSE);
    diff_free(&diff);
    return kind;
}

/* The whole table, one letter a kind; rows are what was, columns what is: pass xpass xfail remark warning skip fail
 * error. */
Test(report_diff, every_turn_of_a_case_has_its_kind) {
    static const char letters[DIFF_KIND_COUNT + 1] = "FEWSGfjn_kc=";
    static const char *const wanted[OUTCOMES + 1] = {
        "=ckcWSFE", /* pass */
        "c=kcWSFE", /* xpass */
        "ff=cWSFE", /* xfail */
        "ffk=WSFE", /* remark */
        "ffkc=SFE", /* warning */
        "jjkcW=FE", /* skip */
        "ffkccc=E", /* fail */
        "ffkcccF=", /* error */
        "nnnnWnFE"  /* not there */
    };
    for (int before = 0; before <= OUTCOMES; before++) {
        for (int after = 0; after < OUTCOMES; after++) {
            struct diff_case old = made_case("join/x", (enum diff_outcome)before, "why"),
                             young = made_case("join/x", (enum diff_outcome)after, "why");
            char came = letters[became(before == OUTCOMES ? NULL : &old, &young)];
            cr_expect_eq(came, wanted[before][after], "from %d to %d: wanted %c, came %c", before, after,
                         wanted[before][after], came);
        }
    }
}

Test(report_diff, a_case_that_is_gone_is_worse_only_when_it_passed) {
    static const char wanted[OUTCOMES] = {DIFF_GONE,           DIFF_GONE,           DIFF_GONE_OTHERWISE,
                                          DIFF_GONE_OTHERWISE, DIFF_GONE_OTHERWISE, DIFF_GONE_OTHERWISE,
                                          DIFF_GONE_OTHERWISE, DIFF_GONE_OTHERWISE};
    for (int before = 0; before < OUTCOMES; before++) {
        struct diff_case old = made_case("join/x", (enum diff_outcome)before, "why");
        cr_expect_eq(became(&old, NULL), (enum diff_kind)wanted[before], "from %d", before);
    }
}

Test(report_diff, another_reason_is_a_change) {
    struct diff_case old = made_case("join/x", DIFF_FAIL, "ana got nothing"),
                     young = made_case("join/x", DIFF_FAIL, "ben got nothing");
    cr_expect_eq(became(&old, &young), DIFF_CHANGED);
}

Test(report_diff, targets_count_only_where_a_report_has_several) {
    struct diff_case old[2] = {made_case("join/x", DIFF_PASS, ""), made_case("join/x", DIFF_FAIL, "why")},
                     young = made_case("join/x", DIFF_FAIL, "why");
    old[1].target = TEXT("websocket");
    young.target = TEXT("websocket");
    struct diff_report before = {.cases = old, .count = 1}, after = {.cases = &young, .count = 1};
    struct diff diff = diff_compare(&before, &after);
    cr_expect_eq(diff.counts[DIFF_NEWLY_FAILING], 1);
    diff_free(&diff);
    before.count = 2;
    before.several_targets = true;
    diff = diff_compare(&before, &after);
    cr_expect_eq(diff.counts[DIFF_SAME], 1);
    cr_expect_eq(diff.counts[DIFF_GONE], 1);
    diff_free(&diff);
}

/* ---- what is shown ---- */

static void compare_all(void (*show)(struct buffer *out, const struct diff *diff), const char *golden) {
    struct diff_case old[] = {made_case("eject/order", DIFF_FAIL, "ana got nothing"),
                              made_case("fold/null", DIFF_PASS, ""),
                              made_case("join/fresh", DIFF_PASS, ""),
                              made_case("join/gone", DIFF_PASS, ""),
                              made_case("join/gone-bad", DIFF_FAIL, "ben got nothing"),
                              made_case("join/other", DIFF_FAIL, "ana got nothing"),
                              made_case("join/same", DIFF_FAIL, "ana got nothing"),
                              made_case("leave/ghost", DIFF_PASS, ""),
                              made_case("rate/burst", DIFF_SKIP, "needs \"clock\""),
                              made_case("rate/refill", DIFF_PASS, ""),
                              made_case("seq/dense", DIFF_FAIL, "seq 2 came twice")};
    struct diff_case young[] = {made_case("eject/order", DIFF_XFAIL, "known to fail: later"),
                                made_case("fold/new", DIFF_PASS, ""),
                                made_case("fold/null", DIFF_ERROR, "the target ended"),
                                made_case("join/fresh", DIFF_FAIL, "mode: wanted <a> | b, came `c`"),
                                made_case("join/other", DIFF_FAIL, "ana got something else"),
                                made_case("join/same", DIFF_FAIL, "ana got nothing"),
                                made_case("leave/ghost", DIFF_WARNING, "a ghost"),
                                made_case("rate/burst", DIFF_PASS, ""),
                                made_case("rate/refill", DIFF_SKIP, "needs \"clock\""),
                                made_case("seq/dense", DIFF_PASS, "")};
    young[4].reason = report_nasty_text;
    struct diff_report before = {.file = "old.json",
                                 .target = TEXT("ws://127.0.0.1:7000/"),
                                 .started = TEXT("2026-02-03T04:05:06Z"),
                                 .cases = old,
                                 .count = 11};
    struct diff_report after = {.file = "new.json",
                                .target = TEXT("ws://127.0.0.1:7001/"),
                                .strict = true,
                                .cases = young,
                                .count = 10,
                                .left_out = 3};
    struct diff diff = diff_compare(&before, &after);
    struct buffer out = {0};
    show(&out, &diff);
    report_expect_golden(golden, &out);
    buffer_free(&out);
    diff_free(&diff);
}

Test(report_diff, printed) {
    compare_all(diff_print, "diff.txt");
}

Test(report_diff, markdown) {
    compare_all(diff_markdown, "diff.md");
}
