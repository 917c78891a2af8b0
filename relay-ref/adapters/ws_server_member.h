/*
 * One WebSocket and its connection to the relay: what comes in is put together and handed to the core, what the core
 * sends waits in a queue until the socket takes it.
 *
 * Lifetime: member_open … member_free, both from libwebsockets' callbacks. The relay's side may end before the
 * socket's: once the core, or a ceiling, is done with a member, `connection` is NULL, the others have been told, and
 * the socket only has its queue and its close frame left to send.
 */
#ifndef MESHSPEC_WS_SERVER_MEMBER_H
#define MESHSPEC_WS_SERVER_MEMBER_H

#include "relay-ref/adapters/ws_server_message.h"
#include "relay-ref/adapters/ws_server_pace.h"
#include "relay-ref/adapters/ws_server_queue.h"
#include "relay-ref/adapters/ws_server_state.h"

/* The close codes that this server sends. */
enum close_code {
    CLOSE_GOING_AWAY = 1001,
    CLOSE_NOT_TEXT = 1003,
    CLOSE_NOT_UTF8 = 1007,
    CLOSE_POLICY = 1008,
    CLOSE_TOO_LARGE = 1009,
    CLOSE_INTERNAL = 1011,
    CLOSE_RESTART = 1012
};

struct member {
    struct list_link in_members, in_parting, in_held;
    struct server *server;
    struct lws *wsi;
    struct address *address; /* whose member it is; its hold is the socket's */
    struct relay_connection *connection; /* NULL once the relay's side is over */
    struct message message;
    struct frame_queue queue;
    size_t in_flight;        /* weight of a frame that libwebsockets has, but not yet sent whole */
    bool parting;            /* in server->parting */
    bool holding;            /* in server->held: some of the queue is held */
    bool cut;                /* ended without a close frame; nothing is sent any more */
    enum close_code closing; /* 0: not closing; else sent when the queue is empty */
    const char *close_reason;
    bool heard; /* something came in since the last ping */
    bool ping_due;
    struct pace pace;
    lws_sorted_usec_list_t resume; /* reads again */
};

/* A new WebSocket of `principal` joins; `address` outlives it. NULL when memory is out. */
struct member *member_open(struct server *server, struct lws *wsi, struct address *address,
                           const struct relay_principal *principal);

/* The socket is gone: tells the relay (leave.member-gone, leave.once) and frees the member. */
void member_free(struct member *member);

/* A piece of a message came in. */
void member_receive(struct member *member, const struct message_piece *piece);

/* A ping interval is over. */
void member_tick(struct member *member);

/* libwebsockets is ending the connection: nothing is sent any more, and the relay's side is over at once
 * (leave.member-gone). */
void member_stop(struct member *member);

/* The peer began the closing handshake: nothing is sent to it any more. */
void member_peer_closed(struct member *member);

/* Ends a connection that cannot be reasoned with: no close frame, nothing waits for it. */
void member_cut_off(struct member *member);

/* Ends the relay's side when the present call is over, sends what is queued and then a close frame. `reason` is a
 * literal of at most 123 bytes. */
void member_close(struct member *member, enum close_code code, const char *reason);

/* Takes the relay's side off without telling the relay, which is about to be freed; then as member_close. */
void member_orphan(struct member *member, enum close_code code, const char *reason);

/* Ends the relay's side of every member that waits for it. To be called after each call into the relay. */
void members_settle(struct server *server);

#endif
