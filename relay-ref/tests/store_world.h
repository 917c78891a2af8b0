/* A store in a file of its own below /tmp, for tests; and what a test looks for in it. */
#ifndef MESHSPEC_RELAY_TESTS_STORE_WORLD_H
#define MESHSPEC_RELAY_TESTS_STORE_WORLD_H

#include "relay-ref/adapters/store_sqlite.h"

struct store_world {
    char folder[64];
    char path[96];
    struct store *store;
    struct store_error error;
};

#define TEXT_OF(words) ((struct relay_text){(words), sizeof(words) - 1})
#define NO_TEXT ((struct relay_text){NULL, 0})

/* A fresh folder, and the file in it opened. */
void store_world_start(struct store_world *world, bool durable);

/* Opens the file (again). False with the error. */
bool store_world_open(struct store_world *world, bool durable);

/* Closes the store; without `orderly` as if the process had died. */
void store_world_close(struct store_world *world, bool orderly);

/* Closes and takes the folder away. */
void store_world_end(struct store_world *world);

/* One envelope whose text tells room and seq, in the present batch; the room's epoch is "first". */
bool store_world_append(struct store_world *world, struct relay_text room, uint64_t seq);

/* Asserts that the room holds the envelopes `first` to `last`, each as store_world_append wrote it. */
void store_world_holds(struct store_world *world, struct relay_text room, uint64_t first, uint64_t last);

/* Runs SQL on the file, as somebody else might. */
void store_world_execute(const struct store_world *world, const char *text);

/* The one number that the query gives. */
int64_t store_world_number(const struct store_world *world, const char *query);

/* Copies the file and the first `length` bytes of its log, as a crash would leave them, and asserts that the copy
 * opens and holds the envelopes 1 to `last` of room "r". */
void store_world_torn(const struct store_world *world, int64_t length, uint64_t last);

#endif
