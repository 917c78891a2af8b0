/*
 * How a principal travels in the request that opens a WebSocket: in the query, in headers, in the subprotocol, or as a
 * token that stands for it.
 */
#ifndef MESHSPEC_TARGET_PRINCIPAL_H
#define MESHSPEC_TARGET_PRINCIPAL_H

#include "harness/target/target.h"
#include "harness/target/url.h"

/* The names of the fields that carry its parts; NULL: that part does not travel so. */
struct principal_fields {
    const char *writer, *kind, *claims, *token;
};

/* A token, and the principal that the relay takes its bearer for. */
struct principal_token {
    struct text writer, token;
    struct text kind, claims; /* bytes NULL: none */
};

struct principal_way {
    struct principal_fields query, header;
    const char *subprotocol;              /* with {writer}, {kind}, {claims}, {token} in it; NULL: none is asked for */
    const struct principal_token *tokens; /* borrowed */
    size_t token_count;                   /* 0: there are no tokens, and any writer can connect */
};

/* The default: the query's fields `writer`, `kind` and `claims`. */
extern const struct principal_way principal_by_query;

/* Zero-initialise it; free with principal_request_free. */
struct principal_request {
    struct buffer path;        /* with the query */
    struct buffer headers;     /* lines, each with its CR LF; may be empty */
    struct buffer subprotocol; /* what Sec-WebSocket-Protocol says; may be empty */
};

/*
 * Makes the request of a principal. Values are percent-encoded: all but RFC 3986's unreserved characters in the query
 * and the subprotocol, all but visible ASCII and blanks (and `%`) in headers. A token in the header `Authorization`
 * gets `Bearer ` before it. TARGET_NO with the reason when the principal cannot travel this way: there is no token for
 * its writer, or none with its kind or claims. TARGET_PROBE_WRITER travels with the first token where there are any.
 */
enum target_outcome principal_put(struct principal_request *request, const struct url *url,
                                  const struct principal_way *way, const struct target_principal *principal,
                                  struct error *error);

void principal_request_free(struct principal_request *request);

#endif
