/*
 * Memory that is out: the first allocation fails, then the second, and so on until all succeed. Nothing crashes or
 * leaks, and what the relay says afterwards is whole: the snapshot is the fold of the ordered envelopes.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/fold.h"
#include "relay-ref/json/string.h"
#include "relay-ref/tests/equal.h"
#include "relay-ref/tests/failing_memory.h"
#include "relay-ref/tests/failing_session.h"
#include "relay-ref/tests/world.h"

static struct world world;

#define OPTIONS                                                                                                        \
    "{\"journalLimit\":100,\"limits\":{\"maxEnvelopesPerSecond\":20},\"policy\":{\"acl\":["                            \
    "{\"prefix\":[\"\\u0078\"],\"allow\":{\"claims\":{\"a\":1}}},{\"prefix\":[],\"allow\":true}],"                     \
    "\"validate\":[{\"prefix\":[\"n\"],\"deny\":{\"\\u0061\":\"\\u0062\"}}]}}"

/* Every kind of op, with keys that need decoding, arrays, holes, chains, an index that gets built, and undone removals.
 */
#define MANY_OPS                                                                                                       \
    "[{\"kind\":\"set\",\"path\":[],\"next\":{\"a\":{\"\\u0062\":[1,{\"c\":2}]},\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,"  \
    "\"k5\":5,"                                                                                                        \
    "\"k6\":6,\"k7\":7}},"                                                                                             \
    "{\"kind\":\"set\",\"path\":[\"a\",\"b\",1,\"c\"],\"next\":3},"                                                    \
    "{\"kind\":\"delete\",\"path\":[\"k3\"]},{\"kind\":\"set\",\"path\":[\"k8\"],\"next\":8},"                         \
    "{\"kind\":\"set\",\"path\":[\"k9\"],\"next\":9},{\"kind\":\"set\",\"path\":[\"k10\"],\"next\":10},"               \
    "{\"kind\":\"set\",\"path\":[\"\\u006bey\",3,\"\\u0064eep\",0],\"next\":[]},"                                      \
    "{\"kind\":\"delete\",\"path\":[\"a\",\"b\",0]},{\"kind\":\"set\",\"path\":[\"a\",\"b\",7],\"next\":0},"           \
    "{\"kind\":\"set\",\"path\":[\"k1\"],\"next\":{\"x\":1}},{\"kind\":\"delete\",\"path\":[\"gone\",\"x\"]}]"

static void run_script(struct pair *ana, struct pair *ben) {
    hello(ana, "\\u0072", "\\u0061na", "");
    hello(ben, "r", "ben", "");
    writes(ana, "r", "w", MANY_OPS, "");
    writes(ben, "r", "v", "[{\"kind\":\"set\",\"path\":[\"a\",\"b\",1],\"next\":{\"z\":[[]]}}]",
           ",\"schemaVersion\":4,\"seq\":1");
    says(ana, "{\"t\":\"presence\",\"room\":\"r\",\"data\":{\"x\":1}}");
    says(ben, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"\\u0061na\",\"data\":1}");
    hello(ben, "r", "ben", ",\"seq\":1");
    writes(ana, "r", "w", MANY_OPS, "");
    hello(ben, "q", "ben", "");
    writes(ben, "q", "x", "[]", "");
}

/* Takes the folded envelopes out of a delta's text and folds them anew. */
static void fold_envelopes(struct fold *fold, const char *welcome) {
    struct json_scanner scanner;
    struct json_value name, value, envelope;
    struct message message;
    struct message_ops ops = {0};
    relay_scan_start(&scanner, welcome, strlen(welcome));
    cr_assert(relay_scan_enter(&scanner));
    while (relay_scan_member(&scanner, &name)) {
        if (!relay_string_is(&name, "envs")) {
            cr_assert(relay_scan_value(&scanner, &value));
            continue;
        }
        cr_assert(relay_scan_enter(&scanner));
        while (relay_scan_element(&scanner) && relay_scan_value(&scanner, &envelope)) {
            char text[8192];
            int length = snprintf(text, sizeof text, "{\"env\":%.*s}", (int)envelope.length, envelope.bytes);
            cr_assert_eq(relay_message_read(&message, &ops, 1024, text, (size_t)length), JSON_FINE);
            cr_assert(relay_fold_apply(fold, ops.items, ops.count));
        }
    }
    relay_scan_end(&scanner);
    free(ops.items);
}

/* What a new member is told is in itself true: delta from the start, folded, is the snapshot. */
static void check_room(void) {
    static const struct table_seed seed = {3, 4};
    struct fold fold;
    struct relay_text root;
    struct relay_room_info info = room_info(&world, "r");
    struct pair *reader = world_client(&world, "reader");
    cr_assert_eq(info.journal, info.seq);
    if (info.seq > 0) {
        relay_fold_start(&fold, &seed, 1000000);
        hello(reader, "r", "reader", ",\"seq\":0");
        fold_envelopes(&fold, next(&world, reader));
        cr_assert(relay_fold_text(&fold, &root));
        hello(reader, "r", "reader", "");
        const char *got = strstr(next(&world, reader), "\"mode\":\"snapshot\",\"root\":");
        if (root.bytes != NULL) {
            cr_assert_not_null(got, "%s", world.taken);
            got += strlen("\"mode\":\"snapshot\",\"root\":");
            cr_assert(equal_json(got, strlen(got) - 1, root.bytes, root.length), "%s is not %.*s", got,
                      (int)root.length, root.bytes);
        }
        relay_fold_free(&fold);
    }
    pair_free(reader);
}

