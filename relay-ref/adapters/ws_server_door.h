/*
 * The listening socket, and the visitors who have not shown a whole HTTP request head yet.
 *
 * libwebsockets 4.1 reads a handshake into the same buffer that it then writes its answer to: frames that came in one
 * packet with a short handshake are overwritten before they are read. So the head is read here, and libwebsockets takes
 * the socket over together with a copy of what was read, from which it does not lose anything. Here are also the
 * ceilings on visitors: how many, for how long, how long a head.
 */
#ifndef MESHSPEC_WS_SERVER_DOOR_H
#define MESHSPEC_WS_SERVER_DOOR_H

#include <stdbool.h>
#include <stddef.h>

#include "relay-ref/adapters/ws_server_state.h"

/* Visitors at once; a further one takes the place of the one who has stood there longest. */
#define DOOR_VISITORS_CEILING 512

/* Of them from one address, where --max-connections-per-address sets a limit at all. */
#define DOOR_VISITORS_PER_ADDRESS 128

/* The protocols that the door's sockets have on the inner vhost, for its list. */
#define DOOR_PROTOCOLS DOOR_PROTOCOL_OF_LISTENER, DOOR_PROTOCOL_OF_VISITORS
#define DOOR_PROTOCOL_OF_LISTENER                                                                                      \
    { .name = "door", .callback = door_callback }
#define DOOR_PROTOCOL_OF_VISITORS                                                                                      \
    { .name = "visitor", .callback = visitor_callback, .per_session_data_size = sizeof(struct visitor) }

struct visitor {
    struct list_link in_visitors, in_address;
    struct address *address; /* held */
    struct lws *wsi;
    int socket;
    char *head; /* owned; NULL until something came */
    size_t length;
};

int door_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);
int visitor_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);

/*
 * Listens on `host` (an address or a name) and `port` (0: any free one). Returns the port, or 0 with a sentence in
 * `reason` (at most `capacity` bytes with its NUL).
 */
unsigned door_open(struct server *server, const char *host, size_t port, char *reason, size_t capacity);

/* Listens no more. Visitors may finish, and are told by the handshake that nobody comes in. */
void door_close(struct server *server);

#endif
