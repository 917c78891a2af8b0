/* The frames that wait for one connection: first in, first out, their bytes counted. */
#ifndef MESHSPEC_WS_SERVER_QUEUE_H
#define MESHSPEC_WS_SERVER_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "relay-ref/core/relay.h"

/* What a waiting frame counts beyond its text, so that very short ones have a ceiling too. */
#define QUEUE_FRAME_OVERHEAD 64

struct frame_queue {
    struct relay_frame **ring; /* owned; each frame in it is kept */
    size_t capacity;           /* a power of two, or 0 */
    size_t first, count;
    size_t held;   /* of them, from the last one on: they must not go yet */
    size_t bytes;  /* of all waiting frames, overhead included */
    size_t *total; /* borrowed: the sum of `bytes` over all queues that share it; NULL: nobody asks */
};

/* What `frame` counts while it waits. */
size_t queue_weight(const struct relay_frame *frame);

/* Keeps `frame` and puts it last. False when memory is out; nothing changed then. */
bool queue_add(struct frame_queue *queue, struct relay_frame *frame);

/* The frame that goes next; NULL when none waits, or only such as are held. */
struct relay_frame *queue_first(const struct frame_queue *queue);

/* Gives the first frame back. There must be one. */
void queue_drop_first(struct frame_queue *queue);

/* Gives the frames that are held back. */
void queue_drop_held(struct frame_queue *queue);

/* Gives all frames back and frees the ring; the queue can be used again. */
void queue_clear(struct frame_queue *queue);

#endif
