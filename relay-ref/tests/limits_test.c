/* The ceilings of relay_options: just at each all is as ever; past it, one clear end for who went past it and no harm to
 * anybody else. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/tests/world.h"

static struct world world;

static struct relay_options defaults(void) {
    return relay_options_default(RELAY_PROTOCOL_0_2_0);
}

/* The ceilings that were hit since the last call. */
static void expect_hit(const char *lines) {
    cr_expect_str_eq(world.observed, lines);
    world.observed[0] = '\0';
}

static void refused(struct pair *client, const char *limit) {
    cr_expect_str_eq(next(&world, client), "(closed)");
    expect_hit(limit);
    pair_free(client);
}

Test(limits, rooms) {
    struct relay_options options = defaults();
    options.max_rooms = 2;
    world_open_with(&world, &options);
    struct pair *client = world_client(&world, "w");
    hello(client, "r1", "o", "");
    hello(client, "r2", "o", "");
    cr_expect_eq(drain(client), 2);
    expect_hit("");
    hello(client, "r3", "o", "");
    refused(client, "limit rooms\n");
    cr_expect_eq(relay_count(world.relay).rooms, 2);
    client = world_client(&world, "w");
    hello(client, "r2", "o", "");
    cr_expect_eq(drain(client), 1, "the rooms that are there still work");
    pair_free(client);
    world_close(&world);
}

Test(limits, rooms_per_connection) {
    struct relay_options options = defaults();
    options.max_rooms_per_connection = 2;
    world_open_with(&world, &options);
    struct pair *client = world_client(&world, "w"), *other = world_client(&world, "v");
    hello(client, "r1", "o", "");
    hello(client, "r2", "o", "");
    hello(client, "r2", "o", "");
    hello(client, "r2", "second", "");
    cr_expect_eq(drain(client), 4, "a room that it is in already counts once");
    hello(other, "r3", "o", "");
    cr_expect_eq(drain(other), 1, "each connection is counted by itself");
    hello(client, "r3", "p", "");
    refused(client, "limit rooms-per-connection\n");
    cr_expect_eq(drain(other), 0);
    pair_free(other);
    world_close(&world);
}

Test(limits, members_per_room) {
    struct relay_options options = defaults();
    options.max_members_per_room = 2;
    world_open_with(&world, &options);
    struct pair *ana = world_client(&world, "a"), *ben = world_client(&world, "b"), *third = world_client(&world, "c");
    hello(ana, "r", "ana", "");
    hello(ben, "r", "ben", "");
    hello(ben, "r", "ben", "");
    drain(ana);
    drain(ben);
    expect_hit("");
    hello(third, "r", "third", "");
    refused(third, "limit members\n");
    cr_expect_eq(drain(ana) + drain(ben), 0, "the others see nothing of it");
    third = world_client(&world, "b");
    hello(third, "r", "ben", "");
    cr_expect_eq(drain(third), 1, "a takeover adds nobody");
    hello(third, "elsewhere", "ben", "");
    cr_expect_eq(drain(third), 1);
    cr_expect_eq(relay_count(world.relay).members, 3);
    pair_free(ben);
    pair_free(ana);
    cr_expect_eq(relay_count(world.relay).members, 2);
    pair_free(third);
    cr_expect_eq(relay_count(world.relay).members, 0);
    world_close(&world);
}

/* A room whose root may have 100 bytes, with `{"a":"x…"}` of 40 in it. */
static struct pair *open_small_room(void) {
    struct relay_options options = defaults();
    options.max_root_bytes = 100;
    world_open_with(&world, &options);
    struct pair *client = world_client(&world, "w");
    hello(client, "r", "o", "");
    writes(client, "r", "w", "[{\"kind\":\"set\",\"path\":[\"a\"],\"next\":\"0123456789012345678901234567890\"}]", "");
    cr_expect_eq(drain(client), 2);
    world.observed[0] = '\0';
    return client;
}

