/*
 * Results made by hand, of every kind that a run can give, for the tests of the reports.
 */
#ifndef MESHSPEC_REPORT_RESULTS_H
#define MESHSPEC_REPORT_RESULTS_H

#include "harness/report/report.h"

#define REPORT_RESULTS_CEILING 32

struct report_results {
    struct arena *arena;
    struct case_result cases[REPORT_RESULTS_CEILING];
    struct known known;
    struct known_line lines[2];
    struct suite_results results; /* of `cases` */
    struct report_head head;
};

/* Starts with no case, in profiles 0.1.1 and 0.2.0. The structure must not be moved. */
void report_results_begin(struct report_results *made);
void report_results_end(struct report_results *made);

/* A case of an area's scenario ("join/fresh"), judged by one clause. */
struct case_result *report_results_add(struct report_results *made, const char *name, const char *profile,
                                       enum verdict verdict, enum clause_level level);

/* One line more of a case's transcript. */
struct trace_entry *report_results_trace(struct report_results *made, struct case_result *result, enum trace_kind kind,
                                         const char *actor, struct text text);

/* Every kind of outcome, with well-behaved texts. */
void report_results_usual(struct report_results *made);

/* One failing case, all of whose texts are as nasty as they come. */
void report_results_nasty(struct report_results *made);

/* Texts that break what is not careful: ends of XML sections, scripts and fences, NUL, escapes, lone surrogates, bytes
 * that are no UTF-8. */
extern const struct text report_nasty_text;

/*
 * Compares with fixtures/golden/reports/NAME; a difference fails the test. With MESHSPEC_UPDATE_GOLDEN=1 in the
 * environment the file is written anew.
 */
void report_expect_golden(const char *name, const struct buffer *came);

#endif
