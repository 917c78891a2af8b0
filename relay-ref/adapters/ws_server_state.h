/* What the pieces of the WebSocket server share. Inside `ws_server_*`, `control_http*`, `metrics_http` and `http_exchange` only. */
#ifndef MESHSPEC_WS_SERVER_STATE_H
#define MESHSPEC_WS_SERVER_STATE_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "relay-ref/adapters/control_http_commands.h"
#include "relay-ref/adapters/flags.h"
#include "relay-ref/adapters/tokens.h"
#include "relay-ref/adapters/ws_server_address.h"
#include "relay-ref/adapters/ws_server_live.h"
#include "relay-ref/adapters/ws_server_metrics.h"
#include "relay-ref/core/list.h"

/* A frame's text has its WebSocket header written in front of it, in place. */
_Static_assert(RELAY_FRAME_HEADROOM >= LWS_PRE, "a frame has no room for libwebsockets' header");

/* The longest HTTP request head, in bytes: the query with its claims is in it. */
#define SERVER_HEAD_CEILING 16384

/* Bytes that are read from one socket in one turn of the event loop. */
#define SERVER_READ_BYTES 32768

struct server {
    const struct server_flags *flags;
    struct tokens *tokens; /* NULL: the principal is in the query */
    struct live live;
    struct durable_rooms *rooms; /* NULL: rooms are in memory alone */
    lws_sorted_usec_list_t rooms_timer;
    FILE *messages;              /* borrowed; about faults */
    struct relay_buffer options; /* of the relay that the server starts with, JSON as in options.h */
    struct lws_context *context;
    struct lws_vhost *inner; /* of the files that are no connections: signals, the door and its visitors */
    struct lws_vhost *vhost; /* of the WebSockets */
    struct lws_vhost *tls;   /* of the sockets that speak TLS; NULL: the port is plain */
    size_t bridge_count;     /* of them, those whose plain text comes in at the door */
    struct lws *door;        /* listens; NULL when nobody new comes in */
    struct list visitors;    /* oldest first */
    size_t visitor_count;
    struct list members;
    size_t member_count;
    size_t queued_bytes; /* of all members: what waits, and what libwebsockets still has to send */
    struct addresses addresses;
    struct address *arriving; /* held; of the socket that libwebsockets is being given */
    struct metrics metrics;
    lws_usec_t started;  /* libwebsockets' clock */
    int64_t started_at;  /* seconds since 1970 */
    struct list held;    /* members some of whose frames wait for the end of the turn (ws_server_sending.h) */
    struct list parting; /* members whose relay connection ends as soon as the present relay call is over */
    bool draining;       /* nobody new comes in, everybody is being sent away */
    bool drained_late;   /* the time for that is over */
    lws_sorted_usec_list_t drain_timer;
    int signals;                     /* signalfd */
    struct lws_protocols *protocols; /* owned; see ws_server_callback.c */
    struct control_room control;
};

/* libwebsockets' user data of the context. */
static inline struct server *server_of(struct lws *wsi) {
    return lws_context_user(lws_get_context(wsi));
}

#endif
