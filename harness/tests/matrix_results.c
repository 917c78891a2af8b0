#include "harness/tests/matrix_results.h"

#include <string.h>

#include "harness/tests/report_results.h"

static const char *const both[] = {"0.1.1", "0.2.0"}, *const store[] = {"store"};

enum { JOIN_DELTA, JOIN_SHOULD, JOIN_SCHEMA, SIGNAL_TO, SIGNAL_NOBODY, HISTORY_DENSE, STORE_AUTH };

static void make_clauses(struct matrix_results *made) {
    struct clause clauses[] = {
        {.id = "join.delta", .area = "join", .text = "A returning client gets what it missed.", .level = CLAUSE_MUST},
        {.id = "join.polite", .area = "join", .text = "It is told politely.", .level = CLAUSE_SHOULD},
        {.id = "join.schema", .area = "join", .text = "An old schema is refused.", .level = CLAUSE_MUST, .since = "0.2.0"},
        {.id = "signal.to", .area = "signal", .text = "A signal goes to whom it names.", .level = CLAUSE_MUST},
        {.id = "signal.nobody", .area = "signal", .text = "A signal to nobody goes nowhere.", .level = CLAUSE_MAY},
        {.id = "history.dense", .area = "history", .text = "There is no hole in what was told.", .level = CLAUSE_MUST},
        {.id = "store.auth", .area = "store", .text = "Who has no secret gets nothing.", .level = CLAUSE_MUST, .profile = "store"}};
    memcpy(made->clauses, clauses, sizeof clauses);
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        made->clause_list[i] = &made->clauses[i];
    }
}

static void make_scenario(struct matrix_results *made, size_t index, const char *name, size_t clause, size_t other) {
    struct scenario *scenario = arena_alloc(made->arena, sizeof *scenario);
    scenario->name = name;
    scenario->file = arena_format(made->arena, "scenarios/%s.yaml", name);
    scenario->title = text_of(arena_format(made->arena, "What %s shows", name));
    scenario->clauses = arena_alloc(made->arena, 2 * sizeof *scenario->clauses);
    scenario->clauses[scenario->clause_count++] = &made->clauses[clause];
    if (other != clause) {
        scenario->clauses[scenario->clause_count++] = &made->clauses[other];
    }
    made->scenarios[index] = scenario;
}

static void make_scenarios(struct matrix_results *made) {
    make_scenario(made, 0, "join/delta", JOIN_DELTA, JOIN_DELTA);
    make_scenario(made, 1, "join/fresh", JOIN_DELTA, JOIN_DELTA);
    make_scenario(made, 2, "join/polite", JOIN_SHOULD, JOIN_SHOULD);
    make_scenario(made, 3, "join/schema", JOIN_SCHEMA, JOIN_SCHEMA);
    make_scenario(made, 4, "signal/to", SIGNAL_TO, SIGNAL_TO);
    make_scenario(made, 5, "signal/to-nobody", SIGNAL_TO, SIGNAL_NOBODY);
    make_scenario(made, 6, "store/auth", STORE_AUTH, STORE_AUTH);
    made->matrix.scenario_count = 7;
}

static struct matrix_run *make_run(struct matrix_results *made, const char *name, const char *transport, const char *const *profiles,
                                   size_t profile_count) {
    struct matrix_run *run = &made->runs[made->matrix.run_count];
    *run = (struct matrix_run){.name = name,
                               .transport = transport,
                               .profiles = profiles,
                               .profile_count = profile_count,
                               .of_store = strcmp(profiles[0], "store") == 0,
                               .results = {.cases = made->cases[made->matrix.run_count], .duration_us = 1234567},
                               .head = {.version = "0.1.0",
                                        .target = "exec:./their-adapter",
                                        .profiles = profiles,
                                        .profile_count = profile_count,
                                        .seed = 42,
                                        .program = "meshspec",
                                        .arguments = "--target exec:./their-adapter"}};
    made->matrix.run_count++;
    return run;
}

static struct case_result *add(struct matrix_results *made, struct matrix_run *run, size_t scenario, const char *profile,
                               enum verdict verdict) {
    struct case_result *result = &run->results.cases[run->results.count++];
    *result = (struct case_result){.scenario = made->scenarios[scenario],
                                   .profile = profile,
                                   .target = run->head.target,
                                   .verdict = verdict,
                                   .duration_us = 1500,
                                   .plays = 1};
    run->results.passed += verdict == VERDICT_PASS;
    run->results.failed += verdict == VERDICT_FAIL;
    run->results.skipped += verdict == VERDICT_SKIP;
    run->results.errors += verdict == VERDICT_ERROR;
    run->results.xfailed += verdict == VERDICT_XFAIL;
    return result;
}

