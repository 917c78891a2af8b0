/* Registers, generations, and the life of a room in 0.9. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/tests/generation_world.h"

static struct world world;
static struct pair *ana, *ben;

static void open_room(const char *options) {
    open_room_of_two(&world, options, &ana, &ben);
}

static void close_room(void) {
    close_room_of_two(&world, ana, ben);
}

static void ana_writes(unsigned version, const char *ops) {
    submits(ana, &(struct submission){"r", "e1", "ana", "wa", version, version, ops, NULL});
}

static void ben_writes(unsigned version, const char *ops) {
    submits(ben, &(struct submission){"r", "e1", "ben", "wb", version, version, ops, NULL});
}

static void expect_registers(const char *wanted) {
    const char *welcome = snapshot_of(&world, "r");
    cr_expect_not_null(strstr(welcome, wanted), "wanted %s in %s", wanted, welcome);
}

#define SIBLING(writer, origin, stamp, rest)                                                                           \
    "{\"kind\":\"set\",\"writer\":\"" writer "\",\"origin\":\"" origin "\",\"hlc\":{\"p\":1,\"l\":" stamp "}," rest "}"

/* register.sibling, register.water, register.never-folds */
Test(generation, concurrent_writes_are_kept_side_by_side) {
    open_room(NULL);
    ana_writes(5, "[{\"kind\":\"set\",\"path\":[1,\"\\u0078\"],\"next\":1.50,\"prev\":null,\"cites\":[],\"epoch\":0}]");
    ben_writes(6, sets("[\"1\",\"x\"]", "[2]", cites("ana", 5), 0));
    expect_registers("\"registers\":[{\"path\":[1,\"\\u0078\"],\"siblings\":[" SIBLING(
        "wa", "ana", "5",
        "\"epoch\":0,\"value\":1.50,\"prev\":null") "," SIBLING("wb", "ben", "6",
                                                                "\"epoch\":0,\"value\":[2]") "],\"water\":{\"ana\":{"
                                                                                             "\"p\":1,\"l\":5}}}],"
                                                                                             "\"wm\":{");
    submits(ana, &(struct submission){"r", "e1", "ana", "wa", 6, 3, sets("[1,\"x\"]", "0", cites("ana", 3), 0), NULL});
    expect_registers(SIBLING("wa", "ana", "5", "\"epoch\":0,\"value\":1.50,\"prev\":null"));
    submits(ana,
            &(struct submission){"r", "e1", "\\u0061na", "wa", 7, 6, sets("[\"own\"]", "0", cites("ana", 6), 0), NULL});
    expect_registers("\"epoch\":0,\"value\":0}],\"water\":{}}");
    ana_writes(8, "[{\"kind\":\"clear\",\"path\":[1,\"x\"],\"prev\":1,\"cites\":[],\"epoch\":0}]");
    expect_registers("{\"kind\":\"clear\",\"writer\":\"wa\",\"origin\":\"ana\",\"hlc\":{\"p\":1,\"l\":8},\"epoch\":0}");
    close_room();
}