Test(limits, root_bytes) {
    struct pair *client = open_small_room(), *watcher = world_client(&world, "v");
    hello(watcher, "r", "watcher", "");
    drain(client);
    drain(watcher);
    char ops[256], *filler = repeated("y", 50);
    snprintf(ops, sizeof ops, "[{\"kind\":\"set\",\"path\":[\"n\"],\"next\":1},{\"kind\":\"set\",\"path\":[\"b\"],\"next\":\"%s\"}]", filler);
    writes(client, "r", "w", ops, "");
    cr_expect_str_eq(next(&world, client), "(closed)");
    expect_hit("limit root-bytes\n");
    pair_free(client);
    cr_expect(strstr(next(&world, watcher), "\"gone\":true") != NULL);
    cr_expect_eq(room_info(&world, "r").seq, 1, "it is not ordered");
    client = world_client(&world, "w");
    hello(client, "r", "o", "");
    cr_expect(strstr(next(&world, client), "\"root\":{\"a\":\"0123456789012345678901234567890\"}}") != NULL, "%s", world.taken);
    writes(client, "r", "w", "[{\"kind\":\"set\",\"path\":[\"b\"],\"next\":\"small\"}]", "");
    cr_expect(strstr(next(&world, client), "\"seq\":2") != NULL, "the client can come back and go on");
    free(filler);
    pair_free(client);
    pair_free(watcher);
    world_close(&world);
}

/* What is replaced or deleted makes room in the same envelope, however often it happens. */
Test(limits, root_bytes_are_given_back) {
    struct pair *client = open_small_room();
    char ops[400], *large = repeated("z", 60);
    static const char *const makes[] = {
        "[{\"kind\":\"set\",\"path\":[],\"next\":{\"k\":\"%s\"}}]",
        "[{\"kind\":\"set\",\"path\":[\"k\"],\"next\":\"%s\"}]",
        "[{\"kind\":\"delete\",\"path\":[\"k\"]},{\"kind\":\"set\",\"path\":[\"l\"],\"next\":[1,{\"m\":\"%s\"}]}]",
        "[{\"kind\":\"set\",\"path\":[\"l\",1,\"m\"],\"next\":\"%s\"}]",
        "[{\"kind\":\"set\",\"path\":[\"l\",1],\"next\":2},{\"kind\":\"set\",\"path\":[\"l\",0],\"next\":\"%s\"}]",
        "[{\"kind\":\"set\",\"path\":[\"l\",3],\"next\":null},{\"kind\":\"set\",\"path\":[\"l\"],\"next\":[ 7 , [ ] , \"%s\"]}]",
        "[{\"kind\":\"set\",\"path\":[\"l\",1,\"deep\"],\"next\":1},{\"kind\":\"set\",\"path\":[\"l\",1,0],\"next\":1}]",
        "[{\"kind\":\"delete\",\"path\":[\"l\",2]},{\"kind\":\"delete\",\"path\":[\"l\"]}]"};
    for (size_t round = 0; round < 200; round++)
        for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
            snprintf(ops, sizeof ops, makes[i], large);
            writes(client, "r", "w", ops, "");
            cr_assert(strstr(next(&world, client), "\"t\":\"env\"") != NULL, "round %zu, %s", round, ops);
        }
    world.observed[0] = '\0';
    writes(client, "r", "w", "[{\"kind\":\"set\",\"path\":[\"holes\",97],\"next\":1}]", "");
    refused(client, "limit root-bytes\n");
    free(large);
    world_close(&world);
}

