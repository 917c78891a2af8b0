/* A relay with a clock and epochs of the test's own, and clients that hold the other ends of its pairs. */
#ifndef MESHSPEC_RELAY_TESTS_WORLD_H
#define MESHSPEC_RELAY_TESTS_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay-ref/adapters/options.h"
#include "relay-ref/adapters/pair.h"
#include "relay-ref/core/relay.h"

struct world {
    struct relay_settings *settings;
    struct relay *relay;
    int64_t now;
    bool holds;          /* commits stay undecided (0.9) */
    unsigned minted;     /* epochs are e1, e2, … in the order in which rooms need them */
    char observed[4096]; /* what observers saw, as lines; empty it to look at the next ones */
    char *taken;         /* what `next` gave last */
};

/* Opens a relay with options in their JSON form; NULL for the defaults. */
void world_open(struct world *world, enum relay_protocol protocol, const char *options);

/* Opens a relay with options that have no JSON form, such as its ceilings. */
void world_open_with(struct world *world, const struct relay_options *options);

void world_close(struct world *world);

/* A new client with this principal. */
struct pair *world_client(struct world *world, const char *writer);

/* Sends a text of the client's. */
void says(struct pair *client, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sends a hello with matching versions; `more` is further members, each with a comma before it. */
void hello(struct pair *client, const char *room, const char *origin, const char *more);

/* Sends an envelope of this writer; `more` is further members, each with a comma before it. */
void writes(struct pair *client, const char *room, const char *writer, const char *ops, const char *more);

/* The text of the client's next message, "(closed)", or "(nothing)". Valid until the next call. */
const char *next(struct world *world, struct pair *client);

/* Takes everything that waits; gives the number of messages. */
size_t drain(struct pair *client);

/* The room's info; all zero when there is none. */
struct relay_room_info room_info(const struct world *world, const char *room);

/* Restores a room. */
enum relay_hydrated hydrates(struct world *world, const char *room, const char *snapshot);

/* `times` copies of `text` in a row, ended by NUL; owned by the caller. */
char *repeated(const char *text, size_t times);

#endif
