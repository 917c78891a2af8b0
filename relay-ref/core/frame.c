#include "relay-ref/core/frame.h"

#include <stdlib.h>

#define FRAME_RESERVED (sizeof(struct relay_frame) + RELAY_FRAME_HEADROOM)

void relay_frame_start(struct relay_buffer *text, size_t expected) {
    relay_buffer_start(text, FRAME_RESERVED, expected);
}

struct relay_frame *relay_frame_finish(struct relay_buffer *text) {
    if (text->failed) {
        relay_buffer_free(text);
        return NULL;
    }
    struct relay_frame *frame = (struct relay_frame *)(void *)text->memory;
    frame->references = 1;
    frame->length = text->length;
    frame->text = text->memory + FRAME_RESERVED;
    text->memory = NULL;
    text->failed = true;
    return frame;
}

void relay_frame_keep(struct relay_frame *frame) {
    frame->references++;
}

void relay_frame_release(struct relay_frame *frame) {
    if (--frame->references == 0)
        free(frame);
}