/* settle.when, settle.notice, settle.invisible, register.baseline */
Test(generation, a_full_journal_settles) {
    open_room("{\"journalLimit\":1}");
    ana_writes(1, sets("[\"x\"]", "1", "", 3));
    drain(ben);
    ben_writes(1, "[{\"kind\":\"delete\",\"path\":[\"y\"],\"cites\":[],\"epoch\":0}]");
    next(&world, ben);
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"settled\",\"room\":\"r\",\"settled\":{\"ana\":{\"p\":1,\"l\":1},"
                                        "\"ben\":{\"p\":1,\"l\":1}}}");
    ben_writes(2, "[{\"kind\":\"delete\",\"path\":[\"z\"],\"cites\":[],\"epoch\":0}]");
    expect_registers("{\"path\":[\"x\"],\"siblings\":[" SIBLING(
        "wa", "ana", "1", "\"epoch\":3,\"value\":1") "],\"water\":{},\"epoch\":3}");
    submits(ben, &(struct submission){"r", "e1", "ben", "wb", 3, 9, sets("[\"x\"]", "2", cites("ana", 1), 0), NULL});
    expect_registers("{\"path\":[\"x\"],\"siblings\":[" SIBLING(
        "wb", "ben", "9", "\"epoch\":0,\"value\":2") "],\"water\":{},\"epoch\":3}");
    submits(ana, &(struct submission){"r", "e1", "ana", "wa", 2, 10,
                                      "[{\"kind\":\"clear\",\"path\":[\"w\"],\"cites\":[],\"epoch\":0}]", NULL});
    submits(ana, &(struct submission){"r", "e1", "ana", "wa", 3, 11, sets("[\"x\"]", "3", cites("ben", 9), 0), NULL});
    submits(ben, &(struct submission){"r", "e1", "ben", "wb", 4, 12, sets("[\"x\"]", "4", cites("ana", 11), 0), NULL});
    expect_registers("{\"path\":[\"x\"],\"siblings\":[" SIBLING("wb", "ben", "12", "\"epoch\":0,\"value\":4") "]");
    cr_expect_not_null(strstr(snapshot_of(&world, "r"), "[\"y\"]"), "a tombstone that nobody superseded stays");
    close_room();
}

/* register.baseline: what nobody's write is left of still says how far its epoch had come. */
Test(generation, a_baseline_outlives_its_writes) {
    open_room("{\"journalLimit\":0}");
    ana_writes(1, sets("[1]", "1", "", 3));
    ana_writes(2, "[{\"kind\":\"clear\",\"path\":[\"other\"],\"cites\":[],\"epoch\":0}]");
    hydrates(&world, "q", "{\"seq\":1,\"registers\":[{\"path\":[1],\"siblings\":[],\"water\":{},\"epoch\":3}]}");
    cr_expect_not_null(strstr(snapshot_of(&world, "q"),
                              "\"registers\":[{\"path\":[1],\"siblings\":[],\"water\":{},\"epoch\":3}],\"wm\":{}"));
    close_room();
}

/* generation.cut, generation.rewelcome, generation.fence */
Test(generation, a_migration_begins_a_new_one) {
    open_room(NULL);
    ana_writes(1, sets("[\"old\"]", "1", "", 5));
    drain(ana);
    drain(ben);
    submits(ana, &(struct submission){"r", "e1", "ana", "wa", 9, 2, sets("[\"new\"]", "2", cites("ben", 1), 0),
                                      ",\"schemaVersion\":4"});
    const char *echo = next(&world, ben);
    cr_expect_not_null(strstr(echo, "\"t\":\"env\""), "%s", echo);
    cr_expect_str_eq(
        next(&world, ben),
        "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":2,\"instance\":\"e2\",\"schemaVersion\":4,\"peers\":[],"
        "\"members\":[\"ana\"],\"mode\":\"snapshot\",\"registers\":[{\"path\":[\"new\"],\"siblings\":[" SIBLING(
            "wa", "ana", "2", "\"epoch\":0,\"value\":2") "],\"water\":{\"ben\":{\"p\":1,\"l\":1}}}],\"wm\":{}}");
    cr_expect_eq(room_info(&world, "r").journal, 1);
    ben_writes(1, "[]");
    cr_expect_not_null(strstr(next_of(&world, ben, "drop"), "\"generation\""));
    submits(ana, &(struct submission){"r", "e2", "ana", "wa", 1, 3, "[]", NULL});
    cr_expect_eq(room_info(&world, "r").seq, 3, "versions begin anew");
    close_room();
}

