/*
 * The reference relay behind the target table.
 */
#include "harness/tests/target_support.h"

TestSuite(target_memory, .timeout = 60);

static const char hello[] = "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"%s\",\"proto\":1,\"policyVersion\":0}";
static const char write_a[] =
    "{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":1,\"origin\":\"o\",\"writer\":\"w\",\"version\":1,"
    "\"hlc\":{\"p\":1,\"l\":0},\"policyVersion\":0,\"ops\":[{\"kind\":\"set\",\"path\":[\"a\"],\"next\":1}]}}";

static void say_hello(struct target *target, int number, const char *origin) {
    char text[200];
    snprintf(text, sizeof text, hello, origin);
    send_text(target, number, text);
}

/* The next event's text, into `out`; it must be of that kind. */
static void take(struct target *target, enum target_event_kind kind, char *out, size_t capacity) {
    struct error error = {0};
    struct target_event event;
    cr_assert(target->table->next_event(target, 0, &event, &error), "nothing came");
    cr_assert(event.kind == kind, "kind %d: %.*s", (int)event.kind, (int)event.text.length, event.text.bytes);
    snprintf(out, capacity, "%s%s%.*s", event.name != NULL ? event.name : "", event.name != NULL ? " " : "",
             (int)event.text.length, event.text.bytes);
}

static void expect_text(struct target *target, enum target_event_kind kind, const char *wanted) {
    char text[2000];
    take(target, kind, text, sizeof text);
    cr_assert(contains(text, wanted), "\"%s\" is not in: %s", wanted, text);
}

static struct target *start(const char *profile) {
    struct target *target = target_memory_new();
    open_case(target, profile, 1000);
    connect_writer(target, 1, "w");
    say_hello(target, 1, "o");
    return target;
}

/* The epoch of the welcome that is the next event. */
static void take_epoch(struct target *target, char epoch[64]) {
    char text[2000];
    take(target, TARGET_MESSAGE, text, sizeof text);
    const char *start = strstr(text, "\"epoch\":\"");
    cr_assert(start != NULL && sscanf(start, "\"epoch\":\"%63[^\"]", epoch) == 1, "%s", text);
}

Test(target_memory, everything_that_a_command_causes_is_there_when_it_returns) {
    struct target *target = start("0.2.0");
    char epoch[64], text[2000], wanted[2000];
    take_epoch(target, epoch);
    expect_nothing(target, 10000);
    send_text(target, 1, write_a);
    expect_text(target, TARGET_MESSAGE, "\"seq\":1");
    take(target, TARGET_OBSERVED, text, sizeof text);
    snprintf(wanted, sizeof wanted,
             "commit {\"room\":\"r\",\"env\":{\"proto\":1,\"origin\":\"o\",\"writer\":\"w\",\"version\":1,"
             "\"hlc\":{\"p\":1,\"l\":0},\"policyVersion\":0,\"ops\":[{\"kind\":\"set\",\"path\":[\"a\"],"
             "\"next\":1}],\"seq\":1},\"state\":{\"seq\":1,\"epoch\":\"%s\",\"root\":{\"a\":1},"
             "\"schemaVersion\":0}}",
             epoch);
    cr_assert_str_eq(text, wanted);
    expect_nothing(target, 0);
    target->table->free(target);
}

Test(target_memory, a_commit_has_a_schema_version_from_0_2_0_on) {
    struct target *target = start("0.1.1");
    expect_text(target, TARGET_MESSAGE, "welcome");
    send_text(target, 1, write_a);
    expect_text(target, TARGET_MESSAGE, "\"t\":\"env\"");
    expect_text(target, TARGET_OBSERVED, "\"root\":{\"a\":1}}}");
    target->table->free(target);
}

Test(target_memory, what_it_can_depends_on_the_open_profile) {
    struct target *target = target_memory_new();
    const char *const always[] = {"barrier",   "options", "policy.acl", "policy.validate", "clock", "room",
                                  "violation", "restart", "fresh"};
    const char *const never[] = {"binary", "fragments", "abrupt", "stall", "hold", ""};
    cr_assert(target->table->can(target, "hydrate") && target->table->can(target, "commit"));
    open_case(target, "0.1.0", 1000);
    cr_assert(!target->table->can(target, "hydrate") && !target->table->can(target, "commit"));
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        cr_assert(target->table->can(target, always[i]), "%s", always[i]);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        cr_assert(!target->table->can(target, never[i]), "%s", never[i]);
    bool answer;
    struct error error = {0};
    cr_assert(target->table->hydrate(target, TEXT("r"), TEXT("{\"seq\":1}"), &answer, &error) == TARGET_NO);
    target->table->close(target);
    cr_assert(target->table->can(target, "hydrate"));
    target->table->free(target);
}

