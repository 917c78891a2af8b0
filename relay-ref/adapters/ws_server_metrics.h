/* What a server counts about itself, and how Prometheus reads it. Knows no socket. */
#ifndef MESHSPEC_WS_SERVER_METRICS_H
#define MESHSPEC_WS_SERVER_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "relay-ref/adapters/durable_rooms.h"
#include "relay-ref/core/buffer.h"
#include "relay-ref/core/relay.h"

/* The ceilings that can be hit: those of the core first, with its numbers. */
enum metrics_limit {
    METRICS_LIMIT_CONNECTIONS = RELAY_LIMITS,
    METRICS_LIMIT_CONNECTIONS_PER_ADDRESS,
    METRICS_LIMIT_HANDSHAKES,
    METRICS_LIMIT_HANDSHAKE_TIME,
    METRICS_LIMIT_MESSAGE_BYTES,
    METRICS_LIMIT_MESSAGES_PER_SECOND,
    METRICS_LIMIT_WAITING_BYTES,
    METRICS_LIMIT_WAITING_BYTES_IN_ALL,
    METRICS_LIMIT_SILENCE,
    METRICS_LIMITS
};

/* The reasons of an ejection, a rejected hello and a dropped envelope, and the types of what is sent; what is none of them
   counts as the last, "other". */
#define METRICS_REASONS 10
#define METRICS_REJECTS 5
#define METRICS_DROPS 5
#define METRICS_TYPES 10

struct metrics {
    uint64_t connections; /* that were opened */
    uint64_t refusals;    /* handshakes that were answered with something else than 101 */
    uint64_t messages_received, bytes_received;
    uint64_t messages_sent[METRICS_TYPES], bytes_sent;
    uint64_t ejections[METRICS_REASONS], rejects[METRICS_REJECTS], drops[METRICS_DROPS];
    uint64_t limits[METRICS_LIMITS];
};

/* What is so at the moment of asking. */
struct metrics_now {
    const char *version, *protocol;
    double start_seconds, uptime_seconds; /* since 1970; since the start */
    size_t connections, handshakes, rooms, members, kept_bytes, queued_bytes;
    size_t resident_bytes, open_files; /* of the process; 0: not known */
    const struct durable_counts *file; /* NULL: rooms are in memory alone */
};

void metrics_ejection(struct metrics *metrics, const char *reason);
void metrics_reject(struct metrics *metrics, const char *reason);
void metrics_drop(struct metrics *metrics, const char *reason);

/* A message goes out; its type is read off its beginning, which is the core's. */
void metrics_sent(struct metrics *metrics, const struct relay_frame *frame);

void metrics_received(struct metrics *metrics, size_t length);

/* Appends everything in Prometheus' text format 0.0.4. */
void metrics_print(const struct metrics *metrics, const struct metrics_now *now, struct relay_buffer *out);

#endif
