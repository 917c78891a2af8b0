/* Answers that wait for a commit (durable.*). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "relay-ref/tests/failing_memory.h"
#include "relay-ref/tests/generation_world.h"

static struct world world;
static struct pair *ana, *ben;

static const struct relay_text room_name = {"r", 1};

static void open_room(void) {
    open_room_of_two(&world, "{\"journalLimit\":1}", &ana, &ben);
    world.holds = true;
}

static void close_room(void) {
    close_room_of_two(&world, ana, ben);
}

static void ana_writes(unsigned version) {
    submits(ana, &(struct submission){"r", "e1", "ana", "wa", version, version, "[]", NULL});
}

static void expect_echo(struct pair *client, unsigned seq) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "\"seq\":%u}}", seq);
    const char *echo = next_of(&world, client, "env");
    cr_expect_not_null(strstr(echo, wanted), "wanted seq %u, came %s", seq, echo);
}

/* durable.hold, durable.order */
Test(durability, echoes_wait_and_come_in_order) {
    open_room();
    ana_writes(1);
    ana_writes(2);
    says(ana, "{\"t\":\"presence\",\"room\":\"r\",\"data\":1}");
    cr_expect_not_null(strstr(next(&world, ben), "\"t\":\"presence\""), "presence passes at once");
    cr_expect(relay_release(world.relay, room_name, 2));
    cr_expect_not(relay_release(world.relay, room_name, 2), "it was decided");
    cr_expect_str_eq(next(&world, ben), "(nothing)");
    world.holds = false;
    ana_writes(3);
    cr_expect_str_eq(next(&world, ben), "(nothing)", "a decided one waits behind an open one");
    cr_expect(relay_release(world.relay, room_name, 1));
    for (unsigned seq = 1; seq <= 3; seq++)
        expect_echo(ben, seq);
    cr_expect_not(relay_release(world.relay, room_name, 1));
    cr_expect_not(relay_release(world.relay, (struct relay_text){"q", 1}, 1));
    ana_writes(4);
    expect_echo(ben, 4);
    close_room();
}

/* A welcome that was asked for meanwhile waits too, shows the room as the hello found it, and who is there at the end.
 */
Test(durability, welcomes_wait) {
    open_room();
    struct pair *eve = world_client(&world, "we");
    ana_writes(1);
    joins(eve, "r", "eve", "");
    ana_writes(2);
    cr_expect_str_eq(next(&world, eve), "(nothing)");
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"eve\"}");
    pair_disconnect(ben);
    relay_release(world.relay, room_name, 1);
    const char *welcome = next_of(&world, eve, "welcome");
    cr_expect_not_null(strstr(welcome, "\"seq\":1,"), "%s", welcome);
    cr_expect_not_null(strstr(welcome, "\"members\":[\"ana\"]"), "%s", welcome);
    cr_expect_not_null(strstr(welcome, "\"wm\":{\"ana\":1}"), "%s", welcome);
    relay_release(world.relay, room_name, 2);
    expect_echo(eve, 2);
    cr_expect_str_eq(next_of(&world, eve, "env"), "(nothing)", "the first came with the welcome");
    pair_free(eve);
    close_room();
}

/* Who comes back with a new hello has learnt of what waits from its welcome. */
Test(durability, a_second_hello_ends_the_first_ones_claims) {
    open_room();
    ana_writes(1);
    joins(ben, "r", "ben", "");
    relay_release(world.relay, room_name, 1);
    cr_expect_not_null(strstr(next(&world, ben), "\"mode\":\"snapshot\""), "%s", world.taken);
    cr_expect_str_eq(next(&world, ben), "(nothing)");
    close_room();
}