Test(target_memory, what_it_cannot_honour_is_no) {
    struct target *target = target_memory_new();
    struct error error = {0};
    cr_assert(target->table->open(target, "0.9.1", TEXT("{}"), 1000, &error) == TARGET_NO);
    EXPECT_SAYS(error, "not 0.9.1");
    cr_assert(target->table->open(target, "0.2.0", TEXT("{\"wings\":2}"), 1000, &error) == TARGET_NO);
    EXPECT_SAYS(error, "wings");
    cr_assert(target->table->open(target, "0.2.0", TEXT("{"), 1000, &error) == TARGET_NO);
    open_case(target, "0.2.0", 1000);
    struct target_principal nobody = {.writer = TEXT("")};
    cr_assert(target->table->connect(target, 1, &nobody, &error) == TARGET_NO);
    connect_writer(target, 1, "w");
    cr_assert(target->table->send(target, 1, TEXT("x"), TARGET_FRAME_BINARY, 1, &error) == TARGET_NO);
    cr_assert(target->table->send(target, 1, TEXT("x"), TARGET_FRAME_TEXT, 2, &error) == TARGET_NO);
    cr_assert(target->table->stall(target, 1, true, &error) == TARGET_NO);
    cr_assert(target->table->clock(target, TARGET_CLOCK_START - 1, &error) == TARGET_NO);
    EXPECT_SAYS(error, "never goes back");
    target->table->free(target);
}

Test(target_memory, a_violation_is_observed_and_closes) {
    struct target *target = target_memory_new();
    struct error error = {0};
    cr_assert(target->table->open(target, "0.2.0", TEXT("{\"policy\":{\"acl\":[{\"prefix\":[\"b\"],\"allow\":true}]}}"),
                                  1000, &error) == TARGET_OK,
              "%s", error.text);
    connect_writer(target, 1, "w");
    say_hello(target, 1, "o");
    expect_text(target, TARGET_MESSAGE, "welcome");
    send_text(target, 1, write_a);
    expect_text(
        target, TARGET_OBSERVED,
        "violation {\"room\":\"r\",\"violation\":{\"writer\":\"w\",\"reason\":\"can-write\",\"path\":[\"a\"]}}");
    expect_text(target, TARGET_MESSAGE, "\"t\":\"eject\"");
    expect_closed(target, 1, 0);
    expect_nothing(target, 0);
    cr_assert(target->table->disconnect(target, 1, false, &error) == TARGET_OK);
    send_text(target, 1, write_a);
    expect_nothing(target, 0);
    target->table->free(target);
}

Test(target_memory, a_disconnect_keeps_what_came_before_and_no_close_follows) {
    struct target *target = start("0.2.0");
    connect_writer(target, 2, "w");
    struct error error = {0};
    /* The second connection takes the origin over: the first one is closed, but has left by then. */
    say_hello(target, 2, "o");
    cr_assert(target->table->disconnect(target, 1, true, &error) == TARGET_OK);
    expect_text(target, TARGET_MESSAGE, "welcome");
    expect_text(target, TARGET_MESSAGE, "welcome");
    expect_nothing(target, 0);
    target->table->free(target);
}

Test(target_memory, many_connections_each_get_their_own) {
    struct target *target = start("0.2.0");
    char origin[16];
    for (int i = 2; i <= 200; i++) {
        connect_writer(target, i, "w");
        snprintf(origin, sizeof origin, "o%d", i);
        say_hello(target, i, origin);
    }
    struct error error = {0};
    struct target_event event;
    while (target->table->next_event(target, 0, &event, &error))
        ;
    send_text(target, 100, write_a);
    bool seen[201] = {false};
    for (int i = 1; i <= 200; i++) {
        do
            cr_assert(target->table->next_event(target, 0, &event, &error));
        while (event.kind == TARGET_OBSERVED);
        cr_assert(!seen[event.connection]);
        seen[event.connection] = true;
    }
    expect_text(target, TARGET_OBSERVED, "commit");
    expect_nothing(target, 0);
    target->table->free(target);
}

