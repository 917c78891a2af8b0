/* The token bucket of each writer in a room (rate.*). */
#ifndef MESHSPEC_RELAY_RATE_H
#define MESHSPEC_RELAY_RATE_H

#include "relay-ref/core/state.h"

enum rate_answer { RATE_ALLOWED, RATE_EXCEEDED, RATE_NO_MEMORY };

/* Takes one token of `writer` for an envelope; always allowed when no limit is set (rate.off). */
enum rate_answer relay_rate_take(struct room *room, struct relay_text writer);

/* Before the table of writers grows: forgets those whose bucket is full again, which is what a new one would be. A
   table that stays more than half full grows all the same, so that the next sweep is as many writers away as this one
   looked at. */
void relay_rate_sweep(struct room *room);

#endif
