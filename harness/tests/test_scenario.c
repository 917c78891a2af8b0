#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/scenario/scenario.h"
#include "harness/tests/support.h"

TestSuite(scenario, .timeout = 120);

static struct clauses *catalogue(void) {
    struct error error = {0};
    struct clauses *clauses = clauses_load("fixtures/clauses", &error);
    cr_assert_not_null(clauses, "%s", error.text);
    return clauses;
}

/* ---- files with a mistake ------------------------------------------------------------------------ */

static int is_yaml(const struct dirent *entry) {
    return text_ends_with(text_of(entry->d_name), TEXT(".yaml"));
}

/* data/bad-scenarios.txt says for each file in data/bad-scenarios/, in the same order, "FILE:LINE:COLUMN: …". */
Test(scenario, every_mistake_is_named_exactly) {
    struct arena *arena = arena_new();
    struct clauses *clauses = catalogue();
    struct text wanted;
    struct error error = {0};
    cr_assert(file_read(arena, TEST_DATA "/bad-scenarios.txt", 1 << 20, &wanted, &error), "%s", error.text);
    struct dirent **files;
    int count = scandir(TEST_DATA "/bad-scenarios", &files, is_yaml, alphasort);
    cr_assert_gt(count, 50);
    char *line = arena_copy(arena, wanted.bytes, wanted.length);
    for (int i = 0; i < count; i++) {
        char *end = strchr(line, '\n');
        cr_assert_not_null(end, "bad-scenarios.txt has no line for %s", files[i]->d_name);
        *end = '\0';
        const char *file = arena_format(arena, TEST_DATA "/bad-scenarios/%s", files[i]->d_name);
        struct error came = {0};
        struct scenario *scenario = scenario_load(file, "x", clauses, &came);
        cr_expect_null(scenario, "%s was loaded", file);
        cr_expect_eq(came.code, ERROR_USAGE);
        test_expect_text(came.text, arena_format(arena, TEST_DATA "/bad-scenarios/%s", line), file);
        scenario_free(scenario);
        free(files[i]);
        line = end + 1;
    }
    cr_expect_str_eq(line, "", "bad-scenarios.txt has lines without a file");
    free(files);
    clauses_free(clauses);
    arena_free(arena);
}

Test(scenario, a_file_that_is_not_there_is_named) {
    struct clauses *clauses = catalogue();
    struct error error = {0};
    cr_expect_null(scenario_load(TEST_DATA "/none.yaml", "none", clauses, &error));
    test_expect_text(error.text, TEST_DATA "/none.yaml: cannot be read: No such file or directory", "missing");
    scenario_free(NULL);
    clauses_free(clauses);
}

/* ---- what a good file becomes ---------------------------------------------------------------------- */

static struct scenario *load(const char *file, const char *name, const struct clauses *clauses) {
    struct error error = {0};
    struct scenario *scenario = scenario_load(file, name, clauses, &error);
    cr_assert_not_null(scenario, "%s", error.text);
    return scenario;
}

static const char *joined(struct arena *arena, const char *const *names) {
    struct buffer text = {0};
    for (; *names != NULL; names++)
        buffer_format(&text, "%s%s", text.length > 0 ? " " : "", *names);
    const char *kept = arena_copy(arena, text.bytes, text.length);
    buffer_free(&text);
    return kept;
}

Test(scenario, the_head) {
    struct clauses *clauses = catalogue();
    struct scenario *scenario = load(TEST_DATA "/good-scenarios/everything.yaml", "everything", clauses);
    test_expect_text(scenario->title.bytes, "Everything that the format knows", "title");
    cr_expect_eq(scenario->clause_count, 2);
    test_expect_text(scenario->clauses[1]->id, "join.fresh", "clause");
    cr_expect_eq(scenario->client_count, 2);
    const struct client *ana = &scenario->clients[0], *ben = &scenario->clients[1];
    cr_expect(text_equal(ana->writer, TEXT("ana")) && text_equal(ana->origin, TEXT("ana")) && ana->kind.bytes == NULL && ana->claims.bytes == NULL);
    cr_expect(text_equal(ben->writer, TEXT("wb")) && text_equal(ben->origin, TEXT("ob")) && text_equal(ben->kind, TEXT("agent")));
    cr_expect(text_equal(ben->claims, TEXT("{\"team\":[1]}")) && ben->line == 13);
    cr_expect(scenario->ignore_presence && scenario->ignore_member);
    cr_expect(scenario->free_outcome);
    cr_expect_eq(scenario->limit_ms, 2500);
    cr_expect_eq(json_get(scenario->options, "policyVersion")->number, 2);
    cr_expect(scenario_in_profile(scenario, "0.1.0") && scenario_in_profile(scenario, "0.2.0") && !scenario_in_profile(scenario, "0.9.0"));
    test_expect_text(joined(scenario->arena, scenario_needs(scenario)),
                     "options policy.acl policy.validate hydrate room commit violation clock restart binary stall fragments", "needs");
    scenario_free(scenario);
    clauses_free(clauses);
}

