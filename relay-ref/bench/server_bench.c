/*
 * Measures the relay behind its WebSockets, on loopback: echo round trips of one client, and deliveries to fifty
 * members of one room. The relay is a process of its own, as in earnest: MESHSPEC_RELAY names it (default:
 * meshspec-relay beside this program's folder).
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "relay-ref/bench/support/bench_client.h"

#define MEMBERS 50
#define ROUND_TRIPS 20000
#define ENVELOPES 4000
#define UNDER_WAY 64 /* envelopes that the writer sends ahead of their echoes */

static void send_envelope(const struct client *client, int version) {
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"t\":\"env\",\"room\":\"bench\",\"env\":{\"proto\":1,\"origin\":\"o0\",\"writer\":\"w0\",\"version\":%d,"
        "\"hlc\":{\"p\":1700000000000,\"l\":%d},\"policyVersion\":0,\"ops\":[{\"kind\":\"set\",\"path\":[\"notes\","
        "\"n1\"],"
        "\"next\":\"a short text\"}]}}",
        version, version);
    bench_send(client, text, strlen(text));
}

static void measure_round_trips(struct client *client) {
    uint64_t before = client->frames;
    double start = bench_seconds();
    for (int i = 1; i <= ROUND_TRIPS; i++) {
        send_envelope(client, i);
        bench_wait_for_frames(client, before + (uint64_t)i);
    }
    printf("echo round trips, 1 client: %.0f a second\n", ROUND_TRIPS / (bench_seconds() - start));
}

/* True while some member still lacks frames; waits until one has more to read. */
static bool poll_members(struct client *members, const uint64_t *wanted) {
    struct pollfd files[MEMBERS];
    bool lacking = false;
    for (int i = 0; i < MEMBERS; i++) {
        files[i] = (struct pollfd){.fd = members[i].socket, .events = POLLIN};
        lacking = lacking || members[i].frames < wanted[i];
    }
    if (!lacking || poll(files, MEMBERS, -1) < 0)
        return false;
    for (int i = 0; i < MEMBERS; i++)
        if (files[i].revents != 0)
            bench_receive_some(&members[i]);
    return true;
}

static void measure_deliveries(struct client *members) {
    uint64_t wanted[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        bench_wait_for_frames(&members[i], (uint64_t)(MEMBERS - i)); /* its welcome, and those who joined after it */
        wanted[i] = members[i].frames + ENVELOPES;
    }
    uint64_t echoed = members[0].frames;
    double start = bench_seconds();
    int sent = 0;
    do {
        while (sent < ENVELOPES && (uint64_t)sent < members[0].frames - echoed + UNDER_WAY)
            send_envelope(&members[0], ++sent);
    } while (poll_members(members, wanted));
    printf("deliveries, %d members: %.0f a second\n", MEMBERS, ENVELOPES * (double)MEMBERS / (bench_seconds() - start));
}

int main(int argc, char **argv) {
    static const char *const flags[] = {"--max-messages-per-second", "0", NULL};
    (void)argc;
    unsigned port;
    pid_t relay = bench_start_relay(argv[0], flags, &port);
    struct client members[MEMBERS];
    members[0] = bench_join(port, 0, "bench");
    measure_round_trips(&members[0]);
    members[0].frames = 1;
    for (int i = 1; i < MEMBERS; i++)
        members[i] = bench_join(port, i, "bench");
    measure_deliveries(members);
    for (int i = 0; i < MEMBERS; i++)
        close(members[i].socket);
    return bench_stop_relay(relay);
}
