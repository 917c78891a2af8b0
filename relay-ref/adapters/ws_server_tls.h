/*
 * TLS in front of the door: libwebsockets shakes hands on the client's socket, and its plain text goes through a pair of
 * sockets to the door, as if it had come in there. So a request's head is read in one place only (ws_server_visitor.h
 * says why it has to be), and everything behind it knows nothing of TLS. The price is two more files a connection, and
 * that what waits for a slow reader is up to one socket buffer more than its queue.
 */
#ifndef MESHSPEC_WS_SERVER_TLS_H
#define MESHSPEC_WS_SERVER_TLS_H

#include "relay-ref/adapters/ws_server_visitor.h"

/* Files of one connection, with TLS. */
#define TLS_FILES 3

/* The protocol of the TLS vhost, for its list. */
#define TLS_PROTOCOL                                                                                                   \
    { .name = "tls", .callback = tls_callback, .per_session_data_size = sizeof(struct tls_session),                    \
      .rx_buffer_size = SERVER_READ_BYTES }

/* The protocol that the plain side has on the inner vhost, for its list. */
#define BRIDGE_PROTOCOL                                                                                                \
    { .name = "bridge", .callback = bridge_callback, .per_session_data_size = sizeof(struct bridge *) }

struct bridge;

/* What libwebsockets keeps for each socket that speaks TLS; zeroed by it. */
struct tls_session {
    struct visitor visitor; /* until plain text comes */
    struct bridge *bridge;  /* from then on */
};

int tls_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);
int bridge_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);

/*
 * Checks --cert and --key before anything listens. False with a sentence in `reason` (at most `capacity` bytes with its
 * NUL) that names the file.
 */
bool tls_check_files(const struct server_flags *flags, char *reason, size_t capacity);

/* Begins TLS on the socket `file`, which is taken over with the hold on `address`; negative: it could not be made. */
void tls_begin(struct server *server, int file, struct address *address, lws_usec_t deadline);

#endif
