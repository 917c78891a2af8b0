/*
 * A queue of target events that owns their texts: what a target has collected and nobody has taken yet.
 */
#ifndef MESHSPEC_TARGET_EVENTS_H
#define MESHSPEC_TARGET_EVENTS_H

#include <stddef.h>

#include "harness/target/target.h"

/* Ceilings on what may wait unread. A target that would pass one is broken: it floods. */
#define TARGET_EVENTS_COUNT_CEILING ((size_t)1000000)
#define TARGET_EVENTS_BYTES_CEILING ((size_t)1 << 30)

struct queued_event;

/* Zero-initialise it; free with events_clear. */
struct target_events {
    struct queued_event *first, *last;
    struct queued_event *taken; /* the event handed out last: its texts stay valid until the next is taken */
    size_t count;               /* waiting */
    size_t bytes;               /* of their texts */
};

/* Appends a copy of the event and of its texts. */
void events_add(struct target_events *events, const struct target_event *event);

/* Appends the event with `event->text.bytes` taken over: memory from malloc (NULL when it is empty), freed by the
 * queue. */
void events_add_owned(struct target_events *events, const struct target_event *event);

/* Takes the oldest event; its texts are valid until the next call here or events_clear. False when none waits. */
bool events_take(struct target_events *events, struct target_event *event);

/* Takes out a waiting TARGET_CLOSED of that connection; nothing when there is none. */
void events_drop_closed(struct target_events *events, int connection);

/* Whether a ceiling is reached. */
bool events_full(const struct target_events *events);

/* Frees every event, the one handed out last too. */
void events_clear(struct target_events *events);

#endif
