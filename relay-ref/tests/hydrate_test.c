#include <criterion/criterion.h>
#include <string.h>

#include "relay-ref/tests/world.h"

static struct world world;

static void answers(const char *room, const char *more, const char *wanted) {
    struct pair *client = world_client(&world, "v");
    hello(client, room, "o", more);
    cr_expect_str_eq(next(&world, client), wanted);
    pair_free(client);
}

#define WELCOME_5                                                                                                      \
    "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":5,\"epoch\":\"old "                                                     \
    "\\ud83d\",\"schemaVersion\":3,\"peers\":[],\"members\":[],"
#define SNAPSHOT_5 "\"seq\":5,\"root\":{\"a\": 1.0},\"epoch\":\"old \\uD83D\",\"schemaVersion\":3"

/* hydrate.journal: above the seq is dropped, the rest sorted and cut to the newest three. */
Test(hydrate, journal_is_sorted_and_cut) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"journalLimit\":3}");
    cr_assert_eq(hydrates(&world, "r",
                          "{" SNAPSHOT_5
                          ",\"journal\":[{\"seq\":4,\"x\":1},{\"seq\":6},{\"seq\":2},{ \"x\":[],\"seq\":5.0 },"
                          "{\"seq\":1},{\"seq\":3}]}"),
                 RELAY_HYDRATED);
    cr_expect_eq(room_info(&world, "r").journal, 3);
    answers("r", ",\"seq\":2",
            WELCOME_5 "\"mode\":\"delta\",\"envs\":[{\"seq\":3},{\"seq\":4,\"x\":1},{ \"x\":[],\"seq\":5.0 }]}");
    answers("r", ",\"seq\":5", WELCOME_5 "\"mode\":\"up-to-date\"}");
    answers("r", ",\"seq\":1", WELCOME_5 "\"mode\":\"snapshot\",\"root\":{\"a\": 1.0}}");
    world_close(&world);
}

Test(hydrate, with_journal_limit_0_keeps_nothing) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"journalLimit\":0}");
    cr_assert_eq(hydrates(&world, "r", "{" SNAPSHOT_5 ",\"journal\":[{\"seq\":4},{\"seq\":5}]}"), RELAY_HYDRATED);
    cr_expect_eq(room_info(&world, "r").journal, 0);
    answers("r", ",\"seq\":4", WELCOME_5 "\"mode\":\"snapshot\",\"root\":{\"a\": 1.0}}");
    world_close(&world);
}

Test(hydrate, continues_from_there) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    cr_assert_eq(hydrates(&world, "r", "{" SNAPSHOT_5 "}"), RELAY_HYDRATED);
    struct pair *client = world_client(&world, "w");
    hello(client, "r", "o", "");
    writes(client, "r", "w", "[{\"kind\":\"set\",\"path\":[\"b\"],\"next\":2}]", "");
    cr_expect_str_eq(world.observed, "commit r seq 6 epoch old \xed\xa0\xbd schema 3 root {\"a\":1.0,\"b\":2}\n");
    pair_free(client);
    world_close(&world);
}

Test(hydrate, without_an_epoch_keeps_the_minted_one) {
    world_open(&world, RELAY_PROTOCOL_0_1_1, NULL);
    cr_assert_eq(hydrates(&world, "r", "{\"seq\":5,\"schemaVersion\":7}"), RELAY_HYDRATED);
    answers("r", "",
            "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":5,\"epoch\":\"e1\",\"peers\":[],\"members\":[],\"mode\":"
            "\"snapshot\"}");
    world_close(&world);
}

Test(hydrate, is_refused_where_somebody_is_or_was) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *client = world_client(&world, "w");
    hello(client, "members", "o", "");
    cr_expect_eq(hydrates(&world, "members", "{\"seq\":5}"), RELAY_HYDRATE_REFUSED);
    hello(client, "written", "o", "");
    writes(client, "written", "w", "[]", "");
    pair_free(client);
    cr_expect_eq(hydrates(&world, "written", "{\"seq\":5}"), RELAY_HYDRATE_REFUSED);
    cr_expect_eq(room_info(&world, "written").seq, 1);
    cr_expect_eq(hydrates(&world, "members", "{\"seq\":5}"), RELAY_HYDRATED, "all have left, nothing was written");
    cr_expect_eq(hydrates(&world, "members", "{\"seq\":9}"), RELAY_HYDRATE_REFUSED, "a second time");
    cr_expect_eq(hydrates(&world, "empty", "{\"seq\":0,\"journal\":[{\"seq\":0}]}"), RELAY_HYDRATED);
    cr_expect_eq(hydrates(&world, "empty", "{\"seq\":9}"), RELAY_HYDRATE_REFUSED, "a journal is there");
    world_close(&world);
}

