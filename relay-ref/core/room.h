/* Rooms and who is in them. */
#ifndef MESHSPEC_RELAY_ROOM_H
#define MESHSPEC_RELAY_ROOM_H

#include "relay-ref/core/state.h"

struct room *relay_room_find(const struct relay *relay, struct relay_text name);

/* Brings relay->kept_bytes up to date. To be called after whatever changes what the room keeps. */
void relay_room_weigh(struct room *room);

/* Makes a room that is not there yet, with a fresh epoch. NULL when memory is out or max_rooms is reached. */
struct room *relay_room_new(struct relay *relay, struct relay_text name);

/* Frees a room and the members in it. */
void relay_room_free(struct room *room);

/* Takes the room out of its relay and frees it. */
void relay_room_forget(struct room *room);

/* room.evict-empty: forgets the room if nothing ever happened in it and nobody is there or was ejected. */
void relay_room_evict(struct room *room);

/* Gives the room a fresh epoch (epoch.unique). False when memory is out; the old one then stays. */
bool relay_room_mint(struct room *room);

/* Replaces the epoch by a copy of these characters. False when memory is out. */
bool relay_room_set_epoch(struct room *room, struct relay_text epoch);

/* The member with this origin, or NULL. */
struct member *relay_room_member(const struct room *room, struct relay_text origin);

/* Makes (connection, origin) a member, which neither of them is yet. NULL when memory is out. */
struct member *relay_room_join(struct room *room, struct relay_connection *connection, struct relay_text origin);

/* Takes a member out and frees it; sends nothing. */
void relay_room_leave(struct member *member);

/* Sends a frame to every member but `except` (which may be NULL), in the order of joining. */
void relay_room_broadcast(const struct room *room, struct relay_frame *frame, const struct member *except);

/* Closes the connection of every member but `except`; they stay members until their transports report the end. */
void relay_room_close(const struct room *room, const struct member *except);

/* The room's record of a writer, or NULL. */
struct room_writer *relay_room_writer(const struct room *room, struct relay_text writer);

/* The room's record of a writer, made if need be. NULL when memory is out. */
struct room_writer *relay_room_writer_made(struct room *room, struct relay_text writer);

#endif
