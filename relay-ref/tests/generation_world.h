/* What clients of protocol version 0.9 say, for a world (world.h). */
#ifndef MESHSPEC_RELAY_TESTS_GENERATION_WORLD_H
#define MESHSPEC_RELAY_TESTS_GENERATION_WORLD_H

#include "relay-ref/tests/world.h"

/* A write: who, the how manieth, and its stamp's `l`; `p` is always 1. */
struct submission {
    const char *room, *instance, *origin, *writer;
    unsigned version, stamp;
    const char *ops;
    const char *more; /* further members, each with a comma before it; NULL for none */
};

/* Sends a hello of wire version 3; `more` is further members, each with a comma before it. */
void joins(struct pair *client, const char *room, const char *origin, const char *more);

/* Opens a relay of 0.9 whose room `r` has two members, `ana` (writer wa) and `ben` (wb), who have heard all of it so far. */
void open_room_of_two(struct world *world, const char *options, struct pair **ana, struct pair **ben);

void close_room_of_two(struct world *world, struct pair *ana, struct pair *ben);

void submits(struct pair *client, const struct submission *submission);

/* One op as JSON, in memory that the next sixteen calls leave alone. `cites` is what stands between the brackets. */
const char *sets(const char *path, const char *next, const char *cites, unsigned epoch);
const char *cites(const char *origin, unsigned stamp);

/* Has a new client ask for the room's snapshot and gives that welcome; valid until the next call to `next`. */
const char *snapshot_of(struct world *world, const char *room);

/* Takes the client's messages until one of the type `t` comes, and gives it; "(nothing)" when none does. */
const char *next_of(struct world *world, struct pair *client, const char *t);

#endif
