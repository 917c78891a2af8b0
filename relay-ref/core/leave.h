/* How members go, and what the others see of it. */
#ifndef MESHSPEC_RELAY_LEAVE_H
#define MESHSPEC_RELAY_LEAVE_H

#include "relay-ref/core/state.h"

/* Takes the member out of its room; the others get its `presence … gone` if it had an entry. */
void relay_leave_displaced(struct member *member);

/* Lets the member begin anew: the others get its `presence … gone` if it had an entry, and it is the last of the
   roster. */
void relay_leave_and_return(struct member *member);

/* Takes the member out of its room; the others get `presence … gone` if it had an entry, then `member … gone`. */
void relay_leave(struct member *member);

/* Tells every member but `except` that `origin` came. False when memory is out. */
bool relay_announce_member(const struct room *room, struct relay_text origin, const struct member *except);

#endif
