/*
 * The control server: the adapter protocol over HTTP POST, one command a request, on a port of 127.0.0.1. A request
 * with an Origin header is refused, so that no web page can use it.
 */
#ifndef MESHSPEC_CONTROL_HTTP_H
#define MESHSPEC_CONTROL_HTTP_H

#include <libwebsockets.h>

/* The longest command, in bytes; a hydrate carries a whole room. */
#define CONTROL_COMMAND_CEILING ((size_t)64 << 20)

/* The protocols of the control vhost, ended by an empty row. */
extern const struct lws_protocols control_protocols[2];

#endif
