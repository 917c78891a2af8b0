/*
 * Random traffic for two relays at once: what clients, a clock and a store might do to a relay in one of its lives. A
 * pure function of a seed, what both relays can do, and a number of steps; nothing of it depends on what a relay answers.
 *
 * A step is a JSON object, a command of the adapter protocol with some freedom:
 *   {do: connect, conn, principal}      {do: disconnect, conn}
 *   {do: receive, conn, msg, spelling?} {do: receive, conn, text}: junk, after which the connection ends from its side
 *   {do: hydrate, room, snapshot}       {do: hydrate, room, of, tail, without}: from what the commits of room `of` showed
 *   {do: room, room}                    {do: clock, ms}: so many more
 *   {do: restart}                       {do: hold}, {do: unhold}, {do: unload, room, discard}
 *   {do: release, pick}, {do: fail, pick}: one of the commits that are held then
 * An epoch or instance "@now:ROOM" is the one that the room showed last, "@before:ROOM" the one before it.
 *
 * Any part of the steps, in their order, is traffic of the same kind. What the protocol leaves open does not occur: a connection has one origin in all
 * rooms, a path that leads through an array has indexes there, journals of snapshots have no holes, and times and rates are exact in binary.
 */
#ifndef MESHSPEC_COMPARE_TRAFFIC_H
#define MESHSPEC_COMPARE_TRAFFIC_H

#include "harness/json/value.h"

/* What the profile has and both relays can do. */
struct traffic_features {
    bool wire_3;  /* registers, citations, instances; else wire version 1 */
    bool schema;  /* schemaVersion means something */
    bool options; /* the options below `open` can be chosen */
    bool acl, validate, bump, citations;
    bool clock, hydrate, commits, room, restart, hold, unload;
    bool junk, spelling; /* texts that are no messages; messages in other spellings */
};

/* Takes a sort of traffic out by its name (see TRAFFIC_SORTS); false when there is none of that name. */
bool traffic_leave_out(struct traffic_features *features, struct text sort);

#define TRAFFIC_SORTS "clock, hold, hydrate, junk, policies, restart, spelling or unload"

struct traffic {
    struct json_value *options; /* an object, as `open` takes it */
    struct json_value *steps;   /* an array */
};

#define TRAFFIC_STEPS_CEILING 100000 /* of one life of a relay */

/* `count` steps or a few more (what belongs together is not torn apart). All of it lives in the arena. */
struct traffic traffic_make(struct arena *arena, uint64_t seed, const struct traffic_features *features, size_t count);

#endif
