#include "harness/tests/report_results.h"

#include "harness/base/file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct text report_nasty_text = TEXT(
    "]]> </script><script>alert(1)</script> <!-- --> & \" ' \\ | ` ``` # TODO ${x} \x00 \x1b[31m \x7f \xc2\x9b "
    "\xed\xa0\xbd "
    "\xed\xb0\x80 \xff\xc3( \xc0\xaf \xe2\x80\xa8 \xe2\x80\xae \xef\xbf\xbe \xf0\x9f\x98\x80 \xc3\xa4\r\nnext\tline");

void report_results_begin(struct report_results *made) {
    static const char *const profiles[] = {"0.1.1", "0.2.0"};
    *made = (struct report_results){.arena = arena_new()};
    made->results.cases = made->cases;
    made->results.duration_us = 1234567;
    made->head = (struct report_head){.version = "0.1.0",
                                      .target = "ws://127.0.0.1:7000/relay",
                                      .profiles = profiles,
                                      .profile_count = 2,
                                      .seed = 42,
                                      .started = "2026-02-03T04:05:06Z",
                                      .program = "meshspec",
                                      .arguments = "--target ws://127.0.0.1:7000/relay"};
}

void report_results_end(struct report_results *made) {
    arena_free(made->arena);
}

static void count(struct suite_results *results, enum verdict verdict, enum clause_level level) {
    results->count++;
    results->passed += verdict == VERDICT_PASS;
    results->failed += verdict == VERDICT_FAIL;
    results->skipped += verdict == VERDICT_SKIP;
    results->errors += verdict == VERDICT_ERROR;
    results->xfailed += verdict == VERDICT_XFAIL;
    results->xpassed += verdict == VERDICT_XPASS;
    results->warnings += verdict == VERDICT_FAIL && level == CLAUSE_SHOULD;
    results->remarks += verdict == VERDICT_FAIL && level == CLAUSE_MAY;
}

struct case_result *report_results_add(struct report_results *made, const char *name, const char *profile,
                                       enum verdict verdict, enum clause_level level) {
    struct arena *arena = made->arena;
    struct clause *clause = arena_alloc(arena, sizeof *clause);
    size_t area = strcspn(name, "/");
    *clause = (struct clause){.id = arena_format(arena, "%.*s.rule", (int)area, name),
                              .area = arena_copy(arena, name, area),
                              .text = "What a relay has to do here.",
                              .level = level};
    struct scenario *scenario = arena_alloc(arena, sizeof *scenario);
    scenario->file = arena_format(arena, "scenarios/%s.yaml", name);
    scenario->name = name;
    scenario->title = text_of(arena_format(arena, "What %s shows", name));
    scenario->clauses = arena_alloc(arena, sizeof *scenario->clauses);
    scenario->clauses[0] = clause;
    scenario->clause_count = 1;
    cr_assert_lt(made->results.count, REPORT_RESULTS_CEILING);
    struct case_result *result = &made->cases[made->results.count];
    count(&made->results, verdict, level);
    *result = (struct case_result){.scenario = scenario,
                                   .profile = profile,
                                   .target = "ws://127.0.0.1:7000/relay",
                                   .verdict = verdict,
                                   .duration_us = 1500,
                                   .seed = 42,
                                   .plays = 1};
    return result;
}

struct trace_entry *report_results_trace(struct report_results *made, struct case_result *result, enum trace_kind kind,
                                         const char *actor, struct text text) {
    struct trace_entry *entry = arena_alloc(made->arena, sizeof *entry), **end = &result->trace;
    int64_t elapsed = 0;
    for (; *end != NULL; end = &(*end)->next) {
        elapsed = (*end)->elapsed_us + 250;
    }
    *entry = (struct trace_entry){
        .kind = kind, .elapsed_us = elapsed, .actor = text_of(actor), .connection = 1, .text = text};
    *end = entry;
    return entry;
}

static void add_failure(struct report_results *made, struct case_result *result) {
    struct difference *difference = arena_alloc(made->arena, 2 * sizeof *difference);
    difference[0] =
        (struct difference){TEXT("mode"), TEXT("\"snapshot\""), TEXT("\"up-to-date\""), 7, 26, &difference[1]};
    difference[1] = (struct difference){TEXT("seq"), TEXT("a number above 3"), TEXT("0"), 8, 9, NULL};
    result->failure =
        (struct failure){.message = TEXT("ana got another message than the step says"),
                         .line = 7,
                         .column = 5,
                         .wanted = TEXT("{\"t\":\"welcome\",\"mode\":\"snapshot\",\"seq\":{\"$gt\":3}}"),
                         .came = TEXT("{\"t\":\"welcome\",\"room\":\"r\",\"seq\":0,\"mode\":\"up-to-date\"}"),
                         .actor = TEXT("ana"),
                         .differences = difference};
    report_results_trace(made, result, TRACE_CONNECTED, "ana", TEXT("ana"))->line = 6;
    report_results_trace(made, result, TRACE_SENT, "ana",
                         TEXT("{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"ana\",\"proto\":1}"))
        ->line = 6;
    report_results_trace(made, result, TRACE_CONTROL, "clock", TEXT("advances by 500 ms"));
    report_results_trace(made, result, TRACE_RECEIVED, "ana", result->failure.came)->unexpected = true;
    report_results_trace(made, result, TRACE_CLOSED, "ana", TEXT(""));
}

