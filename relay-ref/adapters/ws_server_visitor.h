/*
 * The visitors: whoever has not shown a whole HTTP request head yet. Here are the ceilings on them: how many, from where,
 * for how long, how long a head.
 *
 * libwebsockets 4.1 reads a handshake into the same buffer that it then writes its answer to: frames that came in one
 * packet with a short handshake are overwritten before they are read. So the head is read here, and libwebsockets takes
 * the socket over together with a copy of what was read, from which it does not lose anything.
 *
 * On a TLS port a visitor comes three times: it knocks (its first byte tells whether it speaks TLS), it shakes hands
 * (ws_server_tls.h), and its plain text asks as on any other port. The time for all three is one.
 */
#ifndef MESHSPEC_WS_SERVER_VISITOR_H
#define MESHSPEC_WS_SERVER_VISITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "relay-ref/adapters/ws_server_state.h"

/* Visitors at once; a further one takes the place of the one who has stood there longest. */
#define VISITORS_CEILING 512

/* Of them from one address, where --max-connections-per-address sets a limit at all. */
#define VISITORS_PER_ADDRESS 128

struct visitor {
    struct list_link in_visitors, in_address;
    struct address *address; /* held */
    struct lws *wsi;         /* NULL: no visitor any more */
    lws_usec_t deadline;
};

enum visitor_word {
    VISITOR_ASKS,  /* an HTTP request is expected */
    VISITOR_KNOCKS /* TLS is expected */
};

/* What libwebsockets keeps for each visitor whose bytes are read here. */
struct reader {
    struct visitor visitor;
    enum visitor_word word;
    int socket;
    char *head; /* owned; NULL until something came */
    size_t length;
};

/* The protocol that these have on the inner vhost, for its list. */
#define VISITOR_PROTOCOL                                                                                               \
    { .name = "visitor", .callback = visitor_callback, .per_session_data_size = sizeof(struct reader) }

int visitor_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);

/*
 * Receives who came in on the socket `file` from `address`, whose hold is taken over (NULL: memory was out), until
 * `deadline`, libwebsockets' clock. False when that failed. The socket is taken over in any case.
 */
bool visitor_receive(struct server *server, int file, struct address *address, lws_usec_t deadline,
                     enum visitor_word word);

/* Counts one more visitor, who may push another out; takes the hold on `address` over. Who ends `wsi` by time does so. */
void visitor_enter(struct server *server, struct visitor *visitor, struct lws *wsi, struct address *address,
                   lws_usec_t deadline);

/* No visitor any more; twice is as good as once. */
void visitor_leave(struct server *server, struct visitor *visitor);

/* Has `file` watched on the inner vhost under `protocol`; NULL when that failed. It is taken over in any case. */
struct lws *visitor_watch_file(struct server *server, int file, const char *protocol);

#endif
