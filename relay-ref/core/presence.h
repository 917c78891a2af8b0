/* Presence: the last word of each member about itself, not ordered and not kept beyond its stay. */
#ifndef MESHSPEC_RELAY_PRESENCE_H
#define MESHSPEC_RELAY_PRESENCE_H

#include "relay-ref/core/state.h"

/* A presence message from a member. False when memory is out. */
bool relay_presence_receive(struct member *member, const struct message *message);

/* Drops the member's entry and tells nobody. */
void relay_presence_forget(struct member *member);

/* The frame that tells others that the member's entry, which it has, is gone. NULL when memory is out. */
struct relay_frame *relay_presence_gone(const struct member *member);

/* Adds the room's entries as a JSON array (join.peers). */
void relay_presence_print(const struct room *room, struct relay_buffer *out);

#endif
