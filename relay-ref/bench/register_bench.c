/*
 * register_bench: how fast the core orders envelopes of protocol version 0.9, in this process, with sinks that only count.
 *
 *   2 members                    envelopes a second in a room of 10 registers
 *   100 members                  the same, with as many more receivers
 *   10 members, 10,000 registers the same in a room that is large
 *
 * The members write in turn. Each envelope sets one value and cites the write that it replaces; the journal is full, so
 * each of them collects what it settles, and every member gets the echo and a `settled` notice with a stamp for every
 * member that ever wrote. The kinds take turns in short rounds and the median round counts.
 *
 * `register_bench --inputs FOLDER` writes down besides, for each kind in a file FOLDER/0, FOLDER/1, …, what its relay
 * received up to the end of the first round, so that another relay can be given the same: a line of the kind's name, then
 * a line for each message, the number of its connection in front of it, with a line `timed` before the first round.
 * Exit code 0; 4 when something is wrong with the bench itself.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/bench/support/bench_core.h"
#include "relay-ref/bench/support/bench_median.h"

#define ROUNDS 21
#define WRITES 2000
#define MOST_MEMBERS 100
#define MOST_REGISTERS 10000

#define REGISTERS_AT_ONCE 1000 /* ops of an envelope that fills the room; the limit is 1024 */

struct text {
    size_t connection, length;
    char bytes[504];
};

struct bench {
    const char *name;
    size_t members, registers;
    FILE *inputs; /* NULL: nobody wants them */
    struct bench_core core;
    struct relay_connection *connections[MOST_MEMBERS];
    uint64_t written;              /* envelopes */
    uint64_t last[MOST_REGISTERS]; /* the number of the envelope that last set each register */
    struct text texts[WRITES];
    double rates[ROUNDS];
};

/* The head of envelope `number`, from 1 on: its sender's next version, at a stamp of its own. */
static int print_head(const struct bench *bench, uint64_t number, char *out, size_t room) {
    uint64_t origin = (number - 1) % bench->members, version = (number - 1) / bench->members + 1;
    return snprintf(out, room,
                    "{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":3,\"instance\":\"life-3\",\"origin\":\"o%llu\","
                    "\"writer\":\"w\",\"version\":%llu,\"hlc\":{\"p\":1700000000000,\"l\":%llu},\"policyVersion\":0,\"ops\":[",
                    (unsigned long long)origin, (unsigned long long)version, (unsigned long long)number);
}

/* An op that sets a register and cites who set it last, if anybody. */
static int print_op(struct bench *bench, uint64_t number, size_t at, char *out, size_t room) {
    char cite[96] = "";
    uint64_t last = bench->last[at];
    if (last != 0)
        snprintf(cite, sizeof cite, "{\"origin\":\"o%llu\",\"hlc\":{\"p\":1700000000000,\"l\":%llu}}",
                 (unsigned long long)((last - 1) % bench->members), (unsigned long long)last);
    bench->last[at] = number;
    return snprintf(out, room,
                    "{\"kind\":\"set\",\"path\":[\"key-%zu\",\"leaf\"],\"next\":%llu,\"prev\":null,\"cites\":[%s],\"epoch\":0}", at,
                    (unsigned long long)number, cite);
}

/* One register after the other, far apart. */
static void make_write(struct bench *bench, struct text *text) {
    uint64_t number = ++bench->written;
    text->connection = (size_t)((number - 1) % bench->members);
    int length = print_head(bench, number, text->bytes, sizeof text->bytes);
    length += print_op(bench, number, (size_t)(number * 7919 % bench->registers), text->bytes + length,
                       sizeof text->bytes - (size_t)length);
    length += snprintf(text->bytes + length, sizeof text->bytes - (size_t)length, "]}}");
    bench_must(length > 0 && (size_t)length < sizeof text->bytes, "a message is too long");
    text->length = (size_t)length;
}

static void write_down(const struct bench *bench, size_t connection, const char *bytes, size_t length) {
    if (bench->inputs != NULL)
        fprintf(bench->inputs, "%zu %.*s\n", connection, (int)length, bytes);
}

static void receive(struct bench *bench, size_t connection, const char *bytes, size_t length) {
    write_down(bench, connection, bytes, length);
    relay_receive(bench->connections[connection], bytes, length);
}

