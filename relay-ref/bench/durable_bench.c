/*
 * Measures a relay whose rooms are in a file, on the disk that holds the working folder (or TMPDIR): envelopes a second
 * that fifty writers get echoed once they are on the disk, against one transaction an envelope on the same disk, and
 * the first hello to a large room that is not in memory, against a second one. Only ratios within one run mean much.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "relay-ref/adapters/store_sqlite.h"
#include "relay-ref/bench/support/bench_client.h"

#define WRITERS 50
#define ROOMS 10
#define UNDER_WAY 16 /* envelopes that each writer sends ahead of their echoes */
#define SECONDS 3.0
#define LARGE_BYTES ((size_t)10 << 20)
#define VALUE_BYTES 1000
#define OPS 60 /* of an envelope that fills the large room */

static const char envelope_format[] =
    "{\"t\":\"env\",\"room\":\"%s\",\"env\":{\"proto\":1,\"origin\":\"o%d\",\"writer\":\"w%d\",\"version\":%d,"
    "\"hlc\":{\"p\":1700000000000,\"l\":%d},\"policyVersion\":0,\"ops\":[%s]}}";
static const char note[] = "{\"kind\":\"set\",\"path\":[\"notes\",\"n1\"],\"next\":\"a short text\"}";

struct place {
    char folder[256], file[300];
};

static struct place make_place(void) {
    struct place place;
    const char *parent = getenv("TMPDIR");
    snprintf(place.folder, sizeof place.folder, "%s/meshspec-bench-XXXXXX", parent != NULL ? parent : ".");
    if (mkdtemp(place.folder) == NULL)
        bench_give_up(place.folder);
    snprintf(place.file, sizeof place.file, "%s/rooms.db", place.folder);
    return place;
}

static void remove_place(const struct place *place) {
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char path[320];
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", place->file, suffixes[i]);
        unlink(path);
    }
    rmdir(place->folder);
}

/* ---- writing ------------------------------------------------------------------------------------ */

/* Envelopes a second with one transaction each. */
static double one_by_one(void) {
    struct place place = make_place();
    struct store_settings settings = {place.file, true, 1};
    struct store_error error;
    struct store *store = store_open(&settings, &error);
    struct relay_text epoch = {"e", 1}, room = {"r", 1}, text = {note, sizeof note - 1};
    int64_t id;
    uint64_t seq = 0;
    double start = bench_seconds(), elapsed;
    do {
        if (store == NULL || !store_room_id(store, room, epoch, &id, &error) ||
            !store_append(store, id, ++seq, text, &error) || !store_commit(store, &error)) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        elapsed = bench_seconds() - start;
    } while (elapsed < SECONDS);
    store_close(store, true);
    remove_place(&place);
    return (double)seq / elapsed;
}

struct writer {
    struct client client;
    char room[16];
    int number, sent, echoed; /* echoed: envelopes of anybody in its room, the welcome and the joins apart */
    uint64_t before;
};

static void write_ahead(struct writer *writer, int members) {
    char text[512];
    writer->echoed = (int)(writer->client.frames - writer->before);
    while (writer->sent * members < writer->echoed + UNDER_WAY * members) {
        writer->sent++;
        int length = snprintf(text, sizeof text, envelope_format, writer->room, writer->number, writer->number,
                              writer->sent, writer->sent, note);
        bench_send(&writer->client, text, (size_t)length);
    }
}

