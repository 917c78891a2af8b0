/* Plain HTTP answers, whole and at once. */
#ifndef MESHSPEC_WS_SERVER_ANSWER_H
#define MESHSPEC_WS_SERVER_ANSWER_H

#include <libwebsockets.h>

#include "relay-ref/adapters/query.h"

/*
 * Writes an answer with one sentence as its body, after which the connection is to be closed: the return value, always
 * -1, is what libwebsockets' callback wants for that.
 */
int answer_refusal(struct lws *wsi, const struct refusal *refusal);

/*
 * Writes the head of a good answer of `length` bytes of `type` and asks for a turn to write them. Returns what
 * libwebsockets' callback wants: 0, or -1 when the connection is to be closed.
 */
int answer_head(struct lws *wsi, const char *type, size_t length);

#endif
