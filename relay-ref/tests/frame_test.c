/* What goes over the wire: verbatim envelopes, one counted frame a broadcast, garbage. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/tests/world.h"

static struct world world;

static struct pair *member(const char *origin) {
    struct pair *client = world_client(&world, "w");
    hello(client, "r", origin, "");
    drain(client);
    return client;
}

static void comes_out(const char *env, const char *wanted) {
    struct pair *client = member("o");
    char expected[1024];
    says(client, "{\"t\":\"env\",\"room\":\"r\",\"env\":%s}", env);
    snprintf(expected, sizeof expected, "{\"t\":\"env\",\"room\":\"r\",\"env\":%s}", wanted);
    cr_expect_str_eq(next(&world, client), expected);
    pair_free(client);
}

#define VERSIONS "\"proto\":1,\"policyVersion\":0,\"writer\":\"w\""

Test(frame, envelopes_are_spliced_and_a_clients_seq_is_overwritten) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    comes_out("{" VERSIONS ",\"ops\":[],\"x\":{\"\":[ 1e2 ,\"\\u0000\\ud83d\"]} }",
              "{" VERSIONS ",\"ops\":[],\"x\":{\"\":[ 1e2 ,\"\\u0000\\ud83d\"]} ,\"seq\":1}");
    comes_out("{\"seq\":9," VERSIONS ",\"ops\":[]}", "{" VERSIONS ",\"ops\":[],\"seq\":2}");
    comes_out("{" VERSIONS ",\"ops\":[],\"seq\":{\"a\":[]}}", "{" VERSIONS ",\"ops\":[],\"seq\":3}");
    comes_out("{\"s\\u0065q\" : 1, " VERSIONS " , \"seq\":2 , \"ops\" : [] ,\"seq\":3}",
              "{" VERSIONS ",\"ops\" : [],\"seq\":4}");
    comes_out("{" VERSIONS ",\"ops\":[{\"kind\":\"set\",\"path\":[\"seq\"],\"next\":{\"seq\":7},\"seq\":8}]}",
              "{" VERSIONS
              ",\"ops\":[{\"kind\":\"set\",\"path\":[\"seq\"],\"next\":{\"seq\":7},\"seq\":8}],\"seq\":5}");
    world_close(&world);
}

Test(frame, a_broadcast_is_one_frame_for_all) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *members[5];
    struct pair_event events[5];
    for (size_t i = 0; i < 5; i++) {
        char origin[2] = {(char)('a' + i), '\0'};
        members[i] = member(origin);
    }
    for (size_t i = 0; i < 5; i++)
        drain(members[i]);
    writes(members[0], "r", "w", "[]", "");
    for (size_t i = 0; i < 5; i++) {
        events[i] = pair_take(members[i]);
        cr_assert_eq(events[i].kind, PAIR_MESSAGE);
        cr_expect_eq(events[i].frame, events[0].frame);
    }
    cr_expect_eq(events[0].frame->references, 6, "five members and the journal");
    memset(events[0].frame->text - RELAY_FRAME_HEADROOM, 0xff, RELAY_FRAME_HEADROOM);
    for (size_t i = 0; i < 5; i++)
        relay_frame_release(events[i].frame);
    hello(members[0], "r", "a", ",\"seq\":0");
    cr_expect_not_null(strstr(next(&world, members[0]), "\"envs\":[{\"proto\":1,"), "the headroom is not part of it");
    for (size_t i = 0; i < 5; i++)
        pair_free(members[i]);
    world_close(&world);
}

Test(frame, a_kept_frame_outlives_the_relay) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *client = member("o");
    writes(client, "r", "w", "[]", "");
    struct pair_event event = pair_take(client);
    pair_free(client);
    world_close(&world);
    cr_expect_eq(event.frame->references, 1);
    cr_expect_eq(strncmp(event.frame->text, "{\"t\":\"env\"", 10), 0);
    relay_frame_release(event.frame);
}

/* ---- garbage ------------------------------------------------------------------------------------- */

Test(frame, garbage_closes_its_connection_only) {
    static const char *const garbage[] = {
        "",
        " ",
        "x",
        "nul",
        "1",
        "null",
        "\"{}\"",
        "[]",
        "[{}]",
        "{",
        "{}x",
        "{}{}",
        "{\"t\":\"hello\"",
        "{\"t\":\"\\x\"}",
        "{\"t\":\"\\u12\"}",
        "{\"t\":\"\xff\"}",
        "{\"t\":\"\xc0\xaf\"}",
        "{\"t\":\"\xed\xa0\x80\"}",
        "{'t':1}",
        "{\"a\":01}",
    };
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *other = member("other");
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        struct pair *client = member("o");
        drain(other);
        pair_send(client, garbage[i], strlen(garbage[i]));
        cr_expect_str_eq(next(&world, client), "(closed)", "%s", garbage[i]);
        cr_expect_str_eq(next(&world, other), "(nothing)");
        pair_free(client);
        cr_expect_str_eq(next(&world, other), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"o\",\"gone\":true}");
    }
    cr_expect_eq(room_info(&world, "r").members, 1);
    pair_free(other);
    world_close(&world);
}

