/*
 * Collecting evidence that nobody needs any more (settle.*), at the cost of what is collected: each origin keeps its
 * cells with water in a heap (a pairing heap, whose links are in the cells), ordered by the settled stamp at which
 * something of them can go, and a collection looks only at origins of which something changed since the last one.
 */
#ifndef MESHSPEC_RELAY_SETTLE_H
#define MESHSPEC_RELAY_SETTLE_H

#include "relay-ref/core/generation.h"

/* Takes the cell out of its origin's heap, before its sibling or water changes; and puts it in again after. */
void relay_settle_leave(struct register_cell *cell);
void relay_settle_enter(struct generation *generation, struct register_cell *cell);

/* Has the next collection look at the origin. */
void relay_settle_mark(struct generation *generation, struct register_origin *origin);

/* settle.when: drops what the settled stamps allow. */
void relay_settle_collect(struct generation *generation);

/*
 * settle.notice: the frame with every settled stamp, or only `origin`'s own `notice` in place of the one that it has,
 * where `notice` has bytes. NULL when memory is out.
 */
struct relay_frame *relay_settle_frame(const struct generation *generation, struct relay_text room,
                                       const struct register_origin *origin, struct relay_text notice);

#endif