/* room.evict-empty */
Test(generation, an_empty_room_is_forgotten) {
    world_open(&world, RELAY_PROTOCOL_0_9, NULL);
    for (unsigned life = 1; life <= 2; life++) {
        char wanted[32];
        struct pair *client = world_client(&world, "w");
        joins(client, "r", "o", "");
        snprintf(wanted, sizeof wanted, "\"instance\":\"e%u\"", life);
        cr_expect_not_null(strstr(next(&world, client), wanted));
        pair_free(client);
        struct relay_room_info info;
        cr_expect_not(relay_room(world.relay, (struct relay_text){"r", 1}, &info));
    }
    struct pair *client = world_client(&world, "w"), *other = world_client(&world, "v");
    joins(client, "r", "o", "");
    joins(other, "r", "p", "");
    says(client, "{\"t\":\"env\",\"room\":\"r\",\"env\":7}");
    pair_free(client);
    pair_free(other);
    struct relay_room_info info;
    cr_expect(relay_room(world.relay, (struct relay_text){"r", 1}, &info), "it knows whom it has ejected");
    world_close(&world);
}

/* hydrate.registers, hydrate.wm-only: what relay_snapshot gives is enough to answer as before. */
Test(generation, a_restored_room_answers_as_the_old_one) {
    open_room("{\"journalLimit\":2,\"policy\":{\"verifyCitations\":true,\"canBump\":{\"allow\":{\"writer\":\"wa\"}}}}");
    for (unsigned version = 1; version < 6; version++)
        ana_writes(version * 2, sets(version % 2 ? "[\"x\"]" : "[\"y\",0]", "1", "", version % 3));
    ben_writes(3, sets("[\"x\"]", "2", cites("ana", 10), 1));
    struct relay_text snapshot;
    cr_assert(relay_snapshot(world.relay, (struct relay_text){"r", 1}, &snapshot));
    char *text = strndup(snapshot.bytes, snapshot.length), *before = strdup(snapshot_of(&world, "r"));
    cr_expect_eq(hydrates(&world, "r", text), RELAY_HYDRATE_REFUSED);
    cr_expect_eq(hydrates(&world, "q", text), RELAY_HYDRATED);
    const char *after = snapshot_of(&world, "q");
    cr_expect_str_eq(strstr(after, "\"registers\""), strstr(before, "\"registers\""));
    struct relay_text again;
    cr_assert(relay_snapshot(world.relay, (struct relay_text){"q", 1}, &again));
    cr_expect_eq(again.length, snapshot.length);
    cr_expect_eq(memcmp(again.bytes, snapshot.bytes, again.length), 0);
    free((char *)again.bytes);
    free((char *)snapshot.bytes);
    cr_expect_eq(hydrates(&world, "wm", "{\"seq\":4,\"wm\":{\"ana\":3},\"instance\":\"e1\"}"), RELAY_HYDRATED);
    joins(ana, "wm", "ana", "");
    world.observed[0] = '\0';
    submits(ana, &(struct submission){"wm", "e1", "ana", "wa", 2, 1, "[]", NULL});
    cr_expect_str_eq(world.observed, "drop wm ana 2 duplicate\n");
    free(before);
    free(text);
    close_room();
}

Test(generation, a_snapshot_that_is_none_changes_nothing) {
    static const char *const bad[] = {
        "{\"seq\":1,\"registers\":{}}",
        "{\"seq\":1,\"registers\":[7]}",
        "{\"seq\":1,\"registers\":[{\"path\":7,\"siblings\":[],\"water\":{}}]}",
        "{\"seq\":1,\"registers\":[{\"path\":[],\"siblings\":[{\"origin\":\"o\"}],\"water\":{}}]}",
        "{\"seq\":1,\"registers\":[{\"path\":[],\"siblings\":[],\"water\":{\"o\":1}}]}",
        "{\"seq\":1,\"registers\":[{\"path\":[],\"siblings\":[],\"water\":{},\"epoch\":\"1\"}]}",
        "{\"seq\":1,\"ranges\":{\"o\":[[2,1]]}}",
        "{\"seq\":1,\"ranges\":{\"o\":[1]}}",
        "{\"seq\":1,\"wm\":{\"o\":\"1\"}}",
        "{\"seq\":1,\"settled\":{\"o\":{\"p\":1}}}",
    };
    world_open(&world, RELAY_PROTOCOL_0_9, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct relay_room_info info;
        cr_expect_eq(hydrates(&world, "r", bad[i]), RELAY_HYDRATE_MALFORMED, "%s", bad[i]);
        cr_expect_not(relay_room(world.relay, (struct relay_text){"r", 1}, &info));
    }
    world_close(&world);
}

