#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "relay-ref/tests/world.h"

static struct world world;

#define EJECT(reason) "{\"t\":\"eject\",\"room\":\"r\",\"writer\":\"w\",\"reason\":\"" reason "\"}"

struct silent {
    size_t sends, closes;
};

static void count_send(void *context, struct relay_frame *frame) {
    struct silent *silent = context;
    silent->sends += frame->references > 0;
}

static void count_close(void *context) {
    struct silent *silent = context;
    silent->closes++;
}

static void open_with(const char *options) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, options);
}

/* What one envelope (`env` is its text) of a fresh member causes: its next message. */
static const char *sent(const char *env) {
    static char kept[512];
    struct pair *client = world_client(&world, "w");
    static unsigned room;
    char name[16];
    snprintf(name, sizeof name, "r%u", ++room);
    hello(client, name, "o", "");
    drain(client);
    says(client, "{\"t\":\"env\",\"room\":\"%s\",\"env\":%s}", name, env);
    snprintf(kept, sizeof kept, "%s", next(&world, client));
    char *at = strstr(kept, name);
    if (at != NULL)
        memmove(at + 1, at + strlen(name), strlen(at + strlen(name)) + 1);
    pair_free(client);
    return kept;
}

#define OP "{\"kind\":\"set\",\"path\":[\"a\"],\"next\":1}"
#define BAD_OP "{\"kind\":\"set\",\"path\":[\"bad\",1],\"next\":\"x\"}"

/* eject.order: in each case everything from the reason on is wrong. */
Test(eject, checks_in_their_order) {
    open_with("{\"limits\":{\"maxOpsPerEnvelope\":1},\"policy\":{\"acl\":[{\"prefix\":[\"a\"],\"allow\":true}]}}");
    cr_expect_str_eq(sent("{\"proto\":2,\"policyVersion\":1,\"writer\":\"x\",\"ops\":[1,2,3]}"), EJECT("proto"));
    cr_expect_str_eq(sent("{\"proto\":1,\"policyVersion\":1,\"writer\":\"x\",\"ops\":[1,2,3]}"), EJECT("proto"));
    cr_expect_str_eq(sent("{\"policyVersion\":0,\"writer\":\"x\",\"ops\":[1,2,3]}"), EJECT("proto"));
    cr_expect_str_eq(sent("{\"proto\":1,\"policyVersion\":0,\"writer\":\"x\",\"ops\":[" OP "," BAD_OP "]}"),
                     EJECT("ops-limit"));
    cr_expect_str_eq(sent("{\"proto\":1,\"policyVersion\":0,\"writer\":\"x\",\"ops\":[" BAD_OP "]}"),
                     EJECT("writer-mismatch"));
    cr_expect_str_eq(sent("{\"proto\":1,\"policyVersion\":0,\"ops\":[" BAD_OP "]}"), EJECT("writer-mismatch"));
    cr_expect_str_eq(sent("{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[" BAD_OP "]}"),
                     EJECT("can-write"));
    cr_expect_eq(
        strncmp(sent("{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[" OP "]}"), "{\"t\":\"env\"", 10), 0);
    world_close(&world);
}

Test(eject, the_first_bad_op_names_the_reason) {
    open_with("{\"policy\":{\"acl\":[{\"prefix\":[\"a\"],\"allow\":true}],"
              "\"validate\":[{\"prefix\":[\"a\"],\"deny\":{\"$type\":\"string\"}}]}}");
    cr_expect_str_eq(sent("{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[" OP
                          ",{\"kind\":\"set\",\"path\":[\"a\"],\"next\":\"x\"}," BAD_OP "]}"),
                     EJECT("validate"));
    cr_expect_not_null(strstr(world.observed, "w validate [\"a\"]\n"));
    cr_expect_str_eq(sent("{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[" OP "," BAD_OP
                          ",{\"kind\":\"set\",\"path\":[\"a\"],\"next\":\"x\"}]}"),
                     EJECT("can-write"));
    cr_expect_not_null(strstr(world.observed, "w can-write [\"bad\",1]\n"));
    cr_expect_null(strstr(world.observed, "commit"), "eject.whole-envelope");
    world_close(&world);
}

