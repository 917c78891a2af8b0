/*
 * The order of racing steps. Each place where one of several branches goes on asks the schedule for a choice.
 * An exhaustive schedule walks through every combination of choices, one a play; a seeded one draws them.
 */
#ifndef MESHSPEC_SCHEDULE_H
#define MESHSPEC_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_CHOICES_CEILING 256 /* choices of one play that are walked through; later ones take the first branch */

struct schedule {
    bool exhaustive;
    uint64_t random; /* the state of the seeded sort */
    size_t depth;    /* choices made in this play */
    size_t known;    /* choices whose number of ways is known from the last play */
    unsigned chosen[SCHEDULE_CHOICES_CEILING];
    unsigned ways[SCHEDULE_CHOICES_CEILING];
};

struct schedule schedule_exhaustive(void);
struct schedule schedule_seeded(uint64_t seed);

/* Picks one of `ways` (at least 1) branches: 0 … ways − 1. */
unsigned schedule_choose(struct schedule *schedule, unsigned ways);

/* Gets ready for the next play; false when an exhaustive schedule has been through all of them. */
bool schedule_next(struct schedule *schedule);

#endif