Test(scenario, what_is_left_out_has_its_default) {
    struct clauses *clauses = catalogue();
    struct scenario *scenario = load(TEST_DATA "/good-scenarios/plain.yaml", "plain", clauses);
    cr_expect_eq(scenario->limit_ms, SCENARIO_LIMIT_MS);
    cr_expect_not(scenario->ignore_presence || scenario->ignore_member);
    cr_expect_null(scenario->expect);
    cr_expect_not(scenario->free_outcome);
    cr_expect_null(scenario_needs(scenario)[0], "an empty map of options needs nothing");
    cr_expect(scenario_in_profile(scenario, "0.2.0"));
    cr_expect_not(scenario_in_profile(scenario, "0.1.1"), "join.reject-schema holds since 0.2.0");
    const struct step *step = &scenario->steps.steps[0];
    cr_expect(step->verb == VERB_HELLO && text_equal(step->room, TEXT("r")) && step->answers && step->fragments == 1 && !step->binary);
    cr_expect(step->as == NULL && step->origin.bytes == NULL && step->counter.length == 0);
    cr_expect(step->line == 6 && step->column == 5, "%u:%u", step->line, step->column);
    scenario_free(scenario);
    clauses_free(clauses);
}

/* Each step's verb, actor, room and argument, as they are in the file. */
static const struct {
    enum verb verb;
    const char *actor, *room, *argument;
} wanted_steps[] = {
    {VERB_CONNECTS, "ana", "r", "nothing"},
    {VERB_HELLO, "ana", "r", "nothing"},
    {VERB_HELLO, "ana", "q", "{\"seq\":1,\"schemaVersion\":{\"$absent\":true}}"},
    {VERB_WRITES, "ana", "q",
     "[{\"set\":[],\"to\":{\"v\":0}},{\"set\":[\"v\"],\"to\":1,\"was\":0},{\"delete\":[\"v\"]},{\"kind\":\"odd\"},"
     "{\"$json\":\"{\\\"kind\\\":\\\"set\\\"}\"}]"},
    {VERB_PRESENCE, "ana", "r", "nothing"},
    {VERB_PRESENCE, "ana", "r", "{\"$literal\":{\"$is\":\"nobody\"}}"},
    {VERB_SIGNAL, "ana", "r", "{\"to\":\"ben\",\"data\":[1]}"},
    {VERB_SENDS, "ana", "r", "{\"t\":\"hello\",\"room\":\"r\"}"},
    {VERB_SENDS_TEXT, "ana", "r", "\"{{room}}\""},
    {VERB_SENDS_BYTES, "ana", "r", "\"ff 00\""},
    {VERB_GETS, "ana", "r", "{\"t\":\"welcome\",\"epoch\":{\"$bind\":\"epoch\"}}"},
    {VERB_GETS_IN_ANY_ORDER, "ana", "r", "[{\"epoch\":{\"$is\":\"epoch\"}},{\"t\":{\"$any\":true}}]"},
    {VERB_QUIET, "ana", "r", "nothing"},
    {VERB_CLOSED, "ana", "r", "nothing"},
    {VERB_CLOSED, "ana", "r", "{\"code\":{\"$gte\":1000}}"},
    {VERB_LEAVES, "ana", "r", "nothing"},
    {VERB_DROPS, "ana", "r", "nothing"},
    {VERB_STALLS, "ana", "r", "nothing"},
    {VERB_RESUMES, "ana", "r", "nothing"},
    {VERB_JOINS_AS, "eve", "r", "\"ben\""},
    {VERB_HELLO, "eve", "r", "nothing"},
    {VERB_HYDRATE, "relay", "q", "{\"seq\":3,\"root\":{},\"epoch\":{\"$is\":\"epoch\"},\"schemaVersion\":1,\"journal\":[]}"},
    {VERB_ROOM, "relay", "q", "{\"seq\":3,\"members\":[]}"},
    {VERB_COMMITTED, "relay", "r", "{\"env\":{\"$exactly\":{}}}"},
    {VERB_VIOLATED, "relay", "r", "{\"$absent\":true}"},
    {VERB_RESTART, "relay", "r", "nothing"},
    {VERB_ADVANCE, "clock", "r", "\"3s\""},
    {VERB_RACE, "", "r", NULL},
    {VERB_EITHER, "", "r", NULL},
    {VERB_REPEAT, "", "r", NULL},
};

