/*
 * What observers of the reference relay in this process report, as a target's events; and a room's info. The shapes are
 * those of the adapter protocol.
 */
#ifndef MESHSPEC_TARGET_MEMORY_OBSERVE_H
#define MESHSPEC_TARGET_MEMORY_OBSERVE_H

#include "harness/target/events.h"
#include "relay-ref/core/relay.h"

/* The context of a relay's env. */
struct memory_observer {
    void *owner;
    struct target_events *events; /* where they go; borrowed */
    void (*before)(void *owner);  /* called before each is queued */
    enum relay_protocol protocol; /* of the relay that is observed */
    bool holds;                   /* commits stay undecided */
};

/* Sets the observers of `env`, whose context is the observer. */
void memory_observe_with(struct relay_env *env, const struct memory_observer *observer);

/* Appends a room's info as JSON. */
void memory_room_info(enum relay_protocol protocol, const struct relay_room_info *info, struct buffer *out);

#endif
