/*
 * Measures what many cost the relay and what one costs the others: the memory of 5,000 members that say nothing, what they
 * cost somebody who does, and a room of 100 with one member that never reads, beside a room of 100 in which all do, in
 * turns.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay-ref/bench/support/bench_client.h"
#include "relay-ref/bench/support/bench_median.h"

#define CROWD 5000
#define CROWD_ROOM 50 /* members of one room */
#define MOST_BYTES 200e6
#define ROUND_TRIPS 2000

#define MEMBERS 100
#define ROUNDS 7
#define ENVELOPES 1000 /* of one round */
#define UNDER_WAY 64   /* envelopes that the writer sends ahead of their echoes */
#define STALLED_BUFFER 4096

/* ---- a crowd -------------------------------------------------------------------------------------- */

static double resident_bytes(pid_t process) {
    char path[64];
    unsigned long size, resident = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%lu %lu", &size, &resident) != 2)
        bench_give_up(path);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* This process needs as many files as there are members. */
static bool can_open(size_t files) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max < files)
        return false;
    limit.rlim_cur = files;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* Signals to oneself, one after the other. */
static double measure_round_trips(struct client *client) {
    static const char signal[] = "{\"t\":\"signal\",\"room\":\"alone\",\"to\":\"o0\",\"data\":1}";
    uint64_t before = client->frames;
    double start = bench_seconds();
    for (uint64_t i = 1; i <= ROUND_TRIPS; i++) {
        bench_send(client, signal, sizeof signal - 1);
        bench_wait_for_frames(client, before + i);
    }
    return ROUND_TRIPS / (bench_seconds() - start);
}

/* False when they cost more than they may. */
static bool measure_crowd(pid_t relay, unsigned port) {
    static struct client crowd[CROWD];
    struct client alone = bench_join(port, 0, "alone");
    measure_round_trips(&alone);
    double quiet = measure_round_trips(&alone), before = resident_bytes(relay);
    for (int i = 0; i < CROWD; i++) {
        char room[32];
        snprintf(room, sizeof room, "crowd-%d", i / CROWD_ROOM);
        crowd[i] = bench_join(port, i, room);
    }
    double after = resident_bytes(relay);
    printf("%d idle members: %.1f MB resident in all, %.0f bytes each\n", CROWD, after / 1e6, (after - before) / CROWD);
    double busy = measure_round_trips(&alone);
    printf("round trips beside them: %.0f a second, %.4f times as many as alone\n", busy, busy / quiet);
    close(alone.socket);
    for (int i = 0; i < CROWD; i++)
        close(crowd[i].socket);
    if (after > MOST_BYTES)
        fprintf(stderr, "that is more than the %.0f MB that it may be\n", MOST_BYTES / 1e6);
    return after <= MOST_BYTES;
}

/* ---- one that does not read ----------------------------------------------------------------------- */

struct room {
    const char *name;
    struct client members[MEMBERS]; /* the first one writes */
    int reading;                    /* how many of them read, the first ones */
    int version;
};

/* All come in, and those who read have read what came of the others' joining. */
static void fill(struct room *room, unsigned port, int stalled) {
    static const int small = STALLED_BUFFER;
    room->reading = MEMBERS - stalled;
    for (int i = 0; i < MEMBERS; i++)
        room->members[i] = bench_join(port, i, room->name);
    for (int i = room->reading; i < MEMBERS; i++)
        setsockopt(room->members[i].socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    for (int i = 0; i < room->reading; i++)
        bench_wait_for_frames(&room->members[i], (uint64_t)(MEMBERS - i));
}

static void write_one(struct room *room) {
    char text[512];
    room->version++;
    int length = snprintf(text, sizeof text,
                          "{\"t\":\"env\",\"room\":\"%s\",\"env\":{\"proto\":1,\"origin\":\"o0\",\"writer\":\"w0\",\"version\":%d,"
                          "\"hlc\":{\"p\":1700000000000,\"l\":%d},\"policyVersion\":0,\"ops\":[{\"kind\":\"set\",\"path\":[\"n\"],"
                          "\"next\":\"a text that is some two hundred bytes long, so that what waits for the one who does not "
                          "read is more than the two ends of its connection can hold\"}]}}",
                          room->name, room->version, room->version);
    bench_send(&room->members[0], text, (size_t)length);
}

/* True while somebody who reads lacks frames; waits until one has more to read. */
static bool poll_members(struct room *room, const uint64_t *wanted) {
    struct pollfd files[MEMBERS];
    bool lacking = false;
    for (int i = 0; i < room->reading; i++) {
        files[i] = (struct pollfd){.fd = room->members[i].socket, .events = POLLIN};
        lacking = lacking || room->members[i].frames < wanted[i];
    }
    if (!lacking || poll(files, (nfds_t)room->reading, -1) < 0)
        return false;
    for (int i = 0; i < room->reading; i++)
        if (files[i].revents != 0)
            bench_receive_some(&room->members[i]);
    return true;
}

/* Envelopes a second that reach everybody who reads. */
static double measure_round(struct room *room) {
    uint64_t wanted[MEMBERS], echoed = room->members[0].frames;
    for (int i = 0; i < room->reading; i++)
        wanted[i] = room->members[i].frames + ENVELOPES;
    double start = bench_seconds();
    int sent = 0;
    do {
        for (; sent < ENVELOPES && (uint64_t)sent < room->members[0].frames - echoed + UNDER_WAY; sent++)
            write_one(room);
    } while (poll_members(room, wanted));
    return ENVELOPES / (bench_seconds() - start);
}

static void measure_stalled(unsigned port) {
    static struct room all = {.name = "all-read"}, but_one = {.name = "one-stalled"};
    double with[ROUNDS], without[ROUNDS];
    fill(&all, port, 0);
    fill(&but_one, port, 1);
    measure_round(&all); /* warms both up, and fills what the stalled one's connection holds */
    measure_round(&but_one);
    for (int i = 0; i < ROUNDS; i++) {
        without[i] = measure_round(&all);
        with[i] = measure_round(&but_one);
    }
    double fast = bench_median(without, ROUNDS), slow = bench_median(with, ROUNDS);
    printf("one stalled member of %d: the others get %.0f envelopes a second, %.2f times as many as where all read\n",
           MEMBERS, slow, slow / fast);
    for (int i = 0; i < MEMBERS; i++) {
        close(all.members[i].socket);
        close(but_one.members[i].socket);
    }
}

int main(int argc, char **argv) {
    static const char *const flags[] = {"--max-messages-per-second", "0", "--max-connections", "6000",
                                        "--max-connections-per-address", "0", NULL};
    (void)argc;
    if (!can_open(CROWD + 64)) {
        printf("%d idle members: not measured, for this system allows no %d open files (ulimit -Hn)\n", CROWD,
               CROWD + 64);
        return 0;
    }
    unsigned port;
    pid_t relay = bench_start_relay(argv[0], flags, &port);
    bool small_enough = measure_crowd(relay, port);
    measure_stalled(port);
    int status = bench_stop_relay(relay);
    return small_enough ? status : 1;
}