/* The seconds that a round takes, without making its texts. */
static double run_round(struct bench *bench) {
    for (size_t i = 0; i < WRITES; i++) {
        make_write(bench, &bench->texts[i]);
        write_down(bench, bench->texts[i].connection, bench->texts[i].bytes, bench->texts[i].length);
    }
    uint64_t frames = bench->core.frames;
    double start = bench_core_seconds();
    for (size_t i = 0; i < WRITES; i++)
        relay_receive(bench->connections[bench->texts[i].connection], bench->texts[i].bytes, bench->texts[i].length);
    double taken = bench_core_seconds() - start;
    bench_must(bench->core.frames - frames >= WRITES * bench->members, "an envelope did not reach every member");
    return taken;
}

static void join_all(struct bench *bench) {
    for (size_t i = 0; i < bench->members; i++) {
        char hello[128];
        bench->connections[i] = bench_core_connect(&bench->core);
        int length = snprintf(hello, sizeof hello,
                              "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"o%zu\",\"proto\":3,\"policyVersion\":0}", i);
        receive(bench, i, hello, (size_t)length);
    }
}

/* Empty envelopes until the journal is full and every member has written. */
static void fill_journal(struct bench *bench, size_t limit) {
    char text[512];
    while (bench->written <= limit || bench->written % bench->members != 0) {
        uint64_t number = ++bench->written;
        int length = print_head(bench, number, text, sizeof text);
        length += snprintf(text + length, sizeof text - (size_t)length, "]}}");
        receive(bench, (size_t)((number - 1) % bench->members), text, (size_t)length);
    }
}

static void fill_registers(struct bench *bench) {
    size_t capacity = (size_t)REGISTERS_AT_ONCE * 256;
    char *text = malloc(capacity);
    bench_must(text != NULL, "memory is out");
    for (size_t at = 0; at < bench->registers;) {
        uint64_t number = ++bench->written;
        int length = print_head(bench, number, text, capacity);
        for (size_t i = 0; i < REGISTERS_AT_ONCE && at < bench->registers; i++, at++) {
            length += snprintf(text + length, capacity - (size_t)length, "%s", i > 0 ? "," : "");
            length += print_op(bench, number, at, text + length, capacity - (size_t)length);
        }
        length += snprintf(text + length, capacity - (size_t)length, "]}}");
        receive(bench, (size_t)((number - 1) % bench->members), text, (size_t)length);
    }
    free(text);
}

static void bench_start(struct bench *bench) {
    struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_9);
    bench_core_start(&bench->core, &options);
    join_all(bench);
    fill_journal(bench, options.journal_limit);
    fill_registers(bench);
    struct relay_room_info room;
    bench_must(relay_room(bench->core.relay, (struct relay_text){"r", 1}, &room) && room.seq == bench->written &&
                   room.journal == options.journal_limit,
         "the room is not as it should be");
}

static void report(struct bench *bench) {
    printf("%-38s %12.0f envelopes/s\n", bench->name, bench_median(bench->rates, ROUNDS));
}

static FILE *open_inputs(const char *folder, size_t number, const char *name) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%zu", folder, number);
    bench_must(length > 0 && (size_t)length < sizeof path, "the folder's name is too long");
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(4);
    }
    fprintf(file, "%s\n", name);
    return file;
}

static void close_inputs(struct bench *bench) {
    bench_must(bench->inputs == NULL || fclose(bench->inputs) == 0, "the inputs could not be written");
    bench->inputs = NULL;
}

int main(int argc, char **argv) {
    static struct bench benches[] = {
        {.name = "0.9, 2 members", .members = 2, .registers = 10},
        {.name = "0.9, 100 members", .members = MOST_MEMBERS, .registers = 10},
        {.name = "0.9, 10 members, 10,000 registers", .members = 10, .registers = MOST_REGISTERS},
    };
    size_t count = sizeof benches / sizeof *benches;
    bool inputs = argc == 3 && strcmp(argv[1], "--inputs") == 0;
    bench_must(argc == 1 || inputs, "usage: register_bench [--inputs FOLDER]");
    for (size_t i = 0; i < count; i++) {
        benches[i].inputs = inputs ? open_inputs(argv[2], i, benches[i].name) : NULL;
        bench_start(&benches[i]);
        if (inputs)
            fputs("timed\n", benches[i].inputs);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            benches[i].rates[round] = WRITES / run_round(&benches[i]);
            close_inputs(&benches[i]);
        }
    printf("median of %d rounds\n", ROUNDS);
    for (size_t i = 0; i < count; i++) {
        report(&benches[i]);
        relay_free(benches[i].core.relay);
    }
    return 0;
}
