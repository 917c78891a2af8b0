/*
 * The relay that a server runs at this moment, with what it needs from the world: options, time, fresh epochs,
 * observers. A control client can replace it by a fresh one and set its time.
 */
#ifndef MESHSPEC_WS_SERVER_LIVE_H
#define MESHSPEC_WS_SERVER_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "relay-ref/adapters/durable_rooms.h"
#include "relay-ref/adapters/flags.h"
#include "relay-ref/adapters/options.h"
#include "relay-ref/adapters/ws_server_metrics.h"
#include "relay-ref/core/buffer.h"
#include "relay-ref/core/relay.h"

/* What a relay's clock shows when a control client opens it, in milliseconds. */
#define LIVE_CLOCK_START INT64_C(1700000000000)

/* The most bytes of events that are kept for a control client; further ones are counted and dropped. */
#define LIVE_EVENTS_CEILING ((size_t)64 << 20)

/* What the observers saw and no control client has fetched yet. */
struct live_events {
    struct relay_buffer text; /* JSON objects, a comma between them */
    uint64_t lost;
};

struct live {
    struct relay *relay;
    struct relay_settings *settings;
    const struct server_flags *flags; /* borrowed: the ceilings */
    struct metrics *metrics;          /* borrowed */
    struct durable_rooms *rooms;      /* borrowed; set before the first live_open. NULL: rooms are in memory alone */
    bool observed;                    /* events are collected */
    bool holds;                       /* commits stay undecided; only where observed */
    bool limited;                     /* the message being handled ran into `limit`, and its connection ends; who hands it
                                         over clears this */
    enum relay_limit limit;
    bool fixed;     /* the clock stands at `shown` until it is set again */
    int64_t shown;  /* the clock's last reading; it never goes back */
    int64_t offset; /* clock = system's monotonic milliseconds + offset, until it is fixed */
    char *name;     /* the relay's id in events, JSON as a control client gave it; owned */
    struct live_events events;
};

/* `live` must not move while it has a relay; `flags` and `metrics` must outlive it. No relay yet: live_open comes next.
 * False when memory is out; live_end frees it in any case. */
bool live_start(struct live *live, bool observed, const struct server_flags *flags, struct metrics *metrics);

/*
 * Replaces the relay by a fresh one; the old one is freed with its connections, calling no sink. `options` is JSON as
 * in options.h. False with a sentence in `reason` (at most `capacity` bytes with its NUL) when the options do not do;
 * the old relay stays then. The rooms of an old one are taken out of their file.
 */
bool live_open(struct live *live, enum relay_protocol protocol, struct relay_text options, char *reason,
               size_t capacity);

/* From now on the clock shows `ms`, or what it showed already if that is more. */
void live_set_clock(struct live *live, int64_t ms);

/* Lets the clock run from LIVE_CLOCK_START on, as a fresh relay's. */
void live_restart_clock(struct live *live);

/* Sets the relay's id for events; `name` is JSON and is copied. Keeps the old one when memory is out. */
void live_set_name(struct live *live, struct relay_text name);

/* Appends the events since the last call, a comma between them, and forgets them; returns how many had been lost. */
uint64_t live_take_events(struct live *live, struct relay_buffer *out);

/* Writes a fresh epoch: 128 random bits, so that a restarted relay never repeats one either (epoch.unique). */
size_t live_mint(char *out, size_t capacity);

void live_end(struct live *live);

#endif
