/*
 * What a scenario leaves to the profile's wire version: 1 up to 0.2.0, 3 from 0.9 on. In version 3 rooms have an `instance` where they had an `epoch`, envelopes
 * name it, and rooms have no root. Internal to harness/run.
 */
#ifndef MESHSPEC_WIRE_H
#define MESHSPEC_WIRE_H

#include "harness/json/value.h"

#define WIRE_NAME "wire" /* the name that `{$is: wire}` finds the wire version by */

struct play;
struct actor;

/* What a client has learnt from a welcome. */
struct instance {
    const struct actor *actor;
    struct text room;
    struct text value;
    struct instance *next;
};

/* How many envelopes one origin has written in one room. */
struct origin_log {
    struct text origin;
    struct text room;
    uint64_t version; /* of the last one */
    struct origin_log *next;
};

/* Where in what a pattern is held against the protocol has the room's epoch. */
enum wire_place { WIRE_AT_TOP /* a welcome, a room's info */, WIRE_IN_STATE /* a commit */ };

/*
 * The pattern as it is meant in this profile: `epoch` reads as `instance` in wire version 3, unless the same map names `instance` itself. A copy in the play's arena, or the
 * pattern itself.
 */
const struct json_value *wire_pattern(struct play *play, const struct json_value *pattern, enum wire_place place);

/* Likewise of a snapshot to hydrate, in place; `root` is taken out. */
void wire_snapshot(const struct play *play, struct json_value *snapshot);

/* Notes the instance that a welcome brings. */
void wire_note_welcome(struct play *play, const struct actor *actor, const struct json_value *message);

/* The instance that the client writes under: from its latest welcome of the room, else from anybody's, else empty. */
struct text wire_instance(const struct play *play, const struct actor *actor, struct text room);

/* The version of that origin's next envelope in the room, which is counted. */
uint64_t wire_next_version(struct play *play, struct text origin, struct text room);

#endif
