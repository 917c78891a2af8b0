#include <criterion/criterion.h>
#include <stdio.h>

#include "relay-ref/tests/world.h"

static struct world world;

/* How many of `tries` envelopes are ordered before the writer is ejected. */
static size_t ordered(struct pair *client, const char *room, const char *writer, size_t tries) {
    uint64_t before = room_info(&world, room).seq;
    for (size_t i = 0; i < tries; i++)
        writes(client, room, writer, "[]", "");
    return (size_t)(room_info(&world, room).seq - before);
}

static struct pair *member(const char *writer, const char *room, const char *origin) {
    struct pair *client = world_client(&world, writer);
    hello(client, room, origin, "");
    return client;
}

Test(rate, burst_is_twice_the_rate) {
    static const struct {
        const char *options;
        size_t burst;
    } cases[] = {
        {"{\"limits\":{\"maxEnvelopesPerSecond\":1}}", 2},   {"{\"limits\":{\"maxEnvelopesPerSecond\":3}}", 6},
        {"{\"limits\":{\"maxEnvelopesPerSecond\":0.5}}", 1}, {"{\"limits\":{\"maxEnvelopesPerSecond\":1.25}}", 2},
        {"{\"limits\":{\"maxEnvelopesPerSecond\":0}}", 50},  {"{}", 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world_open(&world, RELAY_PROTOCOL_0_2_0, cases[i].options);
        struct pair *client = member("w", "r", "o");
        cr_expect_eq(ordered(client, "r", "w", 50), cases[i].burst, "%s", cases[i].options);
        pair_free(client);
        world_close(&world);
    }
}

/* An empty bucket of rate 2 after some time: a token comes every 500 ms, and never more than 4 of them. */
Test(rate, refill_is_continuous_and_capped) {
    static const struct {
        int64_t wait;
        size_t tokens;
    } cases[] = {{0, 0}, {250, 0}, {499, 0}, {500, 1}, {501, 1}, {999, 1}, {1000, 2}, {1999, 3}, {2000, 4}, {9000, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"limits\":{\"maxEnvelopesPerSecond\":2}}");
        struct pair *client = member("w", "r", "o");
        cr_assert_eq(ordered(client, "r", "w", 4), 4);
        world.now += cases[i].wait;
        cr_expect_eq(ordered(client, "r", "w", 9), cases[i].tokens, "after %lld ms", (long long)cases[i].wait);
        pair_free(client);
        world_close(&world);
    }
}

/* Half a token is kept: two waits of 250 ms give what one of 500 ms gives. */
Test(rate, half_tokens_add_up) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"limits\":{\"maxEnvelopesPerSecond\":2}}");
    struct pair *client = member("w", "r", "o");
    cr_assert_eq(ordered(client, "r", "w", 3), 3);
    world.now += 250;
    cr_assert_eq(ordered(client, "r", "w", 1), 1);
    world.now += 250;
    cr_assert_eq(ordered(client, "r", "w", 1), 1);
    cr_assert_eq(ordered(client, "r", "w", 1), 0);
    pair_free(client);
    world_close(&world);
}

Test(rate, one_bucket_a_writer_and_room) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"limits\":{\"maxEnvelopesPerSecond\":1}}");
    struct pair *first = member("w", "r", "a"), *second = member("w", "r", "b"), *other = member("v", "r", "c");
    hello(first, "q", "a", "");
    cr_expect_eq(ordered(first, "r", "w", 1), 1);
    cr_expect_eq(ordered(second, "r", "w", 1), 1);
    cr_expect_eq(ordered(other, "r", "v", 2), 2, "another writer has its own");
    cr_expect_eq(ordered(first, "q", "w", 2), 2, "another room has its own");
    cr_expect_eq(ordered(second, "r", "w", 1), 0);
    pair_free(first);
    pair_free(second);
    pair_free(other);
    world_close(&world);
}

Test(rate, leaving_does_not_fill_the_bucket) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"limits\":{\"maxEnvelopesPerSecond\":1}}");
    struct pair *client = member("w", "r", "a");
    cr_assert_eq(ordered(client, "r", "w", 2), 2);
    pair_free(client);
    client = member("w", "r", "a");
    cr_expect_eq(ordered(client, "r", "w", 1), 0);
    pair_free(client);
    world_close(&world);
}

Test(rate, only_envelopes_cost) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"limits\":{\"maxEnvelopesPerSecond\":1}}");
    struct pair *client = member("w", "r", "a");
    for (int i = 0; i < 20; i++) {
        hello(client, "r", "a", "");
        says(client, "{\"t\":\"presence\",\"room\":\"r\",\"data\":1}");
        says(client, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"a\",\"data\":1}");
    }
    cr_expect_eq(ordered(client, "r", "w", 2), 2);
    pair_free(client);
    world_close(&world);
}

/* Thousands of writers who come and go leave nothing behind once their buckets are full again; the ejected stay known.
 */
Test(rate, full_buckets_are_forgotten_but_not_the_ejected) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, "{\"limits\":{\"maxEnvelopesPerSecond\":1}}");
    struct pair *bad = member("bad", "r", "bad");
    cr_assert_eq(ordered(bad, "r", "bad", 3), 2);
    pair_free(bad);
    for (int i = 0; i < 3000; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%d", i);
        struct pair *client = member(name, "r", "o");
        cr_assert_eq(ordered(client, "r", name, 2), 2);
        pair_free(client);
        world.now += 1000;
    }
    struct pair *again = world_client(&world, "bad");
    hello(again, "r", "bad", "");
    cr_expect_str_eq(next(&world, again), "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"unauthorized\"}");
    pair_free(again);
    struct pair *last = member("w2999", "r", "o");
    cr_expect_eq(ordered(last, "r", "w2999", 2), 1, "a bucket that is not full again is still known");
    pair_free(last);
    world_close(&world);
}