Test(frame, objects_that_are_no_message_are_ignored) {
    static const char *const ignored[] = {
        "{}",
        "{\"t\":1}",
        "{\"t\":null}",
        "{\"t\":\"HELLO\"}",
        "{\"t\":\"bye\",\"room\":\"r\"}",
        "{\"t\":\"hello\"}",
        "{\"t\":\"hello\",\"room\":\"r\"}",
        "{\"t\":\"hello\",\"origin\":\"x\"}",
        "{\"t\":\"hello\",\"room\":1,\"origin\":\"x\"}",
        "{\"t\":\"hello\",\"room\":\"r\",\"origin\":null}",
        "{\"t\":\"env\"}",
        "{\"t\":\"env\",\"room\":\"r\"}",
        "{\"t\":\"env\",\"room\":\"r\",\"env\":[]}",
        "{\"t\":\"env\",\"room\":[],\"env\":{}}",
        "{\"t\":\"presence\"}",
        "{\"t\":\"presence\",\"room\":{}}",
        "{\"t\":\"signal\",\"room\":\"r\"}",
        "{\"t\":\"signal\",\"room\":\"r\",\"to\":1}",
        "{\"t\":\"signal\",\"to\":\"o\"}",
        "{\"t\":\"env\",\"room\":\"elsewhere\",\"env\":{}}",
        "{\"t\":\"presence\",\"room\":\"elsewhere\"}",
    };
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *client = member("o"), *other = member("other");
    drain(client);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        pair_send(client, ignored[i], strlen(ignored[i]));
        cr_expect_str_eq(next(&world, client), "(nothing)", "%s", ignored[i]);
        cr_expect_str_eq(next(&world, other), "(nothing)", "%s", ignored[i]);
    }
    says(client, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"o\"}");
    cr_expect_str_eq(next(&world, client), "{\"t\":\"signal\",\"room\":\"r\",\"from\":\"o\"}");
    pair_free(client);
    pair_free(other);
    world_close(&world);
}

Test(frame, a_deep_payload_is_kept_live_by_delta_and_by_snapshot) {
    static const size_t levels[] = {64, 999, 1001, 5000, 100000};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
        struct pair *client = member("o");
        char *open = repeated("[", levels[i]), *close = repeated("]", levels[i]);
        char *text = malloc(levels[i] * 2 + 256), *value = malloc(levels[i] * 2 + 1);
        cr_assert(text != NULL && value != NULL);
        sprintf(value, "%s%s", open, close);
        int length = sprintf(text,
                             "{\"t\":\"env\",\"room\":\"r\",\"env\":{" VERSIONS
                             ",\"ops\":[{\"kind\":\"set\",\"path\":[\"a\",0],\"next\":%s}]}}",
                             value);
        pair_send(client, text, (size_t)length);
        cr_expect_not_null(strstr(next(&world, client), value));
        hello(client, "r", "o", ",\"seq\":0");
        cr_expect_not_null(strstr(next(&world, client), value));
        hello(client, "r", "o", "");
        cr_expect_not_null(strstr(next(&world, client), value));
        pair_free(client);
        world_close(&world);
        free(open);
        free(close);
        free(text);
        free(value);
    }
}

/* ---- the pair ------------------------------------------------------------------------------------ */

Test(pair, is_first_in_first_out_and_closes_once) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *client = member("o");
    for (int i = 0; i < 100; i++)
        says(client, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"o\",\"data\":%d}", i);
    pair_send(client, "x", 1);
    for (int i = 0; i < 100; i++) {
        char wanted[96];
        snprintf(wanted, sizeof wanted, "{\"t\":\"signal\",\"room\":\"r\",\"from\":\"o\",\"data\":%d}", i);
        cr_assert_str_eq(next(&world, client), wanted);
    }
    cr_expect_str_eq(next(&world, client), "(closed)");
    cr_expect_str_eq(next(&world, client), "(nothing)");
    hello(client, "r", "o", "");
    cr_expect_str_eq(next(&world, client), "(nothing)", "nothing goes in after the close");
    pair_free(client);
    world_close(&world);
}

Test(pair, can_be_read_after_its_own_end) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *client = member("o");
    says(client, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"o\"}");
    pair_disconnect(client);
    pair_disconnect(client);
    says(client, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"o\"}");
    cr_expect_str_eq(next(&world, client), "{\"t\":\"signal\",\"room\":\"r\",\"from\":\"o\"}");
    cr_expect_str_eq(next(&world, client), "(nothing)");
    cr_expect_eq(room_info(&world, "r").members, 0);
    pair_free(client);
    world_close(&world);
}
