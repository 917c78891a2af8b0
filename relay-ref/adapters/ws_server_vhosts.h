/* Everything of libwebsockets that a server needs: its context, the vhosts, the ports. */
#ifndef MESHSPEC_WS_SERVER_VHOSTS_H
#define MESHSPEC_WS_SERVER_VHOSTS_H

#include <stdio.h>

#include "relay-ref/adapters/ws_server.h"
#include "relay-ref/adapters/ws_server_state.h"

/*
 * Sets all up and listens; says on `out` where, and on `err` what is wrong. SERVER_STOPPED when the loop may begin.
 * The caller destroys `server->context` and frees `server->protocols` in any case.
 */
enum server_exit vhosts_listen(struct server *server, FILE *out, FILE *err);

#endif
