/*
 * HTTP to one app of one store: libcurl, a connection for each request, JSON in and out.
 *
 * Redirects are answers like any other that is not a success: nothing is sent elsewhere. Proxy variables and .netrc are ignored, so
 * that the secret goes to the named server only.
 */
#ifndef PROVISION_HTTP_H
#define PROVISION_HTTP_H

#include "tools/provision/run.h"

struct http_settings {
    struct text base_url; /* http or https, without user, query and fragment; a path is kept, trailing slashes are not */
    struct text app_id;   /* not empty; percent-encoded where it goes into the path */
    struct text secret;   /* not empty, no control characters; goes into X-Jazz-Admin-Secret only (provision.secret) */
    long connect_milliseconds;
    long total_milliseconds;  /* per request */
    size_t max_answer_bytes;  /* a longer body is a failed request */
};

#define HTTP_CONNECT_MILLISECONDS 10000L
#define HTTP_TOTAL_MILLISECONDS 60000L
#define HTTP_MAX_ANSWER_BYTES ((size_t)64 << 20)

struct http_client;

/*
 * A client for the app; sends nothing yet. `settings` is copied, its texts must live as long as the arena. NULL with
 * PROBLEM_BAD_INPUT for settings that break the rules above. Close it with `http_close`.
 */
struct http_client *http_open(struct run *run, const struct http_settings *settings);

/* Closes connections and frees the client. NULL is allowed. */
void http_close(struct http_client *client);

/*
 * `GET` or `POST` (with `body`, JSON text) of `path` below /apps/{appId}/; the answer is the arena's. False with PROBLEM_HTTP when there is
 * no answer, its status is not 2xx, or its body is not JSON; the message has the request, the status and at most 200 characters of the
 * body, and never the secret.
 */
bool http_get(struct http_client *client, struct text path, struct json *answer);
bool http_post(struct http_client *client, struct text path, struct text body, struct json *answer);

/* Reports that the latest answer, though JSON, lacks something: "…, but it has no hash". Returns false with PROBLEM_HTTP. */
bool http_unexpected(struct http_client *client, const char *what);

#endif
