/*
 * A run: every chosen scenario in every chosen profile against one subject, one case after another.
 */
#ifndef MESHSPEC_SUITE_H
#define MESHSPEC_SUITE_H

#include "harness/run/case.h"
#include "harness/run/known.h"
#include "harness/run/subject.h"

struct suite_settings {
    const char *const *profiles; /* at least one */
    size_t profile_count;
    const char *only; /* a glob over scenario names; NULL: all */
    struct run_clock clock;
    uint64_t seed;
    unsigned race_rounds;
    bool real_time;
    unsigned rerun;      /* how often a failing case is run again, to tell a stable failure from a flaky one */
    struct known *known; /* NULL: none */
    bool whole;          /* the whole suite is run: a line of the list that means no case is then a fault */
    uint64_t nonce; /* goes into the suffixes: different for every run against a living relay */
};

struct suite_results {
    struct case_result *cases; /* in the order in which they ran */
    size_t count;
    size_t passed, failed, skipped, errors, xfailed, xpassed;
    size_t flaky;    /* of the failed: those that passed when run again */
    const struct known *unmatched; /* the list, when lines of it mean no case; NULL */
    size_t warnings; /* of the failed: those whose strongest clause is a SHOULD */
    size_t remarks;  /* of the failed: those whose strongest clause is a MAY */
    int64_t duration_us;
};

/* Told about each case as it begins (`result` NULL) and ends. */
typedef void suite_watch(void *context, size_t done, size_t all, const struct scenario *scenario, const struct case_result *result);

/* A watch for those who only want the results. */
void suite_watch_nothing(void *context, size_t done, size_t all, const struct scenario *scenario, const struct case_result *result);

/* How many cases the settings choose. */
size_t suite_size(const struct scenario_set *set, const struct suite_settings *settings);

/*
 * Runs them. When the target does not answer at all, every case is an error with that reason and none is played. Free with suite_results_free.
 */
struct suite_results suite_run(const struct scenario_set *set, const struct subject *subject, const struct suite_settings *settings,
                               suite_watch *watch, void *context);

void suite_results_free(struct suite_results *results);

/* The strongest level among a scenario's clauses. FREE counts as MUST: that others are undisturbed is not free. */
enum clause_level scenario_level(const struct scenario *scenario);

/* Whether this case fails the run: a failing MUST, with `strict` also a SHOULD, or a pass that a list says fails. */
bool case_counts(const struct case_result *result, bool strict);

/* How many cases came to a judgement: neither skipped nor errors. */
size_t suite_judged(const struct suite_results *results);

/* The exit status: 0 all as expected, 1 some failed, 3 nothing could be judged or some cases were errors. */
enum error_code suite_exit(const struct suite_results *results, bool strict);

#endif
