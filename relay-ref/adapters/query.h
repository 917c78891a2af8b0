/* Who a connection is, told by the query of its URL: pure, over fields that the HTTP side has percent-decoded. */
#ifndef MESHSPEC_QUERY_H
#define MESHSPEC_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "relay-ref/core/relay.h"

/* One `name=value` of a query, percent-decoded. */
struct query_field {
    struct relay_text name;
    struct relay_text value;
};

/* Why a handshake is refused: an HTTP status and one plain sentence. */
struct refusal {
    unsigned status;
    char text[240];
};

/* Sets both (printf style). Always returns false, so that a caller can `return refuse(…)`. */
bool refuse(struct refusal *refusal, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Finds the only field called `name`. False with status 400 when it is there twice; `out->bytes` is NULL when it is not
 * there. */
bool query_find(const struct query_field *fields, size_t count, const char *name, struct relay_text *out,
                struct refusal *refusal);

/*
 * Reads `writer`, `kind` and `claims`; other fields are ignored. The principal borrows from the fields. False: no
 * writer (401), or one of them is not what it must be (400).
 */
bool query_principal(const struct query_field *fields, size_t count, struct relay_principal *out,
                     struct refusal *refusal);

/* True when `text` is UTF-8 (no overlong forms, no surrogates). */
bool query_is_utf8(struct relay_text text);

/* True when `text` is one JSON object and nothing else. */
bool query_is_json_object(struct relay_text text);

#endif
