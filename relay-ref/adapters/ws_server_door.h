/* The listening socket: whoever comes is a visitor (ws_server_visitor.h). */
#ifndef MESHSPEC_WS_SERVER_DOOR_H
#define MESHSPEC_WS_SERVER_DOOR_H

#include <stddef.h>

#include "relay-ref/adapters/ws_server_state.h"

/* The protocol that the listener has on the inner vhost, for its list. */
#define DOOR_PROTOCOL                                                                                                  \
    { .name = "door", .callback = door_callback }

int door_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);

/*
 * Listens on `host` (an address or a name) and `port` (0: any free one). Returns the port, or 0 with a sentence in
 * `reason` (at most `capacity` bytes with its NUL).
 */
unsigned door_open(struct server *server, const char *host, size_t port, char *reason, size_t capacity);

/* Listens no more. Visitors may finish, and are told by the handshake that nobody comes in. */
void door_close(struct server *server);

#endif
