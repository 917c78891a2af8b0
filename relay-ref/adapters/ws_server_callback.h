/* The door between libwebsockets and the server: its callbacks, translated to small functions, one a reason. */
#ifndef MESHSPEC_WS_SERVER_CALLBACK_H
#define MESHSPEC_WS_SERVER_CALLBACK_H

#include "relay-ref/adapters/ws_server_state.h"

/*
 * Makes the list of protocols that the WebSocket vhost offers: the relay, and one per token for `bearer.TOKEN`.
 * libwebsockets matches subprotocols by this list. Owned by the caller, with free_protocols; NULL when memory is out.
 */
struct lws_protocols *make_protocols(const struct tokens *tokens);

void free_protocols(struct lws_protocols *protocols);

#endif
