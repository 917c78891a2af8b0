#include <criterion/criterion.h>
#include <string.h>

#include "relay-ref/tests/world.h"

#define SET_ROOT "[{\"kind\":\"set\",\"path\":[],\"next\":{\"a\":1}}]"
#define SET_A "[{\"kind\":\"set\",\"path\":[\"a\"],\"next\":2}]"

static struct world world;

/* A room with `count` envelopes by one writer, who has left again. */
static void filled_room(size_t count) {
    struct pair *writer = world_client(&world, "w");
    hello(writer, "r", "filler", "");
    for (size_t i = 0; i < count; i++)
        writes(writer, "r", "w", i == 0 ? SET_ROOT : SET_A, "");
    pair_free(writer);
}

static void answers(const char *more, const char *wanted) {
    struct pair *client = world_client(&world, "v");
    hello(client, "r", "o", more);
    cr_expect_str_eq(next(&world, client), wanted, "%s gave %s", more, world.taken);
    pair_free(client);
}

static void answer_starts(const char *more, const char *wanted) {
    struct pair *client = world_client(&world, "v");
    hello(client, "r", "o", more);
    const char *got = next(&world, client);
    cr_expect_eq(strncmp(got, wanted, strlen(wanted)), 0, "%s gave %s", more, got);
    pair_free(client);
}

#define WELCOME_3                                                                                                      \
    "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":3,\"epoch\":\"e1\",\"schemaVersion\":0,\"peers\":[],\"members\":[],"
#define ENVELOPE "{\"proto\":1,\"origin\":\"o\",\"writer\":\"w\",\"policyVersion\":0,\"ops\":"

Test(join, fresh_room) {
    static const char fresh[] =
        "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":0,\"epoch\":\"e1\",\"schemaVersion\":0,\"peers\":[],"
        "\"members\":[],\"mode\":\"up-to-date\"}";
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    answers("", fresh);
    answers(",\"seq\":0", fresh);
    answers(",\"seq\":17", fresh);
    world_close(&world);
}

Test(join, schema_version_came_later) {
    world_open(&world, RELAY_PROTOCOL_0_1_1, NULL);
    answers(",\"schemaVersion\":-1",
            "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":0,\"epoch\":\"e1\",\"peers\":[],\"members\":[],"
            "\"mode\":\"up-to-date\"}");
    world_close(&world);
}

/* The journal holds 2 and 3: it covers every watermark from 1 on. */
Test(join, modes_at_the_edges_of_the_journal) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"journalLimit\":2}");
    filled_room(3);
    answers(",\"seq\":3", WELCOME_3 "\"mode\":\"up-to-date\"}");
    answers(",\"seq\":3.0", WELCOME_3 "\"mode\":\"up-to-date\"}");
    answers(",\"seq\":2", WELCOME_3 "\"mode\":\"delta\",\"envs\":[" ENVELOPE SET_A ",\"seq\":3}]}");
    answers(",\"seq\":1",
            WELCOME_3 "\"mode\":\"delta\",\"envs\":[" ENVELOPE SET_A ",\"seq\":2}," ENVELOPE SET_A ",\"seq\":3}]}");
    answers(",\"seq\":0", WELCOME_3 "\"mode\":\"snapshot\",\"root\":{\"a\":2}}");
    answers("", WELCOME_3 "\"mode\":\"snapshot\",\"root\":{\"a\":2}}");
    answers(",\"seq\":4", WELCOME_3 "\"mode\":\"delta\",\"envs\":[]}");
    answers(",\"seq\":1e300", WELCOME_3 "\"mode\":\"delta\",\"envs\":[]}");
    answers(",\"seq\":-1", WELCOME_3 "\"mode\":\"snapshot\",\"root\":{\"a\":2}}");
    answers(",\"seq\":\"3\"", WELCOME_3 "\"mode\":\"snapshot\",\"root\":{\"a\":2}}");
    world_close(&world);
}

Test(join, without_a_journal_only_snapshots) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"journalLimit\":0}");
    filled_room(3);
    answers(",\"seq\":3", WELCOME_3 "\"mode\":\"up-to-date\"}");
    answers(",\"seq\":2", WELCOME_3 "\"mode\":\"snapshot\",\"root\":{\"a\":2}}");
    answers(",\"seq\":4", WELCOME_3 "\"mode\":\"snapshot\",\"root\":{\"a\":2}}");
    world_close(&world);
}

Test(join, snapshot_without_a_value_has_no_root) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *writer = world_client(&world, "w");
    hello(writer, "r", "filler", "");
    writes(writer, "r", "w", "[]", "");
    pair_free(writer);
    answers(
        "",
        "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":1,\"epoch\":\"e1\",\"schemaVersion\":0,\"peers\":[],\"members\":[],"
        "\"mode\":\"snapshot\"}");
    world_close(&world);
}