#define STEPS (sizeof(wanted_steps) / sizeof(wanted_steps[0]))

Test(scenario, every_verb_becomes_a_step) {
    struct clauses *clauses = catalogue();
    struct scenario *scenario = load(TEST_DATA "/good-scenarios/everything.yaml", "everything", clauses);
    cr_assert_eq(scenario->steps.count, STEPS);
    for (size_t i = 0; i < STEPS; i++) {
        const struct step *step = &scenario->steps.steps[i];
        cr_expect_eq(step->verb, wanted_steps[i].verb, "step %zu", i);
        cr_expect(text_equal(step->actor, text_of(wanted_steps[i].actor)), "step %zu", i);
        cr_expect(text_equal(step->room, text_of(wanted_steps[i].room)), "step %zu", i);
        cr_expect_eq(step->line, 18 + i);
        cr_expect_eq(step->node->first->key_line, 18 + i);
        if (wanted_steps[i].argument != NULL)
            test_expect_text(test_print(scenario->arena, step->argument), wanted_steps[i].argument, "argument");
    }
    const struct step *steps = scenario->steps.steps;
    test_expect_text(test_print(scenario->arena, steps[3].as), "{\"proto\":3}", "as");
    cr_expect_eq(steps[8].fragments, 3);
    cr_expect(steps[9].binary);
    cr_expect(text_equal(steps[19].origin, TEXT("oe")));
    cr_expect_not(steps[21].answers);
    cr_expect_eq(steps[26].milliseconds, 3000);
    scenario_free(scenario);
    clauses_free(clauses);
}

Test(scenario, branches_hold_steps) {
    struct clauses *clauses = catalogue();
    struct scenario *scenario = load(TEST_DATA "/good-scenarios/everything.yaml", "everything", clauses);
    const struct step *race = &scenario->steps.steps[27], *either = &scenario->steps.steps[28], *repeat = &scenario->steps.steps[29];
    cr_assert(race->branch_count == 2 && race->branches[0].count == 2 && race->branches[1].count == 1);
    cr_expect_eq(race->branches[0].steps[1].verb, VERB_PRESENCE);
    cr_expect_eq(race->branches[1].steps[0].verb, VERB_HYDRATE);
    cr_assert(either->branch_count == 2 && either->branches[1].count == 2);
    cr_expect_eq(either->branches[1].steps[0].verb, VERB_GETS);
    cr_assert(repeat->branch_count == 1 && repeat->branches[0].count == 2);
    cr_expect(repeat->times == 12 && text_equal(repeat->counter, TEXT("round")));
    cr_expect_eq(repeat->branches[0].steps[1].branches[0].steps[0].verb, VERB_QUIET);
    scenario_free(scenario);
    clauses_free(clauses);
}

Test(scenario, what_a_selftest_expects) {
    struct clauses *clauses = catalogue();
    struct scenario *scenario = load(TEST_DATA "/bad-scenarios/head-expect-elsewhere.yaml", "selftest/x", clauses);
    cr_expect(json_is_string(json_get(scenario->expect, "verdict"), "fail"));
    scenario_free(scenario);
    clauses_free(clauses);
}

/* ---- many files ---------------------------------------------------------------------------------- */

