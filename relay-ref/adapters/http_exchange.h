/*
 * What the control and the metrics server share: one request after the other on an HTTP connection, each answered whole.
 * No upgrade, and no new connection once the server drains.
 */
#ifndef MESHSPEC_HTTP_EXCHANGE_H
#define MESHSPEC_HTTP_EXCHANGE_H

#include <libwebsockets.h>

#include "relay-ref/core/buffer.h"

/* What libwebsockets keeps for each HTTP connection; zeroed by it. */
struct http_exchange {
    struct relay_buffer body;   /* of the request, as far as it has come; memory NULL between two requests */
    struct relay_buffer answer; /* with LWS_PRE bytes before it; likewise */
};

/* Ready for the next request. `exchange` may be NULL. */
void http_exchange_forget(struct http_exchange *exchange);

/* Begins an answer of about `capacity` bytes, to be added to `exchange->answer`. */
void http_exchange_begin(struct http_exchange *exchange, size_t capacity);

/*
 * Sends the answer, which is of the given Content-Type. Returns what libwebsockets' callback wants: 0, or -1, when memory
 * is out or the connection is gone, to close it.
 */
int http_exchange_answer(struct lws *wsi, const struct http_exchange *exchange, const char *type);

/* The callback for every reason that is not the request's coming: the answer's going and the connection's end. */
int http_exchange_go_on(struct lws *wsi, enum lws_callback_reasons reason, struct http_exchange *exchange);

#endif
