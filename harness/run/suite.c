#include "harness/run/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/base/memory.h"

static bool is_chosen(const struct scenario *scenario, const char *profile, const char *only) {
    return (only == NULL || text_glob(only, text_of(scenario->name))) && scenario_in_profile(scenario, profile);
}

void suite_watch_nothing(void *context, size_t done, size_t all, const struct scenario *scenario, const struct case_result *result) {
    (void)context;
    (void)done;
    (void)all;
    (void)scenario;
    (void)result;
}

size_t suite_size(const struct scenario_set *set, const struct suite_settings *settings) {
    size_t size = 0;
    for (size_t p = 0; p < settings->profile_count; p++) {
        for (size_t i = 0; i < set->count; i++) {
            size += is_chosen(set->scenarios[i], settings->profiles[p], settings->only);
        }
    }
    return size;
}

enum clause_level scenario_level(const struct scenario *scenario) {
    enum clause_level level = CLAUSE_MAY;
    for (size_t i = 0; i < scenario->clause_count; i++) {
        enum clause_level one = scenario->clauses[i]->level == CLAUSE_FREE ? CLAUSE_MUST : scenario->clauses[i]->level;
        level = one < level ? one : level;
    }
    return level;
}

bool case_counts(const struct case_result *result, bool strict) {
    enum clause_level level = scenario_level(result->scenario);
    return result->verdict == VERDICT_XPASS ||
           (result->verdict == VERDICT_FAIL && (level == CLAUSE_MUST || (strict && level == CLAUSE_SHOULD)));
}

static void count(struct suite_results *results, const struct case_result *result) {
    results->passed += result->verdict == VERDICT_PASS;
    results->failed += result->verdict == VERDICT_FAIL;
    results->skipped += result->verdict == VERDICT_SKIP;
    results->errors += result->verdict == VERDICT_ERROR;
    results->xfailed += result->verdict == VERDICT_XFAIL;
    results->xpassed += result->verdict == VERDICT_XPASS;
    results->flaky += result->verdict == VERDICT_FAIL && result->failed_runs < result->runs;
    if (result->verdict == VERDICT_FAIL) {
        enum clause_level level = scenario_level(result->scenario);
        results->warnings += level == CLAUSE_SHOULD;
        results->remarks += level == CLAUSE_MAY;
    }
}

static struct case_result unreachable(struct scenario *scenario, const struct subject *subject, const char *profile, const struct error *error) {
    struct case_result result = {.scenario = scenario, .profile = profile, .target = subject->name, .verdict = VERDICT_ERROR,
                                 .arena = arena_new()};
    result.reason = text_of(arena_format(result.arena, "the target does not answer: %s", error->text));
    return result;
}

/* A passing case's transcript is of no use to a report. */
static void forget_transcript(struct case_result *result) {
    if (result->verdict == VERDICT_PASS) {
        arena_free(result->arena);
        result->arena = NULL;
        result->trace = NULL;
    }
}

/* Runs a failing case again, each time under names of its own, and counts. The first failure stays the evidence. */
static void run_again(struct scenario *scenario, const struct subject *subject, const struct case_settings *settings, unsigned times,
                      struct case_result *result) {
    result->runs = result->failed_runs = 1;
    for (unsigned i = 0; i < times; i++) {
        char suffix[80];
        snprintf(suffix, sizeof suffix, "%s-again%u", settings->suffix, i);
        struct case_settings again = *settings;
        again.suffix = suffix;
        struct case_result repeated = subject->play(subject->context, scenario, &again);
        result->runs++;
        result->failed_runs += repeated.verdict == VERDICT_FAIL;
        case_result_free(&repeated);
    }
}

/* A pass or failure in the light of the list. A target that broke in the middle of a listed case failed it, and its reason is the evidence. */
static void apply_known(struct case_result *result, struct known *known) {
    const struct known_line *line = known == NULL ? NULL : known_find(known, result->scenario->name, result->profile);
    bool broke = result->verdict == VERDICT_ERROR && result->broke;
    if (line == NULL || (result->verdict != VERDICT_FAIL && result->verdict != VERDICT_PASS && !broke)) {
        return;
    }
    if (broke) {
        result->failure = (struct failure){.message = result->reason};
    }
    result->verdict = result->verdict == VERDICT_PASS ? VERDICT_XPASS : VERDICT_XFAIL;
    result->known = line->reason;
}

static bool has_unmatched(const struct known *known) {
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        if (!known->lines[i].matched) {
            return true;
        }
    }
    return false;
}

static struct case_result run_one(struct scenario *scenario, const struct subject *subject, const struct suite_settings *settings,
                                  const char *profile, size_t number) {
    char suffix[64];
    snprintf(suffix, sizeof suffix, "%llx-%zx", (unsigned long long)settings->nonce, number);
    struct case_settings one = {.profile = profile,
                                .clock = settings->clock,
                                .seed = settings->seed,
                                .race_rounds = settings->race_rounds,
                                .real_time = settings->real_time,
                                .suffix = suffix};
    struct case_result result = subject->play(subject->context, scenario, &one);
    if (result.verdict == VERDICT_FAIL && settings->rerun > 0) {
        run_again(scenario, subject, &one, settings->rerun, &result);
    }
    apply_known(&result, settings->known);
    return result;
}

struct suite_results suite_run(const struct scenario_set *set, const struct subject *subject, const struct suite_settings *settings,
                               suite_watch *watch, void *context) {
    size_t all = suite_size(set, settings);
    struct suite_results results = {.cases = memory_zeroed(all + 1, sizeof *results.cases)};
    struct run_clock clock = settings->clock;
    int64_t began = clock.now_us(clock.context);
    struct error error = {0};
    bool reached = subject->reach(subject->context, settings->profiles[0], &error);
    for (size_t p = 0; p < settings->profile_count; p++) {
        for (size_t i = 0; i < set->count; i++) {
            struct scenario *scenario = set->scenarios[i];
            const char *profile = settings->profiles[p];
            if (!is_chosen(scenario, profile, settings->only)) {
                continue;
            }
            watch(context, results.count, all, scenario, NULL);
            struct case_result *result = &results.cases[results.count];
            *result = reached ? run_one(scenario, subject, settings, profile, results.count)
                              : unreachable(scenario, subject, profile, &error);
            results.count++;
            count(&results, result);
            watch(context, results.count, all, scenario, result);
            forget_transcript(result);
        }
    }
    results.unmatched = settings->whole && has_unmatched(settings->known) ? settings->known : NULL;
    results.duration_us = clock.now_us(clock.context) - began;
    return results;
}

void suite_results_free(struct suite_results *results) {
    for (size_t i = 0; i < results->count; i++) {
        case_result_free(&results->cases[i]);
    }
    free(results->cases);
    *results = (struct suite_results){0};
}

size_t suite_judged(const struct suite_results *results) {
    return results->passed + results->failed + results->xfailed + results->xpassed;
}

enum error_code suite_exit(const struct suite_results *results, bool strict) {
    for (size_t i = 0; i < results->count; i++) {
        if (case_counts(&results->cases[i], strict)) {
            return ERROR_FAILED;
        }
    }
    if (results->unmatched != NULL) {
        return ERROR_FAILED;
    }
    /* "Nothing could be judged" is never green. */
    return results->errors > 0 || suite_judged(results) == 0 ? ERROR_TARGET : ERROR_NONE;
}
