#include "harness/run/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/run/probe.h"

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
    return result->verdict == VERDICT_FAIL && (level == CLAUSE_MUST || (strict && level == CLAUSE_SHOULD));
}

static void count(struct suite_results *results, const struct case_result *result) {
    results->passed += result->verdict == VERDICT_PASS;
    results->failed += result->verdict == VERDICT_FAIL;
    results->skipped += result->verdict == VERDICT_SKIP;
    results->errors += result->verdict == VERDICT_ERROR;
    if (result->verdict == VERDICT_FAIL) {
        enum clause_level level = scenario_level(result->scenario);
        results->warnings += level == CLAUSE_SHOULD;
        results->remarks += level == CLAUSE_MAY;
    }
}

static struct case_result unreachable(struct scenario *scenario, struct target *target, const char *profile, const struct error *error) {
    struct case_result result = {.scenario = scenario, .profile = profile, .target = target->name, .verdict = VERDICT_ERROR,
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

struct suite_results suite_run(const struct scenario_set *set, struct target *target, const struct suite_settings *settings,
                               suite_watch *watch, void *context) {
    size_t all = suite_size(set, settings);
    struct suite_results results = {.cases = calloc(all + 1, sizeof *results.cases)};
    struct run_clock clock = settings->clock;
    int64_t began = clock.now_us(clock.context);
    struct error error = {0};
    bool reached = results.cases != NULL &&
                   target_preflight(target, settings->profiles[0], SCENARIO_LIMIT_MS, &error) != TARGET_BROKEN;
    for (size_t p = 0; results.cases != NULL && p < settings->profile_count; p++) {
        for (size_t i = 0; i < set->count; i++) {
            struct scenario *scenario = set->scenarios[i];
            if (!is_chosen(scenario, settings->profiles[p], settings->only)) {
                continue;
            }
            char suffix[64];
            snprintf(suffix, sizeof suffix, "%llx-%zx", (unsigned long long)settings->nonce, results.count);
            struct case_settings one = {settings->profiles[p], clock, settings->seed, settings->race_rounds, suffix};
            watch(context, results.count, all, scenario, NULL);
            struct case_result *result = &results.cases[results.count];
            *result = reached ? case_run(scenario, target, &one) : unreachable(scenario, target, one.profile, &error);
            results.count++;
            count(&results, result);
            watch(context, results.count, all, scenario, result);
            forget_transcript(result);
        }
    }
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

enum error_code suite_exit(const struct suite_results *results, bool strict) {
    for (size_t i = 0; i < results->count; i++) {
        if (case_counts(&results->cases[i], strict)) {
            return ERROR_FAILED;
        }
    }
    /* "Nothing could be judged" is never green. */
    return results->errors > 0 || results->passed + results->failed == 0 ? ERROR_TARGET : ERROR_NONE;
}