/* ---- refusals ------------------------------------------------------------------------------------ */

/* Two `proto` members: the later one counts, so each case can add its own. */
Test(join, refusals_in_their_order) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"policyVersion\":2.5}");
    struct pair *client = world_client(&world, "w");
    static const char *const cases[][2] = {
        {"", "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"proto\",\"expected\":1}"},
        {",\"proto\":2,\"policyVersion\":1", "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"proto\",\"expected\":1}"},
        {",\"proto\":\"1\",\"policyVersion\":2.5",
         "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"proto\",\"expected\":1}"},
        {",\"proto\":1", "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"policy-version\",\"expected\":2.5}"},
        {",\"proto\":1.0,\"policyVersion\":0",
         "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"policy-version\",\"expected\":2.5}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        says(client, "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"o\"%s}", cases[i][0]);
        cr_expect_str_eq(next(&world, client), cases[i][1]);
    }
    says(client, "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"o\",\"proto\":1,\"policyVersion\":2.5}");
    cr_expect_eq(strncmp(next(&world, client), "{\"t\":\"welcome\"", 14), 0, "join.reject-open");
    pair_free(client);
    world_close(&world);
}

Test(join, schema_gate) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    cr_assert_eq(hydrates(&world, "r", "{\"seq\":3,\"schemaVersion\":2,\"root\":1,\"epoch\":\"e1\"}"), RELAY_HYDRATED);
    answers(",\"schemaVersion\":1", "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"schema\",\"expected\":2}");
    answers(",\"schemaVersion\":1.999", "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"schema\",\"expected\":2}");
    answer_starts(",\"schemaVersion\":2", "{\"t\":\"welcome\"");
    answer_starts(",\"schemaVersion\":9",
                  "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":3,\"epoch\":\"e1\",\"schemaVersion\":2,");
    answer_starts("", "{\"t\":\"welcome\"");
    answers(",\"schemaVersion\":1,\"policyVersion\":9",
            "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"policy-version\",\"expected\":0}");
    world_close(&world);
}

Test(join, a_refused_hello_makes_no_room_and_keeps_the_membership) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *client = world_client(&world, "w");
    struct relay_room_info info;
    says(client, "{\"t\":\"hello\",\"room\":\"q\",\"origin\":\"o\"}");
    cr_expect_not(relay_room(world.relay, (struct relay_text){"q", 1}, &info));
    hello(client, "r", "o", "");
    says(client, "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"other\"}");
    drain(client);
    writes(client, "r", "w", "[]", "");
    cr_expect_str_eq(next(&world, client), "{\"t\":\"env\",\"room\":\"r\",\"env\":" ENVELOPE "[],\"seq\":1}}");
    pair_free(client);
    world_close(&world);
}

/* ---- who holds an origin -------------------------------------------------------------------------- */

Test(join, takeover_and_the_late_close) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *older = world_client(&world, "w"), *other = world_client(&world, "v"),
                *newer = world_client(&world, "w");
    hello(older, "r", "a", "");
    hello(other, "r", "b", "");
    says(older, "{\"t\":\"presence\",\"room\":\"r\",\"data\":1}");
    drain(other);
    drain(older);
    hello(newer, "r", "a", "");
    cr_expect_str_eq(next(&world, older), "(closed)");
    cr_expect_str_eq(next(&world, other),
                     "{\"t\":\"presence\",\"room\":\"r\",\"peer\":{\"origin\":\"a\",\"writer\":\"w\","
                     "\"data\":1},\"gone\":true}");
    cr_expect_str_eq(next(&world, other), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"a\"}");
    cr_expect_str_eq(next(&world, newer),
                     "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":0,\"epoch\":\"e1\",\"schemaVersion\":0,"
                     "\"peers\":[],\"members\":[\"b\"],\"mode\":\"up-to-date\"}");
    says(newer, "{\"t\":\"presence\",\"room\":\"r\",\"data\":2}");
    drain(other);
    pair_free(older);
    cr_expect_str_eq(next(&world, other), "(nothing)");
    cr_expect_eq(room_info(&world, "r").members, 2);
    hello(other, "r", "b", "");
    cr_expect_str_eq(next(&world, other),
                     "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":0,\"epoch\":\"e1\",\"schemaVersion\":0,"
                     "\"peers\":[{\"origin\":\"a\",\"writer\":\"w\",\"data\":2}],\"members\":[\"a\"],"
                     "\"mode\":\"up-to-date\"}");
    pair_free(newer);
    pair_free(other);
    world_close(&world);
}

