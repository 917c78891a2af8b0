/* Rooms that the relay's owner keeps: bringing one back when somebody wants in. */
#ifndef MESHSPEC_RELAY_RESTORE_H
#define MESHSPEC_RELAY_RESTORE_H

#include "relay-ref/core/state.h"

/* Has the owner restore a room that is not there. `*room` is NULL when it keeps none of that name. False when it does
   keep one that cannot be restored. */
bool relay_room_restored(struct relay *relay, struct relay_text name, struct room **room);

#endif
