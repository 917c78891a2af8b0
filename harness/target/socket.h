/*
 * WebSocket clients over libwebsockets: connections of one event loop, which runs only while a function here is called.
 * What they receive becomes target events. All of it belongs to one thread.
 */
#ifndef MESHSPEC_TARGET_SOCKET_H
#define MESHSPEC_TARGET_SOCKET_H

#include "harness/target/events.h"
#include "harness/target/trust.h"
#include "harness/target/url.h"

#define SOCKET_MESSAGE_CEILING ((size_t)128 << 20) /* bytes of one received message */
#define SOCKET_OUTGOING_CEILING ((size_t)64 << 20) /* bytes that wait behind the message that is being sent */
#define SOCKET_REQUEST_CEILING ((size_t)48 << 10)  /* bytes of a request's path, own headers and subprotocol in all */

struct socket_loop;
struct socket;

/* An event loop whose sockets put their events into `events` (borrowed). `trust` (copied) is for relays behind TLS; NULL:
 * there is none. NULL with ERROR_INTERNAL when there can be none. */
struct socket_loop *socket_loop_new(const struct trust *trust, struct target_events *events, struct error *error);

/* Drops every connection and frees all. NULL is allowed. */
void socket_loop_free(struct socket_loop *loop);

/* Does what can be done now, and waits until something else can be, at most until `deadline` (microseconds of
 * socket_now). */
void socket_loop_run(struct socket_loop *loop, int64_t deadline);

/* Microseconds of a clock that never jumps. */
int64_t socket_now(void);

/* What made the loop unfit to be judged by, such as a message past its ceiling; empty when nothing did. */
const char *socket_loop_fault(const struct socket_loop *loop);
void socket_loop_forget_fault(struct socket_loop *loop);

/* What a request says besides its URL's host; texts are NUL-terminated and borrowed. */
struct socket_request {
    const char *path;        /* with the query */
    const char *headers;     /* lines, each with its CR LF; NULL: none */
    const char *subprotocol; /* NULL: none is asked for */
};

/*
 * Opens a connection: runs the loop until it is open. NULL with ERROR_TARGET, the HTTP status in it where there was
 * one, when that fails or takes longer than until `deadline`. Events carry `number`. The loop owns it; it must not be
 * used after socket_leave or socket_break.
 */
struct socket *socket_open(struct socket_loop *loop, const struct url *url, const struct socket_request *request,
                           int number, int64_t deadline, struct error *error);

int socket_number(const struct socket *socket);

/*
 * Sends a message in `fragments` frames of about equal size; whatever the bytes are, they go out as they are. What the
 * transport does not take at once goes out while the loop runs. False with ERROR_TARGET when more than
 * SOCKET_OUTGOING_CEILING waits beyond `deadline`.
 */
bool socket_send(struct socket *socket, struct text message, bool binary, int fragments, int64_t deadline,
                 struct error *error);

/* Stops reading, or reads again. */
void socket_stall(struct socket *socket, bool stalled);

/* Sends what waits, then a close frame with code 1000; gives no further event. */
void socket_leave(struct socket *socket);

/* Resets the TCP connection without a close frame; gives no further event. */
void socket_break(struct socket *socket);

#endif
