#include "relay-ref/adapters/ws_server_handshake.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_FIELDS 64

/* libwebsockets' own ceilings on what it matches subprotocols with. */
#define SUBPROTOCOLS_CEILING 126
#define SUBPROTOCOL_CEILING 63

#define SUBPROTOCOL_PREFIX "bearer."
#define SUBPROTOCOL_PREFIX_LENGTH (sizeof SUBPROTOCOL_PREFIX - 1)

/* Room for every field and header that is copied: all of them fit into libwebsockets' copy of the request's head. */
#define MEMORY_BYTES ((size_t)2 * SERVER_HEAD_CEILING)

struct request {
    struct query_field fields[MOST_FIELDS];
    size_t field_count;
    char *memory; /* MEMORY_BYTES, borrowed from the identity */
    size_t used;
};

/* Copies the query's fields, which libwebsockets has split and percent-decoded. */
static bool read_query(struct lws *wsi, struct request *request, struct refusal *refusal) {
    for (int i = 0;; i++) {
        char *start = request->memory + request->used;
        int length = lws_hdr_copy_fragment(wsi, start, (int)(MEMORY_BYTES - request->used), WSI_TOKEN_HTTP_URI_ARGS, i);
        if (length < 0)
            return true;
        if (length == 0)
            continue;
        if (request->field_count == MOST_FIELDS)
            return refuse(refusal, 400, "The query has more than %d fields.", MOST_FIELDS);
        const char *equals = memchr(start, '=', (size_t)length);
        size_t name = equals != NULL ? (size_t)(equals - start) : (size_t)length;
        size_t value = equals != NULL ? name + 1 : name;
        request->fields[request->field_count++] =
            (struct query_field){{start, name}, {start + value, (size_t)length - value}};
        request->used += (size_t)length + 1;
    }
}

/* Copies a header's value; no value when it is not there. */
static bool read_header(struct lws *wsi, enum lws_token_indexes token, struct request *request, struct relay_text *out,
                        struct refusal *refusal) {
    char *start = request->memory + request->used;
    *out = (struct relay_text){0};
    if (lws_hdr_total_length(wsi, token) == 0)
        return true;
    int length = lws_hdr_copy(wsi, start, (int)(MEMORY_BYTES - request->used), token);
    if (length < 0)
        return refuse(refusal, 431, "The request's headers are too long.");
    *out = (struct relay_text){start, (size_t)length};
    request->used += (size_t)length + 1;
    return true;
}

/* What follows "Bearer " (in any case); no value when the header is something else. */
static struct relay_text bearer_of(struct relay_text authorization) {
    static const char scheme[] = "bearer ";
    size_t length = sizeof scheme - 1;
    if (authorization.length <= length || strncasecmp(authorization.bytes, scheme, length) != 0)
        return (struct relay_text){0};
    return (struct relay_text){authorization.bytes + length, authorization.length - length};
}

/* Takes the next entry off a comma-separated list. */
static bool next_entry(struct relay_text *list, struct relay_text *entry) {
    static const char blank[] = " \t,";
    while (list->length > 0 && strchr(blank, *list->bytes) != NULL) {
        list->bytes++;
        list->length--;
    }
    size_t length = 0;
    while (length < list->length && list->bytes[length] != ',')
        length++;
    *entry = (struct relay_text){list->bytes, length};
    list->bytes += length;
    list->length -= length;
    while (entry->length > 0 && strchr(blank, entry->bytes[entry->length - 1]) != NULL)
        entry->length--;
    return entry->length > 0;
}

/* The token of the first subprotocol `bearer.TOKEN`. */
static struct relay_text bearer_subprotocol(struct relay_text list) {
    struct relay_text entry;
    while (next_entry(&list, &entry))
        if (entry.length > SUBPROTOCOL_PREFIX_LENGTH &&
            memcmp(entry.bytes, SUBPROTOCOL_PREFIX, SUBPROTOCOL_PREFIX_LENGTH) == 0)
            return (struct relay_text){entry.bytes + SUBPROTOCOL_PREFIX_LENGTH,
                                       entry.length - SUBPROTOCOL_PREFIX_LENGTH};
    return (struct relay_text){0};
}

static bool find_token(struct lws *wsi, struct request *request, struct relay_text *token, struct refusal *refusal) {
    struct relay_text authorization, subprotocols;
    if (!read_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, request, &authorization, refusal) ||
        !read_header(wsi, WSI_TOKEN_PROTOCOL, request, &subprotocols, refusal))
        return false;
    *token = bearer_of(authorization);
    if (token->bytes == NULL && !query_find(request->fields, request->field_count, "token", token, refusal))
        return false;
    if (token->bytes == NULL)
        *token = bearer_subprotocol(subprotocols);
    return true;
}