/* What a room keeps has a ceiling; replacing goes on when it is met. */
Test(generation, a_full_room_takes_no_more) {
    struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_9);
    options.max_root_bytes = 4096;
    world_open_with(&world, &options);
    ana = world_client(&world, "wa");
    ben = world_client(&world, "wb");
    joins(ana, "r", "ana", "");
    joins(ben, "r", "ben", "");
    unsigned version = 0;
    uint64_t seq = 0;
    do {
        char path[32];
        seq = room_info(&world, "r").seq;
        snprintf(path, sizeof path, "[\"%u\"]", ++version);
        ana_writes(version, sets(path, "1", "", 0));
    } while (room_info(&world, "r").seq > seq && version < 1000);
    cr_expect(version > 3 && version < 30, "%u writes", version);
    cr_expect_not_null(strstr(world.observed, "limit root-bytes\n"));
    cr_expect_str_eq(next_of(&world, ana, "nothing"), "(closed)");
    struct pair *back = world_client(&world, "wa");
    joins(back, "r", "ana", "");
    submits(back, &(struct submission){"r", "e1", "ana", "wa", version + 1, version + 1,
                                       "[{\"kind\":\"clear\",\"path\":[\"1\"],\"cites\":[],\"epoch\":0}]", NULL});
    cr_expect_eq(room_info(&world, "r").seq, seq + 1);
    pair_free(back);
    close_room();
}

/* A settled stamp is kept as it came, and so counts as much as it takes. */
Test(generation, a_room_full_of_stamps_takes_no_more) {
    struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_9);
    options.max_root_bytes = 8192;
    world_open_with(&world, &options);
    ana = world_client(&world, "wa");
    ben = world_client(&world, "wb");
    joins(ana, "r", "ana", "");
    joins(ben, "r", "ben", "");
    uint64_t seq = 0;
    unsigned version = 0;
    do {
        char origin[32], stamp[1200];
        seq = room_info(&world, "r").seq;
        snprintf(origin, sizeof origin, "o%u", version++ % 64);
        snprintf(stamp, sizeof stamp, ",\"hlc\":{\"p\":1,\"l\":1,\"note\":\"%01000u\"}", version);
        submits(ana, &(struct submission){"r", "e1", origin, "wa", 1, 1, "[]", stamp});
    } while (room_info(&world, "r").seq > seq && version < 64);
    cr_expect(version > 3 && version < 10, "%u writes", version);
    submits(ben, &(struct submission){"r", "e1", "o0", "wb", 2, 2, "[]", NULL});
    cr_expect_eq(room_info(&world, "r").seq, seq + 1, "a shorter stamp in place of a longer one");
    close_room();
}

/* generation.cut empties a room, but does not fill it past its ceiling. */
Test(generation, a_migration_has_to_fit) {
    struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_9);
    options.max_root_bytes = 2048;
    world_open_with(&world, &options);
    ana = world_client(&world, "wa");
    ben = world_client(&world, "wb");
    joins(ana, "r", "ana", "");
    joins(ben, "r", "ben", "");
    char value[3000];
    snprintf(value, sizeof value, "[{\"kind\":\"set\",\"path\":[],\"next\":\"%02048u\",\"cites\":[],\"epoch\":0}]", 1U);
    submits(ana, &(struct submission){"r", "e1", "ana", "wa", 1, 1, value, ",\"schemaVersion\":1"});
    cr_expect_eq(room_info(&world, "r").seq, 0);
    cr_expect_str_eq(next_of(&world, ana, "nothing"), "(closed)");
    submits(ben, &(struct submission){"r", "e1", "ben", "wb", 1, 1, "[]", ",\"schemaVersion\":1"});
    cr_expect_eq(room_info(&world, "r").seq, 1);
    close_room();
}
