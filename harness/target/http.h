/*
 * HTTP requests to a store, several at one time where a caller wants that. Redirects are not followed and proxy
 * variables are ignored: what is asked goes to the server that was named, and to nobody else.
 */
#ifndef MESHSPEC_TARGET_HTTP_H
#define MESHSPEC_TARGET_HTTP_H

#include "harness/base/error.h"
#include "harness/base/text.h"

#define HTTP_ANSWER_CEILING ((size_t)64 << 20) /* bytes of an answer's body */
#define HTTP_USER_AGENT "meshspec"             /* tells our requests from those of a provisioner */
#define HTTP_HEADERS_CEILING 64                /* headers of one request */

struct http_client;

/* One exchange; it belongs to the client until http_forget. */
struct http_call;

struct http_request {
    const char *method; /* "GET", "POST", "DELETE" */
    const char *url;
    struct text body;           /* bytes NULL: none */
    const char *const *headers; /* "Name: value", ended by NULL; NULL: none */
};

/* NULL with ERROR_INTERNAL when libcurl cannot be set up. */
struct http_client *http_client_new(struct error *error);

/* Ends what is still going on. NULL is allowed. */
void http_client_free(struct http_client *client);

/* Begins a request; everything of it is copied. NULL with ERROR_TARGET when it cannot be made (an URL that is none, too
 * many headers). */
struct http_call *http_start(struct http_client *client, const struct http_request *request, struct error *error);

/*
 * Lets all requests of the client go on until these `count` ones are done, for at most `limit_ms`. False when they are
 * not: they go on with the next call.
 */
bool http_wait(struct http_client *client, struct http_call *const *calls, size_t count, int limit_ms);

/* The answer's status; 0: it is not done, or there was none, which http_failure tells. */
int http_status(const struct http_call *call);

/* The answer's body, valid until http_forget. */
struct text http_body(const struct http_call *call);

/* Why there was no answer, such as "Connection refused"; NULL: there was one, or it is not done. */
const char *http_failure(const struct http_call *call);

bool http_is_done(const struct http_call *call);

/* Ends the exchange, when it is not done by going away, and frees it. NULL is allowed. */
void http_forget(struct http_client *client, struct http_call *call);

#endif
