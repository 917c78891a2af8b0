/*
 * What one play remembers for later steps: connections, what rooms showed, and commits that are held.
 */
#ifndef MESHSPEC_COMPARE_MEMORY_H
#define MESHSPEC_COMPARE_MEMORY_H

#include "harness/compare/stream.h"

struct hello {
    struct text room;
    double seq;
    struct hello *next;
};

struct linked {
    struct text name;
    int number;
    bool open[2];
    struct hello *hellos; /* those with a watermark, the newest first */
    struct linked *next;
};

struct room_memory {
    struct text name;
    struct text now, before;        /* epochs or instances by their shared names; bytes NULL: none yet */
    const struct json_value *state; /* of the last commit; NULL: none */
    struct json_value *committed;   /* an array of envelopes */
    struct room_memory *next;
};

struct held_commit {
    struct text room;
    const struct json_value *seq;
    struct held_commit *next;
};

struct memory {
    struct arena *arena;
    struct linked *connections; /* the newest first */
    int last_number;
    struct room_memory *rooms;
    struct held_commit *held; /* the oldest first */
    bool holds;
};

/* NULL: there is none of that name. */
struct linked *memory_connection(const struct memory *memory, struct text name);

/* Never NULL: made when it is new. */
struct room_memory *memory_of_room(struct memory *memory, struct text name);

/*
 * What is to be put for a step: a copy with everything filled in that depends on what came before, or NULL when the step is to be left out. Names are shared ones.
 */
struct json_value *memory_fill(struct memory *memory, const struct json_value *step);

/* Learns from a step that was put, and what one side said to it. */
void memory_learn(struct memory *memory, const struct json_value *step, const struct heard *heard);

#define MODE_AHEAD "delta or snapshot"

/*
 * A watermark from another life of a room may be answered in two ways (join.ahead), an empty delta or a snapshot: gives both the mode MODE_AHEAD and takes
 * out of them what tells them apart.
 */
void memory_settle_ahead(const struct memory *memory, const struct heard *heard);

#endif