static void fail(struct matrix_results *made, struct case_result *result) {
    struct difference *difference = arena_alloc(made->arena, sizeof *difference);
    *difference = (struct difference){TEXT("mode"), TEXT("\"delta\""), TEXT("\"snapshot\""), 7, 26, NULL};
    result->failure = (struct failure){.message = TEXT("ana got another message than the step says"),
                                       .line = 7,
                                       .column = 5,
                                       .wanted = TEXT("{\"t\":\"welcome\",\"mode\":\"delta\"}"),
                                       .came = TEXT("{\"t\":\"welcome\",\"mode\":\"snapshot\"}"),
                                       .actor = TEXT("ana"),
                                       .differences = difference};
}

static void make_good(struct matrix_results *made) {
    struct matrix_run *run = make_run(made, "our relay", "memory", both, 2);
    for (size_t p = 0; p < 2; p++) {
        for (size_t i = 0; i < 6; i++) {
            if (i != 3 || p == 1) {
                add(made, run, i, both[p], VERDICT_PASS);
            }
        }
    }
}

/* One of two fails for a MUST, a SHOULD fails, one is known to fail, one breaks the history, one is an error, one is skipped. */
static void make_bad(struct matrix_results *made) {
    struct matrix_run *run = make_run(made, "their relay", "ws", both + 1, 1);
    struct case_result *result = add(made, run, 0, "0.2.0", VERDICT_FAIL);
    fail(made, result);
    add(made, run, 1, "0.2.0", VERDICT_PASS);
    fail(made, add(made, run, 2, "0.2.0", VERDICT_FAIL));
    run->results.warnings++;
    result = add(made, run, 3, "0.2.0", VERDICT_XFAIL);
    fail(made, result);
    result->known = "they have no schemas";
    result = add(made, run, 4, "0.2.0", VERDICT_FAIL);
    result->failure = (struct failure){.message = TEXT("the whole run breaks history.dense: seq 2 came twice"), .rule = "history.dense"};
    add(made, run, 5, "0.2.0", VERDICT_ERROR)->reason = TEXT("the relay died");
    add(made, run, 1, "0.2.0", VERDICT_SKIP)->reason = TEXT("needs \"clock\", which the target does not offer");
}

void matrix_results_begin(struct matrix_results *made) {
    *made = (struct matrix_results){.arena = arena_new()};
    make_clauses(made);
    make_scenarios(made);
    made->matrix = (struct matrix){.title = "Ours and theirs",
                                   .version = "0.1.0",
                                   .started = "2026-02-03T04:05:06Z",
                                   .clauses = made->clause_list,
                                   .clause_count = 7,
                                   .scenarios = made->scenarios,
                                   .scenario_count = 7,
                                   .runs = made->runs};
    make_good(made);
    make_bad(made);
    make_run(made, "npm relay", "adapter", both + 1, 1)->unavailable = "it needs node, which is not there";
    struct matrix_run *url = make_run(made, "our relay", "", both + 1, 1);
    add(made, url, 0, "0.2.0", VERDICT_SKIP)->reason = TEXT("a relay behind a URL takes no options");
    add(made, url, 4, "0.2.0", VERDICT_PASS);
    add(made, url, 5, "0.2.0", VERDICT_SKIP)->reason = TEXT("a relay behind a URL takes no options");
    add(made, make_run(made, "our store", "http", store, 1), 6, "store", VERDICT_PASS);
}

void matrix_results_be_nasty(struct matrix_results *made) {
    static const char *const profiles[] = {"0.2.0"};
    static const char nasty[] = "\"></a></title><script>alert(1)</script><!-- | ` & ' \\ [x](y) \x1b[31m \xff \xe2\x80\xae \nnext";
    made->matrix.title = made->matrix.only = nasty;
    struct matrix_run *run = &made->runs[1];
    run->name = run->transport = run->head.target = run->head.arguments = run->ended_badly = nasty;
    run->profiles = profiles;
    made->runs[2].unavailable = nasty;
    made->runs[3].results.cases[0].reason = report_nasty_text;
    made->scenarios[0]->title = report_nasty_text;
    made->scenarios[0]->file = nasty;
    made->clauses[JOIN_DELTA].text = nasty;
    struct case_result *result = &run->results.cases[0];
    result->failure.message = result->failure.wanted = result->failure.came = report_nasty_text;
    result->failure.differences->path = result->failure.differences->wanted = result->failure.differences->came = report_nasty_text;
    run->results.cases[3].known = nasty;
}

void matrix_results_end(struct matrix_results *made) {
    arena_free(made->arena);
}
