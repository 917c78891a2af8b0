/*
 * An in-memory socket pair: one end is a connection of a relay core in this process, the other end is
 * whoever plays the client. Bytes go in, bytes come out; nothing of the relay's parsing is visible.
 */
#ifndef MESHSPEC_PAIR_H
#define MESHSPEC_PAIR_H

#include "relay-ref/core/relay.h"

struct pair;

/* Most messages that wait at the client's end (a power of two); past it the pair closes as a socket would. */
#define PAIR_QUEUE_CEILING ((size_t)1 << 20)

/* What the client's end takes out next. */
enum pair_event_kind { PAIR_NOTHING, PAIR_MESSAGE, PAIR_CLOSED };

struct pair_event {
    enum pair_event_kind kind;
    struct relay_frame *frame; /* PAIR_MESSAGE: owned by the caller, give it back with relay_frame_release */
};

/* Connects a new client to `relay` as `principal`. NULL when memory is out. The relay must outlive the pair. */
struct pair *pair_open(struct relay *relay, const struct relay_principal *principal);

/* Hands one text message to the relay; ignored once either side has closed. */
void pair_send(struct pair *pair, const char *bytes, size_t length);

/* Takes the oldest event off the client's queue; PAIR_CLOSED comes once, after every message before it. */
struct pair_event pair_take(struct pair *pair);

/* Ends the client's side: the relay sees a disconnect. Further sends are ignored; the queue stays readable.
   Idempotent. */
void pair_disconnect(struct pair *pair);

/* Disconnects if need be and frees the pair. NULL is allowed. */
void pair_free(struct pair *pair);

#endif
