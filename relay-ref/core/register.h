/* The registers of a generation: what ops do to them (register.*). */
#ifndef MESHSPEC_RELAY_REGISTER_H
#define MESHSPEC_RELAY_REGISTER_H

#include "relay-ref/core/generation.h"
#include "relay-ref/core/reading.h"

/* The register of a joined path, or NULL. */
struct path_register *relay_register_find(const struct generation *generation, struct relay_text key);

/* The cell of an origin at a path, or NULL. */
struct register_cell *relay_register_cell(const struct generation *generation, struct path_register *path_register,
                                          struct register_origin *origin);

/*
 * Gets everything that the ops of `reading` need, so that relay_register_apply cannot fail; registers and cells may be
 * made for it, but nothing is in them. False when memory is out: all of it was given back then. `envelope` is the one
 * that was read, `origin` its origin, which the caller holds a use of.
 */
bool relay_register_prepare(struct generation *generation, struct reading *reading,
                            const struct message_envelope *envelope, struct register_origin *origin);

/* What `generation->bytes` will be when the prepared reading is taken in. */
size_t relay_register_bytes(const struct generation *generation, const struct reading *reading);

/* Takes the ops in: siblings, water, baselines. */
void relay_register_apply(struct generation *generation, struct reading *reading);

/* Gives back what was prepared. */
void relay_register_cancel(struct generation *generation, struct reading *reading);

/* ---- what loading and collecting do -------------------------------------------------------------------------- */

/* Reserves the register of `key` and the cell of an origin there; both go again on release if nothing is in them.
   NULL when memory is out. */
struct path_register *relay_register_reserve(struct generation *generation, struct relay_text key);
void relay_register_release(struct generation *generation, struct path_register *path_register);
struct register_cell *relay_register_reserve_cell(struct generation *generation, struct path_register *path_register,
                                                  struct relay_text origin);
struct register_cell *relay_register_cell_of(struct generation *generation, struct path_register *path_register,
                                             struct register_origin *origin);
void relay_register_release_cell(struct generation *generation, struct register_cell *cell);

/* Raises the water; a lower stamp changes nothing. */
void relay_register_raise_water(struct generation *generation, struct register_cell *cell, const struct hlc *hlc);

/* Makes `sibling` the cell's if it is the first or newer, and frees it if not. */
void relay_register_put_sibling(struct generation *generation, struct register_cell *cell,
                                struct register_sibling *sibling);

/* Frees the cell's sibling, if it has one. */
void relay_register_drop_sibling(struct generation *generation, struct register_cell *cell);

/* Raises the baseline to `epoch`, at whose first rise the register keeps `*spelling`. */
void relay_register_raise_baseline(struct path_register *path_register, double epoch, char **spelling);

/* A copy of a path's JSON, ended by NUL. NULL when memory is out. */
char *relay_register_spelling(struct json_value path);

#endif