static void expect_room(struct target *target, const char *name, const char *wanted) {
    struct error error = {0};
    struct buffer info = {0};
    cr_assert(target->table->room(target, text_of(name), &info, &error) == TARGET_OK);
    cr_assert_str_eq(info.bytes, wanted);
    buffer_free(&info);
}

Test(target_memory, rooms_are_hydrated_and_shown) {
    struct target *target = target_memory_new();
    open_case(target, "0.2.0", 1000);
    struct error error = {0};
    bool answer = false;
    expect_room(target, "r", "null");
    cr_assert(target->table->hydrate(target, TEXT("r"), TEXT("{\"seq\":4,\"root\":{},\"epoch\":\"e\"}"), &answer,
                                     &error) == TARGET_OK);
    cr_assert(answer);
    expect_room(target, "r", "{\"seq\":4,\"members\":0,\"journal\":0}");
    cr_assert(target->table->hydrate(target, TEXT("r"), TEXT("{\"seq\":5}"), &answer, &error) == TARGET_OK);
    cr_assert(!answer);
    cr_assert(target->table->hydrate(target, TEXT("q"), TEXT("nonsense"), &answer, &error) == TARGET_OK);
    cr_assert(!answer);
    connect_writer(target, 1, "w");
    say_hello(target, 1, "o");
    expect_text(target, TARGET_MESSAGE, "\"epoch\":\"e\"");
    expect_room(target, "r", "{\"seq\":4,\"members\":1,\"journal\":0}");
    target->table->free(target);
}

Test(target_memory, the_clock_is_the_callers) {
    struct target *target = target_memory_new();
    struct error error = {0};
    cr_assert(target->table->open(target, "0.2.0", TEXT("{\"limits\":{\"maxEnvelopesPerSecond\":1}}"), 1000, &error) ==
              TARGET_OK);
    connect_writer(target, 1, "w");
    say_hello(target, 1, "o");
    expect_text(target, TARGET_MESSAGE, "welcome");
    for (int i = 0; i < 4; i++) {
        cr_assert(target->table->clock(target, TARGET_CLOCK_START + 1000 * i, &error) == TARGET_OK);
        send_text(target, 1, write_a);
        expect_text(target, TARGET_MESSAGE, "\"t\":\"env\"");
        expect_text(target, TARGET_OBSERVED, "commit");
    }
    send_text(target, 1, write_a);
    expect_text(target, TARGET_MESSAGE, "\"t\":\"env\"");
    expect_text(target, TARGET_OBSERVED, "commit");
    send_text(target, 1, write_a);
    expect_text(target, TARGET_OBSERVED, "\"reason\":\"rate\"");
    cr_assert(target->table->clock(target, TARGET_CLOCK_START, &error) == TARGET_NO);
    target->table->close(target);
    open_case(target, "0.2.0", 1000);
    cr_assert(target->table->clock(target, TARGET_CLOCK_START, &error) == TARGET_OK);
    target->table->free(target);
}

Test(target_memory, a_new_life_has_new_epochs_and_leaves_what_nobody_took) {
    struct target *target = start("0.2.0");
    char first[64], second[64], again[64];
    send_text(target, 1, write_a);
    open_case(target, "0.2.0", 1000);
    take_epoch(target, first);
    expect_text(target, TARGET_MESSAGE, "\"t\":\"env\"");
    expect_text(target, TARGET_OBSERVED, "commit");
    expect_nothing(target, 0);
    send_text(target, 1, write_a);
    expect_room(target, "r", "null");
    connect_writer(target, 2, "w");
    say_hello(target, 2, "o");
    take_epoch(target, second);
    cr_assert_str_neq(first, second);
    target->table->close(target);
    open_case(target, "0.2.0", 1000);
    expect_nothing(target, 0);
    connect_writer(target, 1, "w");
    say_hello(target, 1, "o");
    /* Every case is like the first one, to the byte. */
    take_epoch(target, again);
    cr_assert_str_eq(first, again);
    target->table->free(target);
}

