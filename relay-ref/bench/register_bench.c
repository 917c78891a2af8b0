/*
 * register_bench: how fast the core orders envelopes of protocol version 0.9, in this process, with sinks that only count.
 *
 *   2 members                    envelopes a second in a room of 10 registers
 *   100 members                  the same, with as many more receivers
 *   10 members, 10,000 registers the same in a room that is large
 *
 * Each envelope sets one value and cites the write that it replaces; the journal is full, so each of them collects
 * what it settles, and every member gets the echo and a `settled` notice. The kinds take turns in short rounds and the
 * median round counts. Exit code 0 when every target is met, 1 when one is not.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "relay-ref/core/relay.h"

#define ROUNDS 21
#define WRITES 2000
#define MOST_MEMBERS 100
#define MOST_REGISTERS 10000

struct text {
    size_t length;
    char bytes[504];
};

struct bench {
    const char *name;
    size_t members, registers;
    double least; /* envelopes a second */
    struct relay *relay;
    struct relay_connection *writer;
    uint64_t minted, frames, version;
    uint64_t written[MOST_REGISTERS]; /* the version that last set each register; 0 for none */
    struct text texts[WRITES];
    double rates[ROUNDS];
};

static int64_t bench_now(void *context) {
    (void)context;
    return 0;
}

static size_t bench_mint(void *context, char *out, size_t capacity) {
    struct bench *bench = context;
    return (size_t)snprintf(out, capacity, "life-%llu", (unsigned long long)++bench->minted);
}

static void count_frame(void *context, struct relay_frame *frame) {
    struct bench *bench = context;
    relay_frame_keep(frame);
    bench->frames++;
    relay_frame_release(frame);
}

static void ignore_close(void *context) {
    (void)context;
}

static void must(bool true_thing, const char *what) {
    if (true_thing)
        return;
    fprintf(stderr, "register_bench: %s.\n", what);
    exit(4);
}

/* One register after the other, far apart; version and stamp go up together. */
static void make_write(struct bench *bench, struct text *text) {
    uint64_t version = ++bench->version;
    size_t at = (size_t)(version * 7919 % bench->registers);
    char cite[96] = "";
    if (bench->written[at] != 0)
        snprintf(cite, sizeof cite, "{\"origin\":\"o0\",\"hlc\":{\"p\":1700000000000,\"l\":%llu}}",
                 (unsigned long long)bench->written[at]);
    bench->written[at] = version;
    int length = snprintf(text->bytes, sizeof text->bytes,
                          "{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":3,\"instance\":\"life-3\",\"origin\":\"o0\","
                          "\"writer\":\"w\",\"version\":%llu,\"hlc\":{\"p\":1700000000000,\"l\":%llu},"
                          "\"policyVersion\":0,\"ops\":[{\"kind\":\"set\",\"path\":[\"key-%zu\",\"leaf\"],\"next\":%llu,"
                          "\"prev\":null,\"cites\":[%s],\"epoch\":0}]}}",
                          (unsigned long long)version, (unsigned long long)version, at, (unsigned long long)version,
                          cite);
    must(length > 0 && (size_t)length < sizeof text->bytes, "a message is too long");
    text->length = (size_t)length;
}

/* Of this program's own work: what else runs on the machine does not count. */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The seconds that `count` writes take, without making their texts. */
static double run_writes(struct bench *bench, size_t count) {
    for (size_t i = 0; i < count; i++)
        make_write(bench, &bench->texts[i]);
    uint64_t frames = bench->frames;
    double start = seconds();
    for (size_t i = 0; i < count; i++)
        relay_receive(bench->writer, bench->texts[i].bytes, bench->texts[i].length);
    double taken = seconds() - start;
    must(bench->frames - frames >= count * bench->members, "an envelope did not reach every member");
    return taken;
}

static void bench_start(struct bench *bench) {
    struct relay_env env = {.context = bench, .now = bench_now, .mint = bench_mint};
    struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_9);
    struct relay_sink sink = {bench, count_frame, ignore_close};
    struct relay_principal principal = {.writer = {"w", 1}};
    must((bench->relay = relay_new(&env, &options)) != NULL, "memory is out");
    for (size_t i = 0; i < bench->members; i++) {
        char hello[128];
        struct relay_connection *member = relay_connect(bench->relay, &sink, &principal);
        must(member != NULL, "memory is out");
        if (i == 0)
            bench->writer = member;
        int length = snprintf(hello, sizeof hello,
                              "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"o%zu\",\"proto\":3,\"policyVersion\":0}", i);
        relay_receive(member, hello, (size_t)length);
    }
    for (size_t done = 0; done < bench->registers || done <= options.journal_limit; done += WRITES)
        run_writes(bench, WRITES);
    struct relay_room_info room;
    must(relay_room(bench->relay, (struct relay_text){"r", 1}, &room) && room.seq == bench->version &&
             room.journal == options.journal_limit,
         "the room is not as it should be");
}

static int by_size(const void *left, const void *right) {
    const double *first = left, *second = right;
    return (*first > *second) - (*first < *second);
}

static bool report(struct bench *bench) {
    qsort(bench->rates, ROUNDS, sizeof *bench->rates, by_size);
    double rate = bench->rates[ROUNDS / 2];
    bool met = rate >= bench->least;
    printf("%-38s %12.0f envelopes/s   %s (at least %.0f)\n", bench->name, rate, met ? "met" : "MISSED", bench->least);
    return met;
}

int main(void) {
    static struct bench benches[] = {
        {.name = "0.9, 2 members", .members = 2, .registers = 10, .least = 550000},
        {.name = "0.9, 100 members", .members = MOST_MEMBERS, .registers = 10, .least = 40000},
        {.name = "0.9, 10 members, 10,000 registers", .members = 10, .registers = MOST_REGISTERS, .least = 28300},
    };
    size_t count = sizeof benches / sizeof *benches;
    for (size_t i = 0; i < count; i++)
        bench_start(&benches[i]);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++)
            benches[i].rates[round] = WRITES / run_writes(&benches[i], WRITES);
    bool met = true;
    printf("median of %d rounds\n", ROUNDS);
    for (size_t i = 0; i < count; i++) {
        met = report(&benches[i]) && met;
        relay_free(benches[i].relay);
    }
    return met ? 0 : 1;
}