/* A failure of the whole run, not of a step; the race's order came from the seed. */
static void add_breach(struct report_results *made) {
    struct case_result *result = report_results_add(made, "seq/order", "0.1.1", VERDICT_FAIL, CLAUSE_MUST);
    result->failure.message = TEXT("the whole run breaks history.dense: seq 2 came twice");
    result->failure.rule = "history.dense";
    result->seeded = true;
    result->plays = 10;
    result->runs = 4;
    result->failed_runs = 2;
    made->results.flaky = 1;
    report_results_trace(made, result, TRACE_SENT, "ben",
                         TEXT("{\"t\":\"env\",\"room\":\"r\",\"env\":{\"seq\":2,\"ops\":[]}}"));
}

void report_results_usual(struct report_results *made) {
    add_breach(made);
    report_results_add(made, "join/fresh", "0.2.0", VERDICT_PASS, CLAUSE_MUST);
    add_failure(made, report_results_add(made, "join/snapshot", "0.2.0", VERDICT_FAIL, CLAUSE_MUST));
    add_failure(made, report_results_add(made, "leave/no-ghost", "0.2.0", VERDICT_FAIL, CLAUSE_SHOULD));
    add_failure(made, report_results_add(made, "join/takeover-writer", "0.2.0", VERDICT_FAIL, CLAUSE_MAY));
    report_results_add(made, "rate/refill", "0.2.0", VERDICT_SKIP, CLAUSE_MUST)->reason =
        TEXT("needs \"clock\", which the target does not offer");
    report_results_add(made, "rate/burst", "0.2.0", VERDICT_SKIP, CLAUSE_MUST)->reason =
        TEXT("needs \"clock\", which the target does not offer");
    report_results_add(made, "hydrate/fresh", "0.2.0", VERDICT_ERROR, CLAUSE_MUST)->reason =
        TEXT("the target ended with status 139");
    struct case_result *known = report_results_add(made, "eject/order", "0.2.0", VERDICT_XFAIL, CLAUSE_MUST);
    known->known = "waits for release 2 of the relay";
    add_failure(made, known);
    report_results_add(made, "eject/rate", "0.2.0", VERDICT_XPASS, CLAUSE_MUST)->known =
        "waits for release 1 of the relay";
    made->lines[0] = (struct known_line){"fold/*", "has been so for ever", 3, false};
    made->lines[1] = (struct known_line){"eject/order", "waits for release 2 of the relay", 4, true};
    made->known = (struct known){.lines = made->lines, .count = 2};
    made->results.unmatched = &made->known;
}

void report_results_nasty(struct report_results *made) {
    struct case_result *result = report_results_add(made, "frame/nasty", "0.2.0", VERDICT_FAIL, CLAUSE_MUST);
    struct difference *difference = arena_alloc(made->arena, sizeof *difference);
    *difference = (struct difference){report_nasty_text, report_nasty_text, report_nasty_text, 1, 1, NULL};
    result->failure = (struct failure){.message = report_nasty_text,
                                       .line = 1,
                                       .column = 1,
                                       .wanted = report_nasty_text,
                                       .came = report_nasty_text,
                                       .actor = report_nasty_text,
                                       .differences = difference};
    report_results_trace(made, result, TRACE_RECEIVED, "ana", report_nasty_text)->unexpected = true;
    report_results_trace(made, result, TRACE_CLOSED, "ana", (struct text){NULL, 0});
    ((struct scenario *)result->scenario)->title = report_nasty_text;
    report_results_add(made, "frame/nasty-skip", "0.2.0", VERDICT_SKIP, CLAUSE_MUST)->reason = report_nasty_text;
    report_results_add(made, "frame/nasty-error", "0.2.0", VERDICT_ERROR, CLAUSE_MUST)->reason = report_nasty_text;
}

void report_expect_golden(const char *name, const struct buffer *came) {
    char file[256];
    snprintf(file, sizeof file, "fixtures/golden/reports/%s", name);
    if (getenv("MESHSPEC_UPDATE_GOLDEN") != NULL) {
        FILE *out = fopen(file, "wb");
        cr_assert_not_null(out, "%s cannot be written", file);
        fwrite(came->bytes, 1, came->length, out);
        fclose(out);
        return;
    }
    struct arena *arena = arena_new();
    struct error error = {0};
    struct text golden;
    cr_assert(file_read(arena, file, (size_t)16 << 20, &golden, &error), "%s", error.text);
    size_t same = 0;
    while (same < golden.length && same < came->length && golden.bytes[same] == came->bytes[same]) {
        same++;
    }
    cr_assert(same == golden.length && same == came->length, "%s differs from what came at byte %zu:\n%.*s", file, same,
              (int)(came->length - same < 400 ? came->length - same : 400), came->bytes + same);
    arena_free(arena);
}