/* Waits until somebody has something to read, and reads it. */
static void take_some(struct writer *writers) {
    struct pollfd files[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        files[i] = (struct pollfd){.fd = writers[i].client.socket, .events = POLLIN};
    if (poll(files, WRITERS, -1) < 0)
        bench_give_up("poll");
    for (int i = 0; i < WRITERS; i++)
        if (files[i].revents != 0)
            bench_receive_some(&writers[i].client);
}

static double deliveries(const struct writer *writers) {
    double sum = 0;
    for (int i = 0; i < WRITERS; i++)
        sum += (double)(writers[i].client.frames - writers[i].before);
    return sum;
}

/* Echoed envelopes a second of fifty writers. */
static double by_turns(const char *self, const char *durable) {
    struct place place = make_place();
    const char *const flags[] = {"--max-messages-per-second", "0", "--db", place.file, durable, NULL};
    static struct writer writers[WRITERS];
    unsigned port;
    pid_t relay = bench_start_relay(self, flags, &port);
    const int members = WRITERS / ROOMS;
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.number = i};
        snprintf(writers[i].room, sizeof writers[i].room, "room%d", i % ROOMS);
        writers[i].client = bench_join(port, i, writers[i].room);
    }
    for (int i = 0; i < WRITERS; i++) {
        writers[i].before = 1 + (uint64_t)((WRITERS - 1 - i) / ROOMS); /* its welcome, and those who joined after it */
        bench_wait_for_frames(&writers[i].client, writers[i].before);
    }
    double start = bench_seconds(), elapsed;
    do {
        for (int i = 0; i < WRITERS; i++)
            write_ahead(&writers[i], members);
        take_some(writers);
        elapsed = bench_seconds() - start;
    } while (elapsed < SECONDS);
    double rate = deliveries(writers) / members / elapsed;
    for (int i = 0; i < WRITERS; i++)
        close(writers[i].client.socket);
    bench_stop_relay(relay);
    remove_place(&place);
    return rate;
}

/* ---- a large room ------------------------------------------------------------------------------- */

static void fill(unsigned port, size_t bytes) {
    struct client client = bench_join(port, 0, "large");
    char *ops = malloc(OPS * (VALUE_BYTES + 100)), *text = malloc(OPS * (VALUE_BYTES + 100) + 512);
    char value[VALUE_BYTES + 1];
    memset(value, 'v', VALUE_BYTES);
    value[VALUE_BYTES] = '\0';
    int version = 0;
    for (size_t key = 0; key * VALUE_BYTES < bytes;) {
        size_t length = 0;
        for (int i = 0; i < OPS; i++, key++)
            length += (size_t)sprintf(ops + length, "%s{\"kind\":\"set\",\"path\":[\"k%zu\"],\"next\":\"%s\"}",
                                      i > 0 ? "," : "", key, value);
        version++;
        int size = sprintf(text, envelope_format, "large", 0, 0, version, version, ops);
        bench_send(&client, text, (size_t)size);
        bench_wait_for_frames(&client, client.frames + 1);
    }
    free(ops);
    free(text);
    close(client.socket);
}

/* Has the system forget what it has of the file. */
static void cool(const char *path) {
    int file = open(path, O_RDONLY);
    if (file < 0 || fsync(file) != 0 || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0)
        bench_give_up(path);
    close(file);
}

static double hello_seconds(unsigned port, int number) {
    double start = bench_seconds();
    struct client client = bench_join(port, number, "large");
    double elapsed = bench_seconds() - start;
    if (client.bytes < LARGE_BYTES) {
        fprintf(stderr, "the welcome has only %llu bytes\n", (unsigned long long)client.bytes);
        exit(1);
    }
    close(client.socket);
    return elapsed;
}

static void measure_hello(const char *self) {
    struct place place = make_place();
    const char *const flags[] = {"--db", place.file, NULL};
    unsigned port;
    pid_t relay = bench_start_relay(self, flags, &port);
    fill(port, LARGE_BYTES);
    bench_stop_relay(relay);
    cool(place.file);
    relay = bench_start_relay(self, flags, &port);
    double cold = hello_seconds(port, 1), warm = hello_seconds(port, 2);
    printf("hello to a room of 10 MB: %.0f ms when it is not in memory, %.0f ms when it is: %.1f times as long\n",
           cold * 1e3, warm * 1e3, cold / warm);
    bench_stop_relay(relay);
    remove_place(&place);
}

int main(int argc, char **argv) {
    (void)argc;
    double single = one_by_one(), turns = by_turns(argv[0], "--durable"), fast = by_turns(argv[0], NULL);
    printf("durable envelopes, one transaction each: %.0f a second\n", single);
    printf("durable envelopes, %d writers in %d rooms: %.0f a second, %.1f times as many\n", WRITERS, ROOMS, turns,
           turns / single);
    printf("echoed at once, the same writers: %.0f a second, %.1f times as many as durable ones\n", fast, fast / turns);
    measure_hello(argv[0]);
    return 0;
}
