/*
 * Values that a relay mints, epochs and instances, under names that both sides share: "$1", "$2", … in the order in which a side first shows them. What
 * nobody minted (a restored epoch) stands for itself.
 */
#ifndef MESHSPEC_COMPARE_NAMES_H
#define MESHSPEC_COMPARE_NAMES_H

#include "harness/json/value.h"

struct shared_name {
    struct text shared, minted;
    struct shared_name *next;
};

/* One side's names. Zero-initialise all but the arena. */
struct shared_names {
    struct arena *arena;
    struct shared_name *first;
    unsigned count;
};

/* Replaces, in a message, an observation, an answer or a step, each minted value by its shared name; new ones get one. */
void names_share(struct shared_names *names, struct json_value *value);

/* The way back, before something is sent. A name that no relay minted stands for itself from now on. */
void names_mint(struct shared_names *names, struct json_value *value);

/* Calls `visit` for every string where an epoch or an instance stands. */
void names_visit(struct json_value *value, void (*visit)(void *context, struct json_value *name), void *context);

#endif
