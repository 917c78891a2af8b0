/* What a generation says of itself in JSON: snapshots for joiners, evidence for whoever stores rooms. */
#ifndef MESHSPEC_RELAY_CHECKPOINT_H
#define MESHSPEC_RELAY_CHECKPOINT_H

#include "relay-ref/core/generation.h"

/* register.snapshot: the registers as an array, and per origin the highest admitted version as an object. Built once
   and kept until the next write. False when memory is out. */
bool relay_checkpoint(struct generation *generation, struct relay_text *registers, struct relay_text *wm);

/* Adds per origin its admitted ranges, or its settled stamp, as an object. */
void relay_checkpoint_add_ranges(const struct generation *generation, struct relay_buffer *out);
void relay_checkpoint_add_settled(const struct generation *generation, struct relay_buffer *out);

#endif
