/* Who may come in: the HTTP request of a WebSocket handshake, judged. */
#ifndef MESHSPEC_WS_SERVER_HANDSHAKE_H
#define MESHSPEC_WS_SERVER_HANDSHAKE_H

#include "relay-ref/adapters/query.h"
#include "relay-ref/adapters/ws_server_state.h"

/* A principal together with the memory that it borrows from. */
struct identity {
    struct relay_principal principal;
    char *memory; /* owned */
};

/*
 * Reads the principal of the request that `wsi` holds: from the query, or from its token where the server has tokens.
 * False with the refusal. Free the identity with identity_free in both cases.
 */
bool handshake_identity(struct server *server, struct lws *wsi, struct identity *identity, struct refusal *refusal);

/* The whole judgement before the upgrade: room for one more, subprotocols, identity. */
bool handshake_check(struct server *server, struct lws *wsi, struct refusal *refusal);

void identity_free(struct identity *identity);

#endif