Test(limits, array_length_is_left_out_of_the_root_only) {
    struct relay_options options = defaults();
    options.max_array_length = 10;
    world_open_with(&world, &options);
    struct pair *client = world_client(&world, "w");
    hello(client, "r", "o", "");
    drain(client);
    writes(client, "r", "w", "[{\"kind\":\"set\",\"path\":[\"l\",9],\"next\":1}]", "");
    cr_expect_eq(drain(client), 1);
    cr_expect(strstr(world.observed, "limit") == NULL);
    world.observed[0] = '\0';
    writes(client, "r", "w", "[{\"kind\":\"set\",\"path\":[\"l\",10],\"next\":1},{\"kind\":\"set\",\"path\":[\"l\",4294967294],\"next\":1}]", "");
    cr_expect(strstr(next(&world, client), "\"seq\":2") != NULL, "it is ordered");
    cr_expect(strncmp(world.observed, "limit array\n", 12) == 0, "%s", world.observed);
    pair_free(client);
    world_close(&world);
}

/* Sends one op with a path of `segments` and a value of `levels`. */
static void writes_deep(struct pair *client, size_t segments, size_t levels) {
    char ops[2048], *path = repeated(",\"k\"", segments), *open = repeated("[", levels), *close = repeated("]", levels);
    snprintf(ops, sizeof ops, "[{\"next\":%s1%s,\"kind\":\"set\",\"path\":[%s]}]", open, close, *path == ',' ? path + 1 : path);
    writes(client, "r", "w", ops, "");
    free(path);
    free(open);
    free(close);
}

Test(limits, depth) {
    struct relay_options options = defaults();
    options.max_depth = 20;
    world_open_with(&world, &options);
    static const size_t pairs[][2] = {{0, 21}, {21, 0}, {11, 10}, {20, 1}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct pair *client = world_client(&world, "w");
        hello(client, "r", "o", "");
        drain(client);
        writes_deep(client, pairs[i][0] - (pairs[i][0] > 0), pairs[i][1] - (pairs[i][0] == 0));
        cr_expect(strstr(next(&world, client), "\"t\":\"env\"") != NULL, "%zu + %zu", pairs[i][0], pairs[i][1]);
        world.observed[0] = '\0';
        writes_deep(client, pairs[i][0], pairs[i][1]);
        refused(client, "limit depth\n");
    }
    cr_expect_eq(room_info(&world, "r").seq, 4);
    struct pair *client = world_client(&world, "w");
    hello(client, "r", "o", "");
    drain(client);
    says(client, "{\"t\":\"presence\",\"room\":\"r\",\"data\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}");
    cr_expect_str_eq(next(&world, client), "(nothing)", "twenty are allowed in presence, too");
    says(client, "{\"t\":\"presence\",\"room\":\"r\",\"data\":[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]}");
    refused(client, "limit depth\n");
    world_close(&world);
}

Test(limits, journal_bytes) {
    struct relay_options options = defaults();
    options.max_journal_bytes = 1000;
    world_open_with(&world, &options);
    struct pair *client = world_client(&world, "w");
    hello(client, "r", "o", "");
    for (int i = 0; i < 50; i++)
        writes(client, "r", "w", "[]", "");
    size_t kept = room_info(&world, "r").journal;
    cr_expect(kept > 2 && kept < 20, "%zu", kept);
    char *large = repeated("w", 2000), more[2100];
    snprintf(more, sizeof more, ",\"note\":\"%s\"", large);
    writes(client, "r", "w", "[]", more);
    cr_expect_eq(room_info(&world, "r").journal, 1, "the newest stays in any case");
    drain(client);
    hello(client, "r", "o", ",\"seq\":49");
    cr_expect(strstr(next(&world, client), "\"mode\":\"snapshot\"") != NULL);
    hello(client, "r", "o", ",\"seq\":50");
    cr_expect(strstr(next(&world, client), "\"mode\":\"delta\"") != NULL);
    free(large);
    pair_free(client);
    world_close(&world);
}

Test(limits, name_bytes) {
    struct relay_options options = defaults();
    options.max_name_bytes = 10;
    world_open_with(&world, &options);
    struct pair *client = world_client(&world, "w");
    hello(client, "0123456789", "0123456789", "");
    cr_expect_eq(drain(client), 1);
    hello(client, "0123456789x", "o", "");
    refused(client, "limit name-bytes\n");
    client = world_client(&world, "w");
    hello(client, "r", "0123456789x", "");
    refused(client, "limit name-bytes\n");
    cr_expect_eq(relay_count(world.relay).rooms, 1);
    world_close(&world);
}

