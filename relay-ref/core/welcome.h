/*
 * Welcomes. Head and body are what the hello found; between them stands who is there when the welcome goes out, which
 * can be later (durable.hold).
 */
#ifndef MESHSPEC_RELAY_WELCOME_H
#define MESHSPEC_RELAY_WELCOME_H

#include "relay-ref/core/state.h"

/* The room's life as a welcome shows it. */
struct welcome_life {
    uint64_t seq;
    struct relay_text epoch;
    double schema_version;
};

/* Adds `{"t":"welcome", …` up to where the peers come. */
void relay_welcome_head(struct relay_buffer *text, const struct room *room, const struct welcome_life *life);

/* Adds the peers and the other members. */
void relay_welcome_people(struct relay_buffer *text, const struct room *room, const struct member *joiner);

/* Answers the hello of `joiner`, whose watermark is `seq` (JSON_ABSENT for none); the answer waits where the room's
   answers wait. False when memory is out. */
bool relay_welcome(struct member *joiner, const struct json_value *seq);

/* Sends a welcome whose head (`head` bytes) and body are the text of `frame`; closes the connection when memory is out.
 */
void relay_welcome_send(struct member *joiner, const struct relay_frame *frame, size_t head);

#endif