Test(target_memory, names_survive_in_what_observers_say) {
    struct target *target = target_memory_new();
    open_case(target, "0.2.0", 1000);
    connect_writer(target, 1, "w\"\xc3\xa9");
    send_text(target, 1,
              "{\"t\":\"hello\",\"room\":\"\\u0000\\ud800\",\"origin\":\"o\",\"proto\":1,\"policyVersion\":0}");
    expect_text(target, TARGET_MESSAGE, "welcome");
    send_text(
        target, 1,
        "{\"t\":\"env\",\"room\":\"\\u0000\\ud800\",\"env\":{\"proto\":2,\"origin\":\"o\",\"writer\":\"x\",\"ops\":[],"
        "\"version\":1,\"hlc\":{\"p\":1,\"l\":0},\"policyVersion\":0}}");
    expect_text(target, TARGET_OBSERVED,
                "violation {\"room\":\"\\u0000\\ud800\",\"violation\":{\"writer\":\"w\\\"\xc3\xa9\"");
    target->table->free(target);
}

Test(target_memory, a_misused_target_is_a_fault_of_the_suite) {
    struct target *target = target_memory_new();
    struct error error = {0};
    struct target_principal principal = {.writer = TEXT("w")};
    cr_assert(target->table->connect(target, 1, &principal, &error) == TARGET_BROKEN);
    cr_assert(error.code == ERROR_INTERNAL);
    open_case(target, "0.2.0", 1000);
    connect_writer(target, 1, "w");
    cr_assert(target->table->connect(target, 1, &principal, &error) == TARGET_BROKEN);
    EXPECT_SAYS(error, "connected twice");
    target->table->free(target);
}

Test(target_memory, targets_are_made_by_their_name) {
    struct error error = {0};
    struct target *target = target_new("memory", &error);
    cr_assert_str_eq(target->name, "memory");
    target->table->free(target);
    target = target_new("ws://127.0.0.1:1/x", &error);
    cr_assert_str_eq(target->name, "ws://127.0.0.1:1/x");
    target->table->free(target);
    cr_assert(target_new("ws://", &error) == NULL);
    cr_assert(error.code == ERROR_USAGE);
    cr_assert(target_new("exec:false", &error) == NULL);
    cr_assert(error.code == ERROR_TARGET);
    cr_assert(target_new("memories", &error) == NULL);
    cr_assert(error.code == ERROR_USAGE);
    EXPECT_SAYS(error, "\"memories\"");
}

/* ---- 0.9 ----------------------------------------------------------------------------------------- */

static enum target_outcome command(struct target *target, const char *name, const char *fields, const char *wanted) {
    struct error error = {0};
    struct buffer answer = {0};
    enum target_outcome outcome = target->table->command(target, name, text_of(fields), &answer, &error);
    if (outcome == TARGET_OK)
        cr_expect_str_eq(answer.bytes, wanted, "%s %s: %s instead of %s", name, fields, answer.bytes, wanted);
    else
        EXPECT_SAYS(error, wanted);
    buffer_free(&answer);
    return outcome;
}

static void expect_command(struct target *target, const char *name, const char *fields, const char *wanted) {
    cr_expect(command(target, name, fields, wanted) == TARGET_OK, "%s", name);
}

/* A case of 0.9 with one member, o of w, who has been welcomed; its instance is put into `instance`. */
static struct target *start_0_9(char instance[64]) {
    struct target *target = target_memory_new();
    char text[2000];
    open_case(target, "0.9", 1000);
    connect_writer(target, 1, "w");
    send_text(target, 1, "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"o\",\"proto\":3,\"policyVersion\":0}");
    take(target, TARGET_OBSERVED, text, sizeof text);
    cr_expect_str_eq(text, "join {\"room\":\"r\",\"writer\":\"w\",\"origin\":\"o\"}");
    take(target, TARGET_MESSAGE, text, sizeof text);
    const char *at = strstr(text, "\"instance\":\"");
    cr_assert(at != NULL && sscanf(at, "\"instance\":\"%63[^\"]", instance) == 1, "%s", text);
    return target;
}

static void write_0_9(struct target *target, const char *instance, int version) {
    char text[500];
    snprintf(text, sizeof text,
             "{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":3,\"instance\":\"%s\",\"origin\":\"o\",\"writer\":\"w\",\"version\":%d,"
             "\"hlc\":{\"p\":1,\"l\":%d},\"policyVersion\":0,\"ops\":[]}}",
             instance, version, version);
    send_text(target, 1, text);
}