static void announces(struct pair *client, size_t bytes) {
    char *filler = repeated("p", bytes);
    says(client, "{\"t\":\"presence\",\"room\":\"r\",\"data\":\"%s\"}", filler);
    free(filler);
}

Test(limits, presence_bytes) {
    struct relay_options options = defaults();
    options.max_presence_bytes = 400;
    world_open_with(&world, &options);
    struct pair *ana = world_client(&world, "a"), *ben = world_client(&world, "b");
    hello(ana, "r", "ana", "");
    hello(ben, "r", "ben", "");
    for (int i = 0; i < 20; i++)
        announces(ana, 200);
    announces(ben, 80);
    expect_hit("");
    size_t kept = relay_count(world.relay).kept_bytes;
    cr_expect(kept > 280 && kept <= 400, "%zu", kept);
    drain(ana);
    drain(ben);
    announces(ben, 200);
    refused(ben, "limit presence-bytes\n");
    cr_expect(strstr(next(&world, ana), "\"gone\":true") != NULL);
    announces(ana, 320);
    expect_hit("");
    hello(ana, "r", "ana", "");
    cr_expect_eq(relay_count(world.relay).kept_bytes, 0, "a new hello drops it");
    pair_free(ana);
    world_close(&world);
}

/* What all rooms keep together: a room that is hydrated, written to, or left counts as what it is then. */
Test(limits, kept_bytes) {
    struct relay_options options = defaults();
    options.max_kept_bytes = 3000;
    options.journal_limit = 1;
    world_open_with(&world, &options);
    cr_assert_eq(hydrates(&world, "old", "{\"seq\":3,\"root\":\"0123456789\"}"), RELAY_HYDRATED);
    cr_expect_eq(relay_count(world.relay).kept_bytes, 12);
    struct pair *ana = world_client(&world, "w");
    char *filler = repeated("x", 1000), ops[1200];
    snprintf(ops, sizeof ops, "[{\"kind\":\"set\",\"path\":[],\"next\":\"%s\"}]", filler);
    hello(ana, "one", "o", "");
    for (int i = 0; i < 20; i++)
        writes(ana, "one", "w", ops, "");
    size_t one = relay_count(world.relay).kept_bytes;
    cr_expect(one > 2012 && one < 2500, "%zu: one root and one envelope", one);
    hello(ana, "two", "o", "");
    writes(ana, "two", "w", ops, "");
    cr_expect(strstr(world.observed, "limit") == NULL);
    world.observed[0] = '\0';
    drain(ana);
    writes(ana, "two", "w", "[]", "");
    refused(ana, "limit kept-bytes\n");
    cr_expect_eq(room_info(&world, "two").seq, 1, "it is not ordered");
    free(filler);
    world_close(&world);
}

/* That a writer is ejected is kept for good, and so counts, too. */
Test(limits, ejected_writers) {
    struct relay_options options = defaults();
    options.max_kept_bytes = 3000;
    world_open_with(&world, &options);
    unsigned ejections = 0;
    bool full = false;
    while (!full && ejections < 200) {
        char writer[64];
        snprintf(writer, sizeof writer, "w%050u", ejections);
        struct pair *eve = world_client(&world, writer);
        hello(eve, "r", "o", "");
        world.observed[0] = '\0';
        writes(eve, "r", "somebody else", "[]", "");
        full = strstr(world.observed, "limit kept-bytes") != NULL;
        ejections += full ? 0 : 1;
        cr_expect_eq(strstr(world.observed, "writer-mismatch") == NULL, full);
        pair_free(eve);
    }
    cr_expect(full && ejections > 5 && ejections < 40, "%u ejections", ejections);
    cr_expect_eq(room_info(&world, "r").ejected, ejections);
    world_close(&world);
}