/* durable.stall */
Test(durability, a_failure_counts_when_its_turn_comes) {
    open_room();
    ana_writes(1);
    ana_writes(2);
    ana_writes(3);
    world.observed[0] = '\0';
    cr_expect(relay_fail(world.relay, room_name, 2));
    cr_expect_str_empty(world.observed);
    relay_release(world.relay, room_name, 1);
    cr_expect_str_eq(world.observed, "stalled r 2\n");
    expect_echo(ben, 1);
    cr_expect(room_info(&world, "r").stalled);
    cr_expect_not(relay_release(world.relay, room_name, 3));
    world.holds = false;
    ana_writes(4);
    joins(ben, "r", "ben", "");
    says(ana, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"ben\",\"data\":1}");
    cr_expect_str_eq(next_of(&world, ben, "env"), "(nothing)");
    cr_expect_eq(room_info(&world, "r").seq, 4, "it still orders");
    cr_expect_not(relay_unload(world.relay, room_name, true), "somebody is there");
    pair_disconnect(ana);
    pair_disconnect(ben);
    cr_expect_not(relay_unload(world.relay, room_name, false));
    cr_expect(relay_unload(world.relay, room_name, true));
    cr_expect_not(relay_unload(world.relay, room_name, true), "there is none any more");
    close_room();
}

/* room.unload */
Test(durability, a_room_with_open_commits_stays) {
    open_room();
    ana_writes(1);
    pair_disconnect(ana);
    pair_disconnect(ben);
    cr_expect_not(relay_unload(world.relay, room_name, false));
    cr_expect_not(relay_unload(world.relay, room_name, true));
    relay_release(world.relay, room_name, 1);
    cr_expect(relay_unload(world.relay, room_name, false));
    cr_expect_eq(room_info(&world, "r").seq, 0);
    close_room();
}

/* Every version can hold; without the option the echo does not wait for anybody. */
Test(durability, older_versions_hold_by_option) {
    for (int holding = 0; holding < 2; holding++) {
        struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_1_0);
        options.hold_commits = holding == 1;
        world_open_with(&world, &options);
        world.holds = true;
        ana = world_client(&world, "wa");
        ben = world_client(&world, "wb");
        hello(ana, "r", "ana", "");
        writes(ana, "r", "wa", "[{\"kind\":\"set\",\"path\":[],\"next\":1}]", "");
        hello(ben, "r", "ben", "");
        cr_expect_eq(drain(ana), holding ? 2 : 3, "its welcome, ben's coming, and its own echo if nothing is held");
        cr_expect_eq(drain(ben), holding ? 0 : 1);
        cr_expect_eq(relay_release(world.relay, room_name, 1), holding == 1);
        cr_expect_eq(drain(ana), holding ? 1 : 0);
        cr_expect_eq(drain(ben), holding ? 1 : 0);
        close_room();
    }
}

/* An owner that decides at once pays nothing. */
Test(durability, nothing_is_kept_where_nothing_is_held) {
    open_room();
    world.holds = false;
    ana_writes(1);
    ana_writes(2);
    drain(ana);
    drain(ben);
    size_t in_use = memory_in_use();
    for (unsigned version = 3; version < 20; version++) {
        ana_writes(version);
        drain(ana);
        drain(ben);
    }
    cr_expect_eq(memory_in_use(), in_use);
    close_room();
}

/* What waits has a ceiling of bytes, too: who goes past it is closed, and what waits comes all the same. */
Test(durability, what_waits_has_a_ceiling) {
    struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_9);
    options.max_journal_bytes = 1000;
    options.journal_limit = 1;
    world_open_with(&world, &options);
    ana = world_client(&world, "wa");
    ben = world_client(&world, "wb");
    joins(ana, "r", "ana", "");
    joins(ben, "r", "ben", "");
    drain(ana);
    drain(ben);
    world.holds = true;
    unsigned version = 0;
    uint64_t seq;
    do {
        seq = room_info(&world, "r").seq;
        ana_writes(++version);
    } while (room_info(&world, "r").seq > seq && version < 100);
    cr_expect(version > 3 && version < 12, "%u writes", version);
    cr_expect_str_eq(next(&world, ana), "(closed)");
    joins(ben, "r", "ben", "");
    cr_expect_str_eq(next_of(&world, ben, "nothing"), "(closed)");
    struct pair *cleo = world_client(&world, "wc");
    for (uint64_t at = 1; at <= seq; at++)
        cr_expect(relay_release(world.relay, room_name, at));
    joins(cleo, "r", "cleo", "");
    cr_expect_not_null(strstr(next(&world, cleo), "\"t\":\"welcome\""), "there is room again");
    pair_free(cleo);
    close_room();
}
