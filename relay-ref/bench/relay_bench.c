/*
 * relay_bench: how fast the core is, in this process, with sinks that only count.
 *
 *   leaf      nanoseconds an envelope that sets one leaf takes on a root of 10 keys and of 10,000 keys; their
 *             ratio shows whether an op's cost depends on the width of the root. Both go round ten leaves, which are
 *             spread over the whole root, so that the ratio is about the root and not about the processor's cache;
 *             what a different leaf each time costs is printed besides
 *   fan-out   deliveries a second to 100 members
 *   ordering  envelopes a second with 2 members
 *
 * The kinds take turns in short rounds and the median round counts, so that another program on the machine spoils
 * a few rounds and not the result. Exit code 0 when every target is met, 1 when one is not.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "relay-ref/bench/support/bench_core.h"
#include "relay-ref/bench/support/bench_median.h"

#define ROUNDS 41
#define MOST_RATIO 1.5
#define LEAST_DELIVERIES 5e6
#define LEAST_ENVELOPES 4e5

#define MOST_WRITES 2000

struct text {
    size_t length;
    char bytes[504];
};

struct bench {
    struct bench_core core;
    struct relay_connection *members[100];
    size_t member_count;
    size_t keys, stride; /* of the root; from one leaf to the next */
    uint64_t round;
    struct text texts[MOST_WRITES];
};

static void send_text(struct relay_connection *from, const char *text) {
    relay_receive(from, text, strlen(text));
}

static void write_text(struct text *text, const char *path, const char *next) {
    text->length = (size_t)snprintf(text->bytes, sizeof text->bytes,
                                    "{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":1,\"origin\":\"o0\","
                                    "\"writer\":\"w\",\"version\":1,\"hlc\":{\"p\":1700000000000,\"l\":0},"
                                    "\"policyVersion\":0,\"ops\":[{\"kind\":\"set\",\"path\":[%s],\"next\":%s,"
                                    "\"prev\":null}]}}",
                                    path, next);
}

static void send_write(struct bench *bench, const char *path, const char *next) {
    struct text text;
    write_text(&text, path, next);
    relay_receive(bench->members[0], text.bytes, text.length);
}

/* A room with `members` members and a root of `keys` keys, each with an object below it. */
static void bench_start(struct bench *bench, size_t members, size_t keys) {
    memset(bench, 0, sizeof *bench);
    bench->keys = keys;
    bench->stride = keys / 10;
    struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_2_0);
    bench_core_start(&bench->core, &options);
    for (bench->member_count = 0; bench->member_count < members; bench->member_count++) {
        char hello[128];
        struct relay_connection *member = bench_core_connect(&bench->core);
        bench->members[bench->member_count] = member;
        snprintf(hello, sizeof hello,
                 "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"o%zu\",\"proto\":1,\"policyVersion\":0}",
                 bench->member_count);
        send_text(member, hello);
    }
    send_write(bench, "", "{}");
    for (size_t key = 0; key < keys; key++) {
        char path[64];
        snprintf(path, sizeof path, "\"key-%zu\"", key);
        send_write(bench, path, "{\"leaf\":0}");
    }
}

/* Writes to leaves all over the root. */
static void make_writes(struct bench *bench, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char path[64], next[32];
        uint64_t at = bench->round++;
        snprintf(path, sizeof path, "\"key-%llu\",\"leaf\"", (unsigned long long)(at * bench->stride % bench->keys));
        snprintf(next, sizeof next, "%llu", (unsigned long long)at);
        write_text(&bench->texts[i], path, next);
    }
}

/* The seconds that `count` writes take, without making their texts. */
static double run_writes(struct bench *bench, size_t count) {
    struct relay_room_info before, after;
    bench_must(relay_room(bench->core.relay, (struct relay_text){"r", 1}, &before), "the room is gone");
    uint64_t delivered = bench->core.frames;
    make_writes(bench, count);
    double start = bench_core_seconds();
    for (size_t i = 0; i < count; i++)
        relay_receive(bench->members[0], bench->texts[i].bytes, bench->texts[i].length);
    double took = bench_core_seconds() - start;
    bench_must(relay_room(bench->core.relay, (struct relay_text){"r", 1}, &after), "the room is gone");
    bench_must(after.seq == before.seq + count, "an envelope was not ordered");
    bench_must(bench->core.frames == delivered + count * bench->member_count, "a delivery is missing");
    return took;
}

static bool report(const char *what, double got, const char *unit, bool met, const char *target) {
    printf("%-38s %12.1f %-14s %s (%s)\n", what, got, unit, met ? "ok" : "MISSED", target);
    return met;
}

int main(void) {
    enum { LEAF_WRITES = MOST_WRITES, FAN_OUT_WRITES = 1000, ORDERING_WRITES = MOST_WRITES };
    static struct bench narrow, wide, roaming, crowd, two;
    double narrow_ns[ROUNDS], wide_ns[ROUNDS], roaming_ns[ROUNDS], ratio[ROUNDS], deliveries[ROUNDS], envelopes[ROUNDS];
    bench_start(&narrow, 1, 10);
    bench_start(&wide, 1, 10000);
    bench_start(&roaming, 1, 10000);
    roaming.stride = 7919; /* shares no factor with the number of keys: every leaf has its turn */
    bench_start(&crowd, 100, 10);
    bench_start(&two, 2, 10);
    for (int round = 0; round < ROUNDS; round++) {
        narrow_ns[round] = run_writes(&narrow, LEAF_WRITES) / LEAF_WRITES * 1e9;
        wide_ns[round] = run_writes(&wide, LEAF_WRITES) / LEAF_WRITES * 1e9;
        roaming_ns[round] = run_writes(&roaming, LEAF_WRITES) / LEAF_WRITES * 1e9;
        ratio[round] = wide_ns[round] / narrow_ns[round];
        deliveries[round] = FAN_OUT_WRITES * 100 / run_writes(&crowd, FAN_OUT_WRITES);
        envelopes[round] = ORDERING_WRITES / run_writes(&two, ORDERING_WRITES);
    }
    printf("median of %d rounds\n", ROUNDS);
    printf("%-38s %12.1f ns/envelope\n", "leaf on a root of 10 keys", bench_median(narrow_ns, ROUNDS));
    printf("%-38s %12.1f ns/envelope\n", "leaf on a root of 10,000 keys", bench_median(wide_ns, ROUNDS));
    printf("%-38s %12.1f ns/envelope\n", "another leaf of 10,000 keys each time", bench_median(roaming_ns, ROUNDS));
    double times = bench_median(ratio, ROUNDS), fan_out = bench_median(deliveries, ROUNDS), ordered = bench_median(envelopes, ROUNDS);
    bool met = report("10,000 keys against 10", times, "times", times <= MOST_RATIO, "at most 1.5");
    met =
        report("fan-out to 100 members", fan_out, "deliveries/s", fan_out >= LEAST_DELIVERIES, "at least 5,000,000") &&
        met;
    met = report("ordering with 2 members", ordered, "envelopes/s", ordered >= LEAST_ENVELOPES, "at least 400,000") &&
          met;
    relay_free(narrow.core.relay);
    relay_free(wide.core.relay);
    relay_free(roaming.core.relay);
    relay_free(crowd.core.relay);
    relay_free(two.core.relay);
    return met ? 0 : 1;
}
