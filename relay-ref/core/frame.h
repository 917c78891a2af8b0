/* Building frames: a buffer whose memory becomes the frame, without another copy. */
#ifndef MESHSPEC_RELAY_FRAME_H
#define MESHSPEC_RELAY_FRAME_H

#include "relay-ref/core/buffer.h"
#include "relay-ref/core/relay.h"

/* Starts a frame's text with room for `expected` bytes. */
void relay_frame_start(struct relay_buffer *text, size_t expected);

/* Turns the text into a frame with one reference, or frees it and returns NULL when memory was out. Either way the
   buffer is used up. */
struct relay_frame *relay_frame_finish(struct relay_buffer *text);

#endif