/* Version 0.9 needs what each of its verbs and options is called by. */
Test(scenario, version_three_is_read_whole) {
    static const enum verb verbs[] = {VERB_HOLDS_COMMITS, VERB_WRITES,  VERB_RELEASE,  VERB_FAIL,   VERB_DECIDES_COMMITS, VERB_UNLOAD,
                                      VERB_UNLOAD,        VERB_DROPPED, VERB_REJECTED, VERB_JOINED, VERB_STALLED,         VERB_HYDRATE};
    static const char *const needed[] = {"options", "policy.canBump", "policy.verifyCitations", "hydrate", "drop", "reject", "join",
                                         "stalled", "hold",           "unload",                 NULL};
    struct clauses *clauses = catalogue();
    struct scenario *scenario = load(TEST_DATA "/good-scenarios/version-three.yaml", "version-three", clauses);
    const size_t count = sizeof verbs / sizeof *verbs;
    cr_assert_eq(scenario->steps.count, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(scenario->steps.steps[i].verb, verbs[i], "step %zu", i);
    const struct step *steps = scenario->steps.steps;
    cr_expect(text_equal(steps[2].room, TEXT("q")) && text_equal(steps[3].room, TEXT("r")));
    cr_expect(steps[5].answers && !steps[6].answers && steps[5].argument == NULL);
    cr_expect(scenario->ignore_settled && !scenario->ignore_member);
    const char *const *needs = scenario_needs(scenario);
    for (size_t i = 0; needed[i] != NULL; i++)
        cr_expect_str_eq(needs[i], needed[i]);
    cr_expect_null(needs[sizeof needed / sizeof *needed - 1]);
    cr_expect(scenario_in_profile(scenario, "0.9") && !scenario_in_profile(scenario, "0.2.0"));
    scenario_free(scenario);
    clauses_free(clauses);
}

Test(scenario, profiles_are_known_with_their_wire_version) {
    cr_expect_str_eq(profiles_known[PROFILES_KNOWN_COUNT - 1], PROFILE_STORE);
    cr_expect_null(profiles_known[PROFILES_KNOWN_COUNT]);
    char words[100] = "";
    for (size_t i = 0; i < PROFILES_KNOWN_COUNT; i++) {
        strcat(words, i == 0 ? "" : " ");
        strcat(words, profiles_known[i]);
    }
    cr_expect_str_eq(words, PROFILES_KNOWN_WORDS);
    cr_expect(profile_wire("0.1.0") == 1 && profile_wire("0.2.0") == 1 && profile_wire("0.9") == 3 && profile_wire("0.9.1") == 3);
    cr_expect_eq(profile_wire(PROFILE_STORE), 0);
}

struct reports {
    struct arena *arena;
    struct buffer text;
};

static void note(void *context, const struct error *error) {
    struct reports *reports = context;
    buffer_format(&reports->text, "%s\n", error->text);
}

/* Loads a set and gives the names that were loaded and the messages, one a line. */
static void expect_set(const char *root, const char *const *paths, size_t count, const char *names, const char *messages) {
    struct reports reports = {.text = {0}};
    struct buffer came = {0};
    struct scenario_set set;
    buffer_string(&reports.text, "");
    buffer_string(&came, "");
    bool good = scenario_set_load(&set, root, paths, count, note, &reports);
    for (size_t i = 0; i < set.count; i++)
        buffer_format(&came, "%s\n", set.scenarios[i]->name);
    test_expect_text(came.bytes, names, "names");
    test_expect_text(reports.text.bytes, messages, "messages");
    cr_expect_eq(good, messages[0] == '\0');
    scenario_set_free(&set);
    buffer_free(&reports.text);
    buffer_free(&came);
}

#define SET TEST_DATA "/set"

Test(scenario, the_default_set_leaves_selftests_out_and_names_every_bad_file) {
    expect_set(SET, NULL, 0, "join/a\njoin/b\nz\n",
               SET "/scenarios/join/bad.yaml:1:1: the key \"title\" is missing\n" SET "/scenarios/join/worse.yaml:1:1: expected a map, came \"x\"\n");
}

Test(scenario, files_and_folders_can_be_named) {
    const char *paths[] = {SET "/scenarios/z.yaml", SET "/scenarios/join/../z.yaml", SET "/scenarios/selftest/", SET "/scenarios/join/b.yaml"};
    expect_set(SET, paths, 4, "join/b\nselftest/s\nz\n", "");
    expect_set(SET, paths + 2, 1, "selftest/s\n", "");
    const char *outside[] = {TEST_DATA "/good-scenarios/plain.yaml"};
    expect_set(SET, outside, 1, TEST_DATA "/good-scenarios/plain\n", "");
}

Test(scenario, paths_that_lead_nowhere_are_named) {
    const char *paths[] = {SET "/nothing", SET "/scenarios/empty", SET "/scenarios/z.yaml"};
    expect_set(SET, paths, 3, "z\n", SET "/nothing: there is no such file or folder\n" SET "/scenarios/empty: there is no scenario (*.yaml) here\n");
    expect_set(TEST_DATA, NULL, 0, "", TEST_DATA "/fixtures/clauses/../schemas/clauses.json: cannot be read: No such file or directory\n");
}
