/* What differs between the protocol versions, in one table: the rest of the core asks here and nowhere else. */
#ifndef MESHSPEC_RELAY_VERSION_H
#define MESHSPEC_RELAY_VERSION_H

#include <stdbool.h>

#include "relay-ref/core/relay.h"

struct relay_version {
    const char *name;
    unsigned wire;    /* what `proto` must be */
    const char *life; /* the welcome's field for the life of a room's sequence space */
    bool commits;     /* on_commit fires (commit.each) */
    bool hydrates;    /* a room can be restored (hydrate.*) */
    bool schema;      /* schemaVersion gates hellos and migrates rooms (join.reject-schema, migrate.*) */
};

const struct relay_version *relay_version_of(enum relay_protocol protocol);

/* Finds a version by its name; false when there is none. */
bool relay_version_find(const char *name, enum relay_protocol *out);

#endif
