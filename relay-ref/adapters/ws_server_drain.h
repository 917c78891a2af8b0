/* The orderly end: SIGTERM or SIGINT sends everybody away, within a stated time. */
#ifndef MESHSPEC_WS_SERVER_DRAIN_H
#define MESHSPEC_WS_SERVER_DRAIN_H

#include "relay-ref/adapters/ws_server_state.h"

/* The protocol that the signal file has on the inner vhost, for its list. */
#define DRAIN_PROTOCOL                                                                                                 \
    { .name = "signals", .callback = signals_callback }

int signals_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);

/* Has SIGTERM and SIGINT come in as bytes of a file, which the event loop reads. False when the system refuses. */
bool drain_watch_signals(struct server *server);

/* Takes nobody new and closes every member: what is queued, then 1001. A second call ends the waiting at once. */
void drain_begin(struct server *server);

/* Closes every member with `code`; the relay's side of all of them is off when this returns. The relay is not told: it
 * is about to be freed. */
void drain_members(struct server *server, int code, const char *reason);

/* True when the server may end: everybody is gone, or the time for that is over. */
bool drain_is_over(const struct server *server);

#endif
