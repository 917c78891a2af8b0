/* The parts of a snapshot that a room is restored from. */
#ifndef MESHSPEC_RELAY_HYDRATE_H
#define MESHSPEC_RELAY_HYDRATE_H

#include "relay-ref/core/state.h"

/* One journal entry of the snapshot; `position` keeps equal seqs in the order in which they came. */
struct given_entry {
    uint64_t seq;
    size_t position;
    struct json_value envelope;
};

struct snapshot {
    struct json_value seq, life, schema_version, journal; /* JSON_ABSENT when not given */
    struct json_value root;                               /* wire version 1 */
    struct json_value registers, wm, ranges, settled;     /* wire version 3 */
    uint64_t seq_count;
    double schema; /* the room's schemaVersion; 0 when not given */
    struct given_entry *entries; /* owned */
    size_t count, capacity;
    bool no_memory;
};

#endif