static const struct failing_session session = {.world = &world,
                                               .protocol = RELAY_PROTOCOL_0_2_0,
                                               .options = OPTIONS,
                                               .run = run_script,
                                               .check = check_room,
                                               .check_without_ana = check_room};

Test(memory, every_allocation_of_a_session_may_fail) {
    every_allocation_fails(&session, false, 100);
}

Test(memory, it_may_stay_out) {
    every_allocation_fails(&session, true, 100);
}

/* An envelope of several ops is folded whole or not at all, and its connection is closed. */
Test(memory, a_fold_that_fails_is_undone) {
    static const char before[] = "[{\"kind\":\"set\",\"path\":[],\"next\":{\"a\":1,\"b\":{\"c\":[1,2,3]},\"d\":4}}]";
    static const char ops[] =
        "[{\"kind\":\"set\",\"path\":[\"a\"],\"next\":2},{\"kind\":\"delete\",\"path\":[\"b\",\"c\",1]},"
        "{\"kind\":\"set\",\"path\":[\"b\",\"c\",5],\"next\":6},"
        "{\"kind\":\"delete\",\"path\":[\"b\"]},{\"kind\":\"set\",\"path\":[\"e\",\"f\"],\"next\":5},"
        "{\"kind\":\"set\",\"path\":[],\"next\":{}},{\"kind\":\"set\",\"path\":[\"g\",9],\"next\":6}]";
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        size_t in_use = memory_in_use();
        world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
        struct pair *client = world_client(&world, "w"), *reader = world_client(&world, "v");
        hello(client, "r", "o", "");
        writes(client, "r", "w", before, "");
        hello(reader, "r", "p", "");
        drain(client);
        drain(reader);
        memory_fails_at(nth, false);
        writes(client, "r", "w", ops, "");
        failed = memory_works_again();
        bool ordered = room_info(&world, "r").seq == 2;
        writes(reader, "r", "v", "[{\"kind\":\"set\",\"path\":[\"z\"],\"next\":0}]", "");
        hello(reader, "r", "p", "");
        if (ordered)
            drain(client);
        else
            cr_expect_str_eq(next(&world, client), "(closed)");
        while (strstr(next(&world, reader), "\"welcome\"") == NULL)
            cr_assert_str_neq(world.taken, "(nothing)");
        cr_expect_not_null(
            strstr(world.taken, ordered ? "\"root\":{\"g\":[null,null,null,null,null,null,null,null,null,6],\"z\":0}"
                                        : "\"root\":{\"a\":1,\"b\":{\"c\":[1,2,3]},\"d\":4,\"z\":0}"),
            "%s", world.taken);
        pair_free(client);
        pair_free(reader);
        world_close(&world);
        cr_assert_eq(memory_in_use(), in_use);
    }
}

Test(memory, a_hydrate_that_fails_changes_nothing) {
    static const char snapshot[] =
        "{\"seq\":3,\"root\":{\"a\":1},\"epoch\":\"\\u0065\",\"journal\":[{\"seq\":2},{\"seq\":3}]}";
    enum relay_hydrated answer = RELAY_HYDRATE_REFUSED;
    for (size_t nth = 1; answer != RELAY_HYDRATED; nth++) {
        size_t in_use = memory_in_use();
        world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
        memory_fails_at(nth, false);
        answer = hydrates(&world, "r", snapshot);
        bool failed = memory_works_again();
        struct relay_room_info info = room_info(&world, "r");
        if (failed) {
            cr_expect_eq(answer, RELAY_HYDRATE_REFUSED);
            cr_expect(info.seq == 0 && info.journal == 0);
            cr_expect_eq(hydrates(&world, "r", snapshot), RELAY_HYDRATED, "it can be tried again");
        } else {
            cr_expect(info.seq == 3 && info.journal == 2);
        }
        world_close(&world);
        cr_assert_eq(memory_in_use(), in_use);
    }
}

Test(memory, making_relays_and_connections_may_fail) {
    static const char options[] = OPTIONS;
    struct relay_principal principal = {.writer = {"w", 1}};
    char reason[200];
    bool failed = true;
    size_t in_use = memory_in_use();
    for (size_t nth = 1; failed; nth++) {
        memory_fails_at(nth, false);
        struct relay_settings *settings = relay_settings_read(
            RELAY_PROTOCOL_0_2_0, (struct relay_text){options, sizeof options - 1}, reason, sizeof reason);
        failed = memory_works_again();
        cr_expect_eq(settings == NULL, failed);
        relay_settings_free(settings);
    }
    failed = true;
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    for (size_t nth = 1; failed; nth++) {
        memory_fails_at(nth, false);
        struct pair *pair = pair_open(world.relay, &principal);
        failed = memory_works_again();
        cr_expect_eq(pair == NULL, failed);
        pair_free(pair);
    }
    world_close(&world);
    cr_expect_eq(memory_in_use(), in_use);
}