Test(hydrate, after_a_refused_hello_and_stray_messages) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *client = world_client(&world, "w");
    says(client, "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"o\",\"proto\":2}");
    writes(client, "r", "w", "[]", "");
    says(client, "{\"t\":\"presence\",\"room\":\"r\"}");
    cr_expect_eq(hydrates(&world, "r", "{\"seq\":5}"), RELAY_HYDRATED);
    pair_free(client);
    world_close(&world);
}

Test(hydrate, malformed_snapshots_change_nothing) {
    static const char *const malformed[] = {
        "",
        "1",
        "[]",
        "{}",
        "{\"seq\":-1}",
        "{\"seq\":1.5}",
        "{\"seq\":\"1\"}",
        "{\"seq\":1,\"epoch\":\"\"}",
        "{\"seq\":1,\"epoch\":3}",
        "{\"seq\":1,\"schemaVersion\":\"1\"}",
        "{\"seq\":1,\"journal\":{}}",
        "{\"seq\":1,\"journal\":[1]}",
        "{\"seq\":1,\"journal\":[{}]}",
        "{\"seq\":1,\"journal\":[{\"seq\":\"1\"}]}",
        "{\"seq\":1} x",
        "{\"seq\":1,\"root\":\"\xff\"}",
    };
    struct relay_room_info info;
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        cr_expect_eq(hydrates(&world, "r", malformed[i]), RELAY_HYDRATE_MALFORMED, "%s", malformed[i]);
    cr_expect_not(relay_room(world.relay, (struct relay_text){"r", 1}, &info));
    world_close(&world);
}

Test(hydrate, came_with_0_1_1) {
    world_open(&world, RELAY_PROTOCOL_0_1_0, NULL);
    cr_expect_eq(hydrates(&world, "r", "{\"seq\":5}"), RELAY_HYDRATE_REFUSED);
    world_close(&world);
}

/* ---- migrations and commits ----------------------------------------------------------------------- */

Test(migrate, bumps_schema_and_epoch_and_keeps_the_journal) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *client = world_client(&world, "w");
    hello(client, "r", "o", "");
    writes(client, "r", "w", "[]", "");
    writes(client, "r", "w", "[]", ",\"schemaVersion\":2");
    writes(client, "r", "w", "[]", ",\"schemaVersion\":2");
    writes(client, "r", "w", "[]", ",\"schemaVersion\":1");
    writes(client, "r", "w", "[]", ",\"schemaVersion\":2.5");
    writes(client, "r", "w", "[]", ",\"schemaVersion\":25e-1");
    writes(client, "r", "w", "[]", ",\"schemaVersion\":1e999");
    writes(client, "r", "w", "[]", ",\"schemaVersion\":3");
    cr_expect_str_eq(world.observed, "commit r seq 1 epoch e1 schema 0 root none\n"
                                     "commit r seq 2 epoch e2 schema 2 root none\n"
                                     "commit r seq 3 epoch e2 schema 2 root none\n"
                                     "commit r seq 4 epoch e2 schema 2 root none\n"
                                     "commit r seq 5 epoch e3 schema 2.5 root none\n"
                                     "commit r seq 6 epoch e3 schema 2.5 root none\n"
                                     "commit r seq 7 epoch e3 schema 2.5 root none\n"
                                     "commit r seq 8 epoch e4 schema 3 root none\n");
    cr_expect_eq(drain(client), 9, "migrate.no-push");
    cr_expect_eq(room_info(&world, "r").journal, 8);
    pair_free(client);
    world_close(&world);
}

Test(migrate, is_an_unknown_field_before_0_2_0) {
    world_open(&world, RELAY_PROTOCOL_0_1_1, NULL);
    struct pair *client = world_client(&world, "w");
    hello(client, "r", "o", "");
    writes(client, "r", "w", "[]", ",\"schemaVersion\":2");
    cr_expect_str_eq(world.observed, "commit r seq 1 epoch e1 schema 0 root none\n");
    pair_free(client);
    world_close(&world);
}

Test(commit, came_with_0_1_1) {
    world_open(&world, RELAY_PROTOCOL_0_1_0, NULL);
    struct pair *client = world_client(&world, "w");
    hello(client, "r", "o", "");
    writes(client, "r", "w", "[]", "");
    cr_expect_eq(room_info(&world, "r").seq, 1);
    cr_expect_str_eq(world.observed, "");
    pair_free(client);
    world_close(&world);
}
