#include "relay-ref/adapters/ws_server_queue.h"

#include <stdlib.h>

#define FIRST_CAPACITY 16

static void count(struct frame_queue *queue, size_t more, size_t less) {
    queue->bytes += more - less;
    if (queue->total != NULL)
        *queue->total += more - less;
}

size_t queue_weight(const struct relay_frame *frame) {
    return frame->length + QUEUE_FRAME_OVERHEAD;
}

static bool grow(struct frame_queue *queue) {
    size_t capacity = queue->capacity == 0 ? FIRST_CAPACITY : queue->capacity * 2;
    struct relay_frame **ring = malloc(capacity * sizeof *ring);
    if (ring == NULL)
        return false;
    for (size_t i = 0; i < queue->count; i++)
        ring[i] = queue->ring[(queue->first + i) & (queue->capacity - 1)];
    free(queue->ring);
    queue->ring = ring;
    queue->capacity = capacity;
    queue->first = 0;
    return true;
}

bool queue_add(struct frame_queue *queue, struct relay_frame *frame) {
    if (queue->count == queue->capacity && !grow(queue))
        return false;
    relay_frame_keep(frame);
    queue->ring[(queue->first + queue->count) & (queue->capacity - 1)] = frame;
    queue->count++;
    count(queue, queue_weight(frame), 0);
    return true;
}

struct relay_frame *queue_first(const struct frame_queue *queue) {
    return queue->count > queue->held ? queue->ring[queue->first] : NULL;
}

void queue_drop_first(struct frame_queue *queue) {
    struct relay_frame *frame = queue->ring[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->count--;
    count(queue, 0, queue_weight(frame));
    relay_frame_release(frame);
}

void queue_drop_held(struct frame_queue *queue) {
    for (; queue->held > 0; queue->held--) {
        struct relay_frame *frame = queue->ring[(queue->first + --queue->count) & (queue->capacity - 1)];
        count(queue, 0, queue_weight(frame));
        relay_frame_release(frame);
    }
}

void queue_clear(struct frame_queue *queue) {
    while (queue->count > 0)
        queue_drop_first(queue);
    free(queue->ring);
    *queue = (struct frame_queue){.total = queue->total};
}
