/*
 * One incoming message put together again from the pieces that the transport hands over: text only, UTF-8 only, never
 * above its ceiling.
 */
#ifndef MESHSPEC_WS_SERVER_MESSAGE_H
#define MESHSPEC_WS_SERVER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "relay-ref/core/relay.h"

struct message_piece {
    const char *bytes;
    size_t length;
    size_t announced; /* bytes of the same frame that are still to come */
    bool last;        /* the message ends with this piece */
    bool binary;
};

struct message {
    char *bytes; /* owned; NULL while nothing is kept */
    size_t length, capacity;
    size_t checked;          /* bytes from the start that are known to be whole UTF-8 sequences */
    struct relay_text whole; /* after MESSAGE_WHOLE: the text, valid until the next call; may be in the piece */
};

enum message_step {
    MESSAGE_MORE,      /* wait for the next piece */
    MESSAGE_WHOLE,     /* `whole` is the text */
    MESSAGE_BINARY,    /* not a text message */
    MESSAGE_TOO_LARGE, /* past the ceiling, or announced to be */
    MESSAGE_NOT_UTF8,
    MESSAGE_NO_MEMORY
};

/*
 * Adds a piece; `ceiling` is the most bytes that a message may have. A message that came in one piece is never copied
 * (frame.text-json). After anything but MORE the next piece starts a new message.
 */
enum message_step message_add(struct message *message, const struct message_piece *piece, size_t ceiling);

/* Frees what is kept; the message can be used again. */
void message_clear(struct message *message);

#endif
