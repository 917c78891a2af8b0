/*
 * Memory that is out, in a session of 0.9: registers, drops, a cut, settling, held answers, a stall, unloading,
 * hydrating. Nothing crashes or leaks, and what the relay says afterwards is whole: a snapshot is what the journal's
 * envelopes make of an empty room.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/tests/failing_memory.h"
#include "relay-ref/tests/failing_session.h"
#include "relay-ref/tests/generation_world.h"

static struct world world;

#define OPTIONS                                                                                                        \
    "{\"journalLimit\":4,\"ejection\":\"connection\",\"limits\":{\"maxEnvelopesPerSecond\":90},\"policy\":{"           \
    "\"canBump\":{\"allow\":{\"claims\":{\"\\u0061\":1}}},\"verifyCitations\":true}}"

#define MANY_OPS                                                                                                       \
    "[{\"kind\":\"set\",\"path\":[],\"next\":{\"a\":1},\"cites\":[],\"epoch\":0},"                                     \
    "{\"kind\":\"delete\",\"path\":[\"\\u0062\",1.5],\"prev\":[1],\"cites\":[],\"epoch\":0},"                          \
    "{\"kind\":\"clear\",\"path\":[\"c\",null],\"cites\":[{\"origin\":\"\\u0061na\",\"hlc\":{\"p\":1,\"l\":1}}],"      \
    "\"epoch\":0}]"

static void release_all(void) {
    for (uint64_t seq = 1; seq < 12; seq++)
        relay_release(world.relay, (struct relay_text){"r", 1}, seq);
}

static void run_script(struct pair *ana, struct pair *ben) {
    joins(ana, "\\u0072", "\\u0061na", "");
    joins(ben, "r", "ben", "");
    submits(ana, &(struct submission){"r", "e1", "\\u0061na", "w", 1, 1, MANY_OPS, NULL});
    world.holds = true;
    submits(ben, &(struct submission){"r", "e1", "ben", "v", 3, 3, sets("[\"x\"]", "1", cites("ana", 1), 0), NULL});
    joins(ben, "r", "ben", ",\"seq\":0");
    submits(ben, &(struct submission){"r", "e1", "ben", "v", 3, 3, "[]", NULL});
    for (unsigned version = 4; version < 8; version++)
        submits(ben, &(struct submission){"r", "e1", "ben", "v", version, version,
                                          sets("[\"x\"]", "2", cites("ben", version - 1), 0), NULL});
    release_all();
    submits(ana, &(struct submission){"r", "e1", "ana", "w", 2, 20, MANY_OPS, ",\"schemaVersion\":2"});
    joins(ben, "r", "ben", "");
    release_all();
    world.holds = false;
    submits(ana, &(struct submission){"r", "e2", "ana", "w", 3, 21, "[]", ",\"schemaVersion\":2"});
    joins(ben, "q", "ben", "");
    world.holds = true;
    submits(ben, &(struct submission){"q", "e3", "ben", "v", 1, 1, sets("[\"x\"]", "1", "", 0), NULL});
    submits(ben, &(struct submission){"q", "e3", "ben", "v", 2, 2, sets("[\"x\"]", "2", "", 0), NULL});
    relay_fail(world.relay, (struct relay_text){"q", 1}, 1);
    submits(ben, &(struct submission){"q", "e3", "ben", "v", 3, 3, sets("[\"y\"]", "1", "", 7), NULL});
    drain(ben);
    pair_disconnect(ben);
    relay_unload(world.relay, (struct relay_text){"q", 1}, true);
    hydrates(&world, "h",
             "{\"seq\":2,\"registers\":[{\"path\":[1],\"siblings\":[{\"origin\":\"o\",\"hlc\":{\"p\":1,\"l\":1}}],"
             "\"water\":{\"\\u0070\":{\"p\":1,\"l\":2}},\"epoch\":2}],\"ranges\":{\"o\":[[4,5],[1,2]]},"
             "\"settled\":{\"o\":{\"p\":1,\"l\":1}},\"journal\":[{\"seq\":2}],\"instance\":\"\\u0069\"}");
    world.holds = false;
}

/* With memory at hand the script gets everywhere that it is written for. */
Test(generation_memory, the_session_is_what_it_should_be) {
    world_open(&world, RELAY_PROTOCOL_0_9, OPTIONS);
    struct pair *ana = world_client(&world, "w"), *ben = world_client(&world, "v");
    run_script(ana, ben);
    static const char *const seen[] = {"drop r ben 3 duplicate\n", "commit r seq 7 epoch e2", "commit r seq 8 epoch e2",
                                       "stalled q 1\n", "violation q v epoch-bump"};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        cr_expect_not_null(strstr(world.observed, seen[i]), "%s is not in %s", seen[i], world.observed);
    cr_expect_not_null(strstr(next_of(&world, ana, "settled"), "\"ben\":{"));
    cr_expect_eq(room_info(&world, "h").journal, 1);
    cr_expect_eq(room_info(&world, "q").seq, 0, "it was unloaded");
    pair_free(ben);
    pair_free(ana);
    world_close(&world);
}

