/*
 * A whole relay of this process, driven by decisions: connections that come and go, the clock, restarts, and whatever frames the fuzzer
 * makes up. What happens is kept as a history, which must be one that clients can rely on.
 */
#ifndef MESHSPEC_FUZZ_WHOLE_RELAY_H
#define MESHSPEC_FUZZ_WHOLE_RELAY_H

#include "harness/fuzz/support/bytes.h"
#include "harness/history/history.h"
#include "harness/target/target.h"

#define WHOLE_CLIENTS_CEILING 8
#define WHOLE_COMMANDS_CEILING 150 /* of one run */
#define WHOLE_RAW_CEILING 200      /* bytes that are anything */
#define WHOLE_ROOMS 3
#define WHOLE_ORIGINS 4

extern const char *const whole_rooms[WHOLE_ROOMS];
extern const char *const whole_origins[WHOLE_ORIGINS];

struct whole_client {
    int number; /* 0: there is none */
    const char *writer, *origin;
};

struct whole_relay {
    struct bytes bytes;
    struct arena *arena;
    struct target *target;
    const char *profile, *options; /* for whole_open */
    struct whole_client clients[WHOLE_CLIENTS_CEILING];
    int numbers; /* handed out */
    int looker;  /* a client that looks at the rooms at the end, beside those; 0: there is none yet */
    int64_t now;
    struct history_event *events;
    size_t count, capacity;
    bool is_late_free; /* what a connection is sent behind its close is not looked at: a transport drops it */
    void *context;
    /* Sees every message and observation once it is noted; an observation's connection is 0. May be NULL. */
    void (*on_event)(void *context, const struct target_event *event, const struct json_value *message);
};

/* Adds an event to the history; `message` must live as long as the arena. */
void whole_note(struct whole_relay *whole, enum history_kind kind, int connection, const struct json_value *message);

/* The value of a text that is copied into the arena; NULL when it is no JSON. */
const struct json_value *whole_parsed(struct whole_relay *whole, struct text text);

/* Takes all events that wait. */
void whole_drain(struct whole_relay *whole);

/* Sends a text for a client and takes what comes of it. */
void whole_send(struct whole_relay *whole, const struct whole_client *client, struct text text);

/* Lets `put` write a frame for a client that a decision chooses, and sends it. Does nothing when nobody is connected. */
void whole_send_frame(struct whole_relay *whole,
                      void (*put)(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out));

/* Write a presence or a signal with any data, for whole_send_frame. */
void whole_put_presence(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out);
void whole_put_signal(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out);

/* Connects a client if there is room for one, with a writer and an origin that decisions choose. */
void whole_connect(struct whole_relay *whole);

void whole_disconnect(struct whole_relay *whole);

/* Lets time pass. */
void whole_advance(struct whole_relay *whole);

/* Begins a relay's life. */
void whole_open(struct whole_relay *whole);

/* Ends the relay's life and begins another one. */
void whole_restart(struct whole_relay *whole);

/* The info of a room, as JSON. */
const struct json_value *whole_room(struct whole_relay *whole, const char *room);

/* hydrate.fresh: a room that nobody has joined or written to. */
bool whole_is_fresh(struct whole_relay *whole, const char *room);

/* Hydrates a room; the relay must accept it if, and only if, the room is fresh. Notes it; true when it was accepted. */
bool whole_hydrate(struct whole_relay *whole, const char *room, struct text snapshot);

/*
 * Hydrates a room that nobody enters with a snapshot that is anything: a decision chooses one of `count` heads, what comes behind it is
 * raw, and the tail of the same number ends it. Nothing is noted.
 */
void whole_hydrate_raw(struct whole_relay *whole, const char *const *heads, const char *const *tails, unsigned count);

/*
 * Lets somebody new look at every room, so that its snapshot is held against the history: `more` is what its hellos say beside the
 * room and the origin, with a comma before it.
 */
void whole_look_at_rooms(struct whole_relay *whole, const char *more);

/* Writes a JSON string. */
void whole_put_string(FILE *out, const char *characters);

/* Ends the process (see found) when the history is none that clients can rely on. */
void whole_check(const struct whole_relay *whole, const struct history_settings *settings);

/* Frees the target and the history; the arena is the caller's. */
void whole_end(struct whole_relay *whole);

#endif