Test(target_memory, commits_are_held_and_decided) {
    char instance[64];
    struct target *target = start_0_9(instance);
    expect_command(target, "hold", "{}", "true");
    write_0_9(target, instance, 1);
    expect_text(target, TARGET_OBSERVED, "commit {\"room\":\"r\",\"env\":{\"proto\":3");
    expect_nothing(target, 0);
    expect_command(target, "release", "{\"room\":\"r\",\"seq\":2}", "false");
    expect_command(target, "release", "{\"room\":\"q\",\"seq\":1}", "false");
    expect_command(target, "release", "{\"room\":\"r\",\"seq\":1}", "true");
    expect_text(target, TARGET_MESSAGE, "\"seq\":1");
    expect_command(target, "unhold", "{}", "true");
    write_0_9(target, instance, 2);
    expect_text(target, TARGET_OBSERVED, "commit");
    expect_text(target, TARGET_MESSAGE, "\"seq\":2");
    target->table->free(target);
}

Test(target_memory, what_the_observers_of_0_9_see) {
    char instance[64], room[200];
    struct target *target = start_0_9(instance);
    write_0_9(target, "another", 1);
    expect_text(target, TARGET_OBSERVED, "drop {\"room\":\"r\",\"origin\":\"o\",\"version\":1,\"reason\":\"generation\"}");
    expect_text(target, TARGET_MESSAGE, "\"t\":\"drop\"");
    send_text(target, 1, "{\"t\":\"hello\",\"room\":\"q\",\"origin\":\"o\",\"proto\":1,\"policyVersion\":0}");
    expect_text(target, TARGET_MESSAGE, "\"t\":\"reject\"");
    expect_text(target, TARGET_OBSERVED, "reject {\"room\":\"q\",\"writer\":\"w\",\"reason\":\"proto\",\"expected\":3}");
    expect_command(target, "hold", "{}", "true");
    write_0_9(target, instance, 1);
    expect_text(target, TARGET_OBSERVED, "commit");
    expect_command(target, "fail", "{\"room\":\"r\",\"seq\":1}", "true");
    expect_text(target, TARGET_OBSERVED, "stalled {\"room\":\"r\",\"seq\":1}");
    snprintf(room, sizeof room, "{\"seq\":1,\"instance\":\"%s\",\"members\":1,\"journal\":1,\"stalled\":true}", instance);
    expect_room(target, "r", room);
    write_0_9(target, instance, 0);
    expect_text(target, TARGET_OBSERVED, "violation {\"room\":\"r\",\"violation\":{\"writer\":\"w\",\"reason\":\"malformed\",\"detail\":\"version\"}}");
    target->table->free(target);
}

Test(target_memory, rooms_are_unloaded) {
    char instance[64];
    struct error error = {0};
    struct target *target = start_0_9(instance);
    write_0_9(target, instance, 1);
    expect_command(target, "unload", "{\"room\":\"r\",\"discard\":false}", "false");
    cr_assert(target->table->disconnect(target, 1, false, &error) == TARGET_OK);
    expect_command(target, "unload", "{\"room\":\"r\",\"discard\":false}", "true");
    expect_room(target, "r", "null");
    expect_command(target, "unload", "{\"room\":\"r\"}", "false");
    target->table->free(target);
}

Test(target_memory, further_commands_are_of_0_9_and_a_case) {
    struct target *target = target_memory_new();
    cr_expect(command(target, "hold", "{}", "before a case was opened") == TARGET_BROKEN);
    open_case(target, "0.2.0", 1000);
    cr_expect(command(target, "hold", "{}", "does not offer `hold`") == TARGET_NO);
    cr_expect(!target->table->can(target, "hold") && !target->table->can(target, "drop"));
    open_case(target, "0.9", 1000);
    cr_expect(target->table->can(target, "hold") && target->table->can(target, "policy.canBump"));
    cr_expect(command(target, "fly", "{}", "does not offer `fly`") == TARGET_NO);
    cr_expect(command(target, "clock", "{}", "does not offer `clock`") == TARGET_NO);
    cr_expect(command(target, "release", "[]", "no JSON object") == TARGET_BROKEN);
    expect_command(target, "release", "{\"room\":\"r\",\"seq\":1.5}", "false");
    target->table->free(target);
}
