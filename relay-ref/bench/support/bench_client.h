/* A relay as a process of its own, and WebSocket clients of it that only count what they get. Whatever goes wrong ends
 * the program. */
#ifndef MESHSPEC_BENCH_CLIENT_H
#define MESHSPEC_BENCH_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A client that only counts: text frames that came in, apart from the first few of a join. */
struct client {
    int socket;
    uint64_t frames;
    uint64_t bytes;         /* of their payloads */
    uint64_t skip;          /* bytes of the present frame's payload that are still to come */
    unsigned char head[10]; /* of a frame whose header came in pieces */
    size_t head_length;
};

_Noreturn void bench_give_up(const char *what);

double bench_seconds(void);

/* Starts MESHSPEC_RELAY (default: meshspec-relay beside the folder of the program `self`) with these flags, which end
 * with NULL. Sets the port that it listens on. */
pid_t bench_start_relay(const char *self, const char *const *flags, unsigned *port);

/* Ends it with SIGTERM; its exit status. */
int bench_stop_relay(pid_t relay);

/* Opens a WebSocket as writer `w<number>`. */
struct client bench_connect(unsigned port, int number);

/* The same, and joins `room` as origin `o<number>`; the welcome is one of its frames. */
struct client bench_join(unsigned port, int number, const char *room);

/* Sends one text frame. */
void bench_send(const struct client *client, const char *text, size_t length);

/* Takes what has come, waiting for something. */
void bench_receive_some(struct client *client);

/* Waits until so many frames have come since the connection began. */
void bench_wait_for_frames(struct client *client, uint64_t frames);

#endif