/* The displaced connection is closed, but stays in its other rooms until its transport reports the end. */
Test(join, takeover_leaves_other_rooms_at_the_close) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *older = world_client(&world, "w"), *newer = world_client(&world, "w"),
                *third = world_client(&world, "v");
    hello(older, "r", "a", "");
    hello(older, "q", "a", "");
    hello(third, "q", "c", "");
    drain(third);
    hello(newer, "r", "a", "");
    cr_expect_str_eq(next(&world, third), "(nothing)");
    hello(newer, "q", "a", "");
    cr_expect_str_eq(next(&world, third), "{\"t\":\"member\",\"room\":\"q\",\"origin\":\"a\"}");
    pair_free(older);
    cr_expect_str_eq(next(&world, third), "(nothing)");
    pair_free(newer);
    cr_expect_str_eq(next(&world, third), "{\"t\":\"member\",\"room\":\"q\",\"origin\":\"a\",\"gone\":true}");
    pair_free(third);
    world_close(&world);
}

Test(join, rehello) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *ana = world_client(&world, "w"), *ben = world_client(&world, "v");
    hello(ana, "r", "a", "");
    hello(ben, "r", "b", "");
    says(ana, "{\"t\":\"presence\",\"room\":\"r\"}");
    drain(ana);
    drain(ben);
    hello(ana, "r", "a", "");
    cr_expect_str_eq(next(&world, ben),
                     "{\"t\":\"presence\",\"room\":\"r\",\"peer\":{\"origin\":\"a\",\"writer\":\"w\"},\"gone\":true}");
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"a\"}");
    cr_expect_str_eq(next(&world, ana),
                     "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":0,\"epoch\":\"e1\",\"schemaVersion\":0,"
                     "\"peers\":[],\"members\":[\"b\"],\"mode\":\"up-to-date\"}");
    cr_expect_str_eq(next(&world, ana), "(nothing)");
    struct pair *cleo = world_client(&world, "v");
    hello(cleo, "r", "c", "");
    cr_expect_not_null(strstr(next(&world, cleo), "\"members\":[\"b\",\"a\"]"), "it is the last of the roster now");
    pair_free(cleo);
    drain(ben);
    pair_free(ana);
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"a\",\"gone\":true}");
    pair_free(ben);
    world_close(&world);
}

/* join.second-origin, leave.no-ghost */
Test(join, second_origin_leaves_no_ghost) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *ana = world_client(&world, "w"), *ben = world_client(&world, "v");
    hello(ben, "r", "b", "");
    hello(ana, "r", "a1", "");
    says(ana, "{\"t\":\"presence\",\"room\":\"r\",\"data\":1}");
    drain(ben);
    hello(ana, "r", "a2", "");
    cr_expect_str_eq(next(&world, ben),
                     "{\"t\":\"presence\",\"room\":\"r\",\"peer\":{\"origin\":\"a1\",\"writer\":\"w\","
                     "\"data\":1},\"gone\":true}");
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"a1\",\"gone\":true}");
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"a2\"}");
    pair_free(ana);
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"a2\",\"gone\":true}");
    cr_expect_str_eq(next(&world, ben), "(nothing)");
    cr_expect_eq(room_info(&world, "r").members, 1);
    pair_free(ben);
    world_close(&world);
}

/* Names are equal by their characters, and come out as what they are. */
Test(join, names_with_escapes) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *ana = world_client(&world, "w"), *ben = world_client(&world, "v");
    hello(ana, "\\u0072\\ud83d\\u0000\\\"", "\\u0061", "");
    cr_expect_str_eq(next(&world, ana),
                     "{\"t\":\"welcome\",\"room\":\"r\\ud83d\\u0000\\\"\",\"seq\":0,\"epoch\":\"e1\","
                     "\"schemaVersion\":0,\"peers\":[],\"members\":[],\"mode\":\"up-to-date\"}");
    hello(ben, "r\\uD83D\\u0000\\u0022", "b", "");
    cr_expect_str_eq(next(&world, ana), "{\"t\":\"member\",\"room\":\"r\\ud83d\\u0000\\\"\",\"origin\":\"b\"}");
    says(ben, "{\"t\":\"signal\",\"room\":\"r\\ud83d\\u0000\\\"\",\"to\":\"a\",\"data\":[ 1 ]}");
    cr_expect_str_eq(next(&world, ana),
                     "{\"t\":\"signal\",\"room\":\"r\\ud83d\\u0000\\\"\",\"from\":\"b\",\"data\":[ 1 ]}");
    pair_free(ana);
    pair_free(ben);
    world_close(&world);
}