Test(eject, malformed_envelopes_are_ignored) {
    open_with(NULL);
    static const char *const malformed[] = {
        "1",
        "null",
        "[]",
        "\"x\"",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\"}",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":{}}",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[1]}",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[" OP ",null]}",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[{}]}",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[{\"kind\":\"merge\",\"path\":[]}]}",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[{\"kind\":\"set\",\"next\":1}]}",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[{\"kind\":\"set\",\"path\":\"a\",\"next\":1}]}",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[{\"kind\":\"set\",\"path\":[null],\"next\":1}]}",
        "{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\",\"ops\":[{\"kind\":\"set\",\"path\":[[]],\"next\":1}]}",
    };
    struct pair *client = world_client(&world, "w");
    hello(client, "r", "o", "");
    drain(client);
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        says(client, "{\"t\":\"env\",\"room\":\"r\",\"env\":%s}", malformed[i]);
        cr_expect_str_eq(next(&world, client), "(nothing)", "%s", malformed[i]);
    }
    cr_expect_eq(room_info(&world, "r").seq, 0);
    writes(client, "r", "w", "[" OP "]", "");
    cr_expect_eq(room_info(&world, "r").seq, 1, "the room goes on");
    pair_free(client);
    world_close(&world);
}

/* Two connections of the writer and one other member: who sees what, in which order. */
Test(eject, all_connections_of_the_writer_leave) {
    open_with(NULL);
    struct pair *first = world_client(&world, "w"), *second = world_client(&world, "w"),
                *other = world_client(&world, "v");
    hello(first, "r", "a", "");
    hello(other, "r", "b", "");
    hello(second, "r", "c", "");
    hello(second, "q", "c", "");
    hello(other, "q", "b", "");
    says(first, "{\"t\":\"presence\",\"room\":\"r\",\"data\":1}");
    drain(first);
    drain(second);
    drain(other);
    writes(second, "r", "x", "[]", "");
    static const char *const other_sees[] = {
        EJECT("writer-mismatch"),
        "{\"t\":\"presence\",\"room\":\"r\",\"peer\":{\"origin\":\"a\",\"writer\":\"w\",\"data\":1},\"gone\":true}",
        "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"a\",\"gone\":true}",
        "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"c\",\"gone\":true}",
        "(nothing)",
    };
    for (size_t i = 0; i < sizeof other_sees / sizeof *other_sees; i++)
        cr_expect_str_eq(next(&world, other), other_sees[i]);
    cr_expect_str_eq(next(&world, first), EJECT("writer-mismatch"));
    cr_expect_str_eq(next(&world, first), "(closed)");
    cr_expect_str_eq(next(&world, second), EJECT("writer-mismatch"));
    drain(second);
    cr_expect_eq(room_info(&world, "r").members, 1);
    cr_expect_str_eq(world.observed, "violation r w writer-mismatch -\n", "eject.observed: once");

    hello(second, "q", "d", "");
    writes(second, "q", "w", "[]", "");
    cr_expect_eq(room_info(&world, "q").seq, 0, "a closed connection is not listened to");
    pair_disconnect(second);
    cr_expect_str_eq(next(&world, other), "{\"t\":\"member\",\"room\":\"q\",\"origin\":\"c\",\"gone\":true}",
                     "eject.closes-connection");
    pair_disconnect(first);
    cr_expect_str_eq(next(&world, other), "(nothing)", "leave.once");
    writes(other, "r", "v", "[]", "");
    cr_expect_eq(room_info(&world, "r").seq, 1, "eject.others-untouched");
    pair_free(first);
    pair_free(second);
    pair_free(other);
    world_close(&world);
}

/* A transport may go on handing in what it had received before it heard of the close. */
Test(eject, a_closed_connection_is_not_listened_to) {
    open_with(NULL);
    struct pair *watcher = world_client(&world, "v");
    struct silent silent = {0, 0};
    struct relay_sink sink = {&silent, count_send, count_close};
    struct relay_principal principal = {.writer = {"w", 1}};
    struct relay_connection *connection = relay_connect(world.relay, &sink, &principal);
    static const char join[] = "{\"t\":\"hello\",\"room\":\"q\",\"origin\":\"o\",\"proto\":1,\"policyVersion\":0}";
    hello(watcher, "q", "watcher", "");
    relay_receive(connection, "x", 1);
    cr_expect_eq(silent.closes, 1);
    relay_receive(connection, join, sizeof join - 1);
    relay_receive(connection, "x", 1);
    cr_expect(silent.sends == 0 && silent.closes == 1);
    cr_expect_eq(room_info(&world, "q").members, 1);
    relay_disconnect(connection);
    pair_free(watcher);
    world_close(&world);
}

Test(eject, the_writer_stays_out_of_that_room_only) {
    open_with(NULL);
    struct pair *bad = world_client(&world, "w");
    hello(bad, "r", "o", "");
    writes(bad, "r", "x", "[]", "");
    pair_free(bad);
    struct pair *again = world_client(&world, "w");
    says(again, "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"new\",\"proto\":9}");
    cr_expect_str_eq(next(&world, again), "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"unauthorized\"}");
    hello(again, "q", "new", "");
    cr_expect_eq(strncmp(next(&world, again), "{\"t\":\"welcome\"", 14), 0);
    pair_free(again);
    struct pair *other = world_client(&world, "w2");
    hello(other, "r", "new", "");
    cr_expect_eq(strncmp(next(&world, other), "{\"t\":\"welcome\"", 14), 0);
    pair_free(other);
    world_close(&world);
}
