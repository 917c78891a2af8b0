/* What differs between the protocol versions, in one table: the rest of the core asks here and nowhere else. */
#ifndef MESHSPEC_RELAY_VERSION_H
#define MESHSPEC_RELAY_VERSION_H

#include <stdbool.h>

#include "relay-ref/core/relay.h"

struct relay_rules; /* rules.h: what a wire version makes of envelopes */

struct relay_version {
    const char *name;
    unsigned wire;     /* what `proto` must be */
    const char *life;  /* the welcome's field for the life of a room's sequence space */
    bool commits;      /* on_commit fires (commit.each) */
    bool hydrates;     /* a room can be restored (hydrate.*) */
    bool schema;       /* schemaVersion gates hellos and migrates rooms (join.reject-schema, migrate.*) */
    bool generations;  /* wire version 3: the room keeps registers and admission evidence; commits can be held, rooms
                          unloaded, connections ejected */
    bool commit_first; /* on_commit comes before the broadcast, which it can hold (durable.hold) */
    bool evicts;       /* an empty room at seq 0 is forgotten (room.evict-empty) */
    bool lingers;      /* a connection that was told to close gets frames until its transport has ended */
    const struct relay_rules *rules;
};

const struct relay_version *relay_version_of(enum relay_protocol protocol);

/* Finds a version by its name; false when there is none. */
bool relay_version_find(const char *name, enum relay_protocol *out);

#endif
