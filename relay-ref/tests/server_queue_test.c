#include "relay-ref/adapters/ws_server_queue.h"

#include <criterion/criterion.h>

#define FRAMES 100

static struct relay_frame frames[FRAMES];

static void make_frames(void) {
    for (size_t i = 0; i < FRAMES; i++)
        frames[i] = (struct relay_frame){.references = 1, .length = i};
}

static size_t weight_between(size_t first, size_t end) {
    size_t weight = 0;
    for (size_t i = first; i < end; i++)
        weight += frames[i].length + QUEUE_FRAME_OVERHEAD;
    return weight;
}

/* In and out in bursts of every size: the order holds, the bytes are counted, each frame is kept just while it waits.
 */
Test(server_queue, is_first_in_first_out_and_counts) {
    struct frame_queue queue = {0};
    make_frames();
    for (size_t burst = 1; burst <= FRAMES; burst++) {
        size_t in = 0, out = 0;
        while (out < FRAMES) {
            for (size_t i = 0; i < burst && in < FRAMES; i++, in++)
                cr_assert(queue_add(&queue, &frames[in]));
            cr_assert_eq(queue.bytes, weight_between(out, in));
            for (size_t i = 0; i < burst / 2 + 1 && out < in; i++, out++) {
                cr_assert_eq(queue_first(&queue), &frames[out]);
                cr_assert_eq(frames[out].references, 2);
                queue_drop_first(&queue);
                cr_assert_eq(frames[out].references, 1);
            }
        }
        cr_assert_eq(queue_first(&queue), NULL);
        cr_assert_eq(queue.bytes, 0);
    }
    queue_clear(&queue);
}

Test(server_queue, gives_everything_back_when_cleared) {
    struct frame_queue queue = {0};
    make_frames();
    for (size_t i = 0; i < FRAMES; i++)
        cr_assert(queue_add(&queue, &frames[i]));
    queue_clear(&queue);
    for (size_t i = 0; i < FRAMES; i++)
        cr_assert_eq(frames[i].references, 1);
    cr_assert_eq(queue.bytes, 0);
    cr_assert(queue_add(&queue, &frames[0]));
    queue_clear(&queue);
}

/* What is held stays behind, goes when it is let go, and can be taken back without touching what is in front of it. */
Test(server_queue, holds_the_last_frames) {
    struct frame_queue queue = {0};
    make_frames();
    for (size_t i = 0; i < FRAMES; i++) {
        cr_assert(queue_add(&queue, &frames[i]));
        queue.held += i >= 30;
    }
    for (size_t i = 0; i < 30; i++) {
        cr_assert_eq(queue_first(&queue), &frames[i]);
        queue_drop_first(&queue);
    }
    cr_assert_null(queue_first(&queue));
    cr_assert_eq(queue.bytes, weight_between(30, FRAMES));
    queue.held -= 10;
    queue_drop_held(&queue);
    cr_assert_eq(queue.bytes, weight_between(30, 40));
    for (size_t i = 30; i < FRAMES; i++)
        cr_assert_eq(frames[i].references, i < 40 ? 2 : 1);
    cr_assert_eq(queue_first(&queue), &frames[30]);
    queue_clear(&queue);
    cr_assert_eq(queue.held, 0);
}