/* The room goes on as if nothing had been: a write by somebody new is ordered and shows. */
static void check_room(const char *room) {
    struct relay_room_info info = room_info(&world, room);
    if (info.epoch.bytes == NULL || info.stalled)
        return;
    char instance[64], wanted[64];
    snprintf(instance, sizeof instance, "%.*s", (int)info.epoch.length, info.epoch.bytes);
    struct pair *late = world_client(&world, "late");
    joins(late, room, "late", "");
    release_all();
    submits(late, &(struct submission){room, instance, "late", "late", (unsigned)info.seq + 1, 99,
                                       sets("[\"late\"]", "\"here\"", "", 0), ",\"schemaVersion\":9"});
    snprintf(wanted, sizeof wanted, "\"seq\":%llu}}", (unsigned long long)info.seq + 1);
    const char *echo = next_of(&world, late, "env");
    cr_assert_not_null(strstr(echo, wanted), "%s in %s", echo, room);
    const char *welcome = next_of(&world, late, "welcome");
    cr_assert_not_null(strstr(welcome, "\"registers\":[{\"path\":[\"late\"],"), "%s", welcome);
    cr_assert_not_null(strstr(welcome, "\"wm\":{}"), "%s", welcome);
    pair_free(late);
}

static void check_main_room(void) {
    check_room("r");
}

static void check_hydrated_room(void) {
    check_room("h");
}

static const struct failing_session session = {.world = &world,
                                               .protocol = RELAY_PROTOCOL_0_9,
                                               .options = OPTIONS,
                                               .run = run_script,
                                               .check = check_main_room,
                                               .check_without_ana = check_hydrated_room};

Test(generation_memory, every_allocation_of_a_session_may_fail) {
    every_allocation_fails(&session, false, 150);
}

Test(generation_memory, it_may_stay_out) {
    every_allocation_fails(&session, true, 150);
}

/* An envelope is taken in whole or not at all. */
Test(generation_memory, an_envelope_that_fails_leaves_no_trace) {
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        world_open(&world, RELAY_PROTOCOL_0_9, "{\"journalLimit\":1}");
        struct pair *ana = world_client(&world, "w");
        joins(ana, "r", "ana", "");
        submits(ana, &(struct submission){"r", "e1", "ana", "w", 1, 1, sets("[\"x\"]", "1", "", 1), NULL});
        submits(ana, &(struct submission){"r", "e1", "ana", "w", 2, 2, sets("[\"y\"]", "1", "", 1), NULL});
        char *before = strdup(strstr(snapshot_of(&world, "r"), "\"registers\""));
        memory_fails_at(nth, false);
        submits(ana, &(struct submission){"r", "e1", "ana", "w", 3, 3, MANY_OPS, NULL});
        failed = memory_works_again();
        if (room_info(&world, "r").seq == 2)
            cr_assert_str_eq(strstr(snapshot_of(&world, "r"), "\"registers\""), before);
        else
            cr_assert_not_null(strstr(snapshot_of(&world, "r"), "\"wm\":{\"ana\":3}"));
        free(before);
        pair_free(ana);
        world_close(&world);
    }
}