static bool identify_by_token(struct server *server, struct lws *wsi, struct request *request,
                              struct relay_principal *principal, struct refusal *refusal) {
    struct relay_text token;
    if (!find_token(wsi, request, &token, refusal))
        return false;
    if (token.length == 0)
        return refuse(refusal, 401,
                      "This relay wants a token: Authorization: Bearer TOKEN, ?token=TOKEN, or the "
                      "subprotocol bearer.TOKEN.");
    const struct relay_principal *known = tokens_find(server->tokens, token);
    if (known == NULL)
        return refuse(refusal, 401, "This relay does not know the token.");
    *principal = *known;
    return true;
}

bool handshake_identity(struct server *server, struct lws *wsi, struct identity *identity, struct refusal *refusal) {
    *identity = (struct identity){.memory = malloc(MEMORY_BYTES)};
    if (identity->memory == NULL)
        return refuse(refusal, 500, "Out of memory.");
    struct request request = {.memory = identity->memory};
    if (!read_query(wsi, &request, refusal))
        return false;
    if (server->tokens != NULL)
        return identify_by_token(server, wsi, &request, &identity->principal, refusal);
    return query_principal(request.fields, request.field_count, &identity->principal, refusal);
}

void identity_free(struct identity *identity) {
    free(identity->memory);
    identity->memory = NULL;
}

/* A client that offers subprotocols wants one of them in the answer; the only ones here are the tokens'. */
static bool check_subprotocols(struct server *server, struct lws *wsi, struct refusal *refusal) {
    char list[SUBPROTOCOLS_CEILING + 1];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_PROTOCOL) == 0)
        return true;
    int length = lws_hdr_copy(wsi, list, sizeof list, WSI_TOKEN_PROTOCOL);
    if (length < 0)
        return refuse(refusal, 400,
                      "The list of subprotocols is longer than %d bytes; send the token as a header or "
                      "in the query.",
                      SUBPROTOCOLS_CEILING);
    struct relay_text token = bearer_subprotocol((struct relay_text){list, (size_t)length});
    if (token.length + SUBPROTOCOL_PREFIX_LENGTH > SUBPROTOCOL_CEILING)
        return refuse(refusal, 400,
                      "A token of more than %d bytes does not fit into a subprotocol; send it as a header "
                      "or in the query.",
                      SUBPROTOCOL_CEILING - (int)SUBPROTOCOL_PREFIX_LENGTH);
    if (server->tokens == NULL || token.length == 0)
        return refuse(refusal, 400, "This relay speaks no subprotocol%s.",
                      server->tokens != NULL ? " but bearer.TOKEN" : "");
    if (tokens_find(server->tokens, token) == NULL)
        return refuse(refusal, 401, "This relay does not know the token.");
    return true;
}

/* What libwebsockets would hang up on without a word, or wave through. */
static bool check_request(struct lws *wsi, struct refusal *refusal) {
    char version[4];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HOST) == 0 || lws_hdr_total_length(wsi, WSI_TOKEN_KEY) == 0)
        return refuse(refusal, 400, "A WebSocket handshake needs the headers Host and Sec-WebSocket-Key.");
    if (lws_hdr_copy(wsi, version, sizeof version, WSI_TOKEN_VERSION) <= 0 || strcmp(version, "13") != 0)
        return refuse(refusal, 400,
                      "This relay speaks version 13 of the WebSocket protocol: Sec-WebSocket-Version: 13.");
    return true;
}

/* Room for one more WebSocket, in all and from its address. */
static bool check_room(struct server *server, const struct address *address, struct refusal *refusal) {
    const struct server_flags *flags = server->flags;
    if (server->member_count >= flags->max_connections) {
        server->metrics.limits[METRICS_LIMIT_CONNECTIONS]++;
        return refuse(refusal, 503, "This relay has all the connections it takes (%zu).", flags->max_connections);
    }
    if (address == NULL)
        return refuse(refusal, 500, "Out of memory.");
    if (flags->max_connections_per_address == 0 || address->member_count < flags->max_connections_per_address)
        return true;
    server->metrics.limits[METRICS_LIMIT_CONNECTIONS_PER_ADDRESS]++;
    return refuse(refusal, 429, "This relay takes %zu connections from one address.",
                  flags->max_connections_per_address);
}

bool handshake_check(struct server *server, struct lws *wsi, struct refusal *refusal) {
    if (server->draining)
        return refuse(refusal, 503, "This relay is shutting down.");
    if (!check_room(server, lws_get_opaque_user_data(wsi), refusal))
        return false;
    struct identity identity = {0};
    bool admitted = check_request(wsi, refusal) && check_subprotocols(server, wsi, refusal) &&
                    handshake_identity(server, wsi, &identity, refusal);
    identity_free(&identity);
    return admitted;
}
