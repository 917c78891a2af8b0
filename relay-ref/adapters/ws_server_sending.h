/*
 * A member's way out: what the core sends waits in a queue until the socket takes it, below a ceiling of its own and one
 * for all members together; then the close frame.
 */
#ifndef MESHSPEC_WS_SERVER_SENDING_H
#define MESHSPEC_WS_SERVER_SENDING_H

#include "relay-ref/adapters/ws_server_member.h"

/* The core's sink: queues `frame` for the member that `context` is. A reader that is too slow is cut off. */
void sending_send(void *context, struct relay_frame *frame);

/* Gives back all that waits. */
void sending_forget(struct member *member);

/* The turn is over, and with it what was held (rooms_hold): it goes out now, or is dropped for members whose connection
 * is closing when `lost` says that some of it must not be heard of. */
void sending_release(struct server *server, bool lost);

/* The socket takes bytes. False: end the connection now (the close frame is prepared). */
bool sending_writable(struct member *member);

#endif
