/* The server's rooms in a file (durable_rooms.h): opening it by the flags, the turns of the event loop, what clients
 * are told. */
#ifndef MESHSPEC_WS_SERVER_ROOMS_H
#define MESHSPEC_WS_SERVER_ROOMS_H

#include "relay-ref/adapters/ws_server_state.h"

/* Opens the file that the flags name, if they do. False with a sentence in `reason`. */
bool rooms_open(struct server *server, char *reason, size_t capacity);

/* Commits what is left. To be called while the relay lives. */
void rooms_close(struct server *server);

/* One round of the event loop is over, or everybody is about to be sent away. */
void rooms_turn_over(struct server *server);

/* Whether what is sent during a turn waits for its end. */
bool rooms_hold(const struct server *server);

/* The close code and the reason, a literal of at most 123 bytes, of a connection that ended because of the file. */
unsigned rooms_close_code(enum durable_trouble trouble);
const char *rooms_close_reason(enum durable_trouble trouble);

#endif
