/*
 * The HTTP server's network side: sockets, time limits and answers, on libwebsockets' event loop. It knows nothing of
 * what is served; whoever makes it hands in `struct http_handler`.
 *
 * Lifetime rules
 *   1. One thread runs `http_server_run`; every handler function is called from inside it.
 *   2. An exchange lives from `handle` until it was answered, cut or abandoned. Exactly one of `http_exchange_send`,
 *      `http_exchange_cut` (by the handler) and `abandoned` (by the server: the client is gone) ends it, and
 *      `forget` is called once at its end, whichever it was, to free the handler's own `work`.
 *   3. An exchange need not be ended inside `handle`: it may wait, be woken by time, or be ended from a later call.
 */
#ifndef SYNC_SERVER_HTTP_SERVER_H
#define SYNC_SERVER_HTTP_SERVER_H

#include "tools/sync-server/http_request.h"

struct http_server;

struct http_answer {
    int status;
    const char *allow; /* static text for the Allow header, or NULL */
    struct buffer body;
};

/* One request and the answer to it. */
struct http_exchange {
    const struct http_request *request; /* valid until the exchange ends */
    bool from_loopback;                 /* the client runs on this machine */
    int refusal_status;                 /* not 0: the server refuses this request (too large, …) … */
    const char *refusal;                /* … for this reason; `request` has its head, but no body */
    struct http_answer answer;          /* for the handler to fill before it sends */
    void *work;                         /* the handler's own */
};

struct http_handler {
    void *context;
    /* A request has come. Also called, with `refusal_status` set, when its head could be read but the rest is
     * refused; the handler sends the answer then, too. */
    void (*handle)(void *context, struct http_exchange *exchange);
    /* The time given to `http_exchange_wake_after` has passed. */
    void (*woken)(void *context, struct http_exchange *exchange);
    /* The client went away before its answer: whatever waits for it ends. */
    void (*abandoned)(void *context, struct http_exchange *exchange);
    /* The exchange ends now: free `work`. */
    void (*forget)(void *context, struct http_exchange *exchange);
    /* Appends the body of a refusal of something that was not even a request. */
    void (*refuse)(void *context, int status, const char *message, struct buffer *body);
};

struct http_options {
    const char *host; /* the address, or a name for one, to listen on */
    uint16_t port;    /* 0: a free one */
    struct http_limits limits;
    unsigned connections;     /* the most at one time; one more gets 503 at once */
    unsigned request_seconds; /* from a request's first byte to its last; also for each part of an answer to be taken */
    unsigned idle_seconds;    /* without any request; also for the first byte of a connection */
};

/* Listens. On failure answers NULL and appends the reason to `why`. The handler and options must outlive the server. */
struct http_server *http_server_open(const struct http_options *options, const struct http_handler *handler,
                                     struct buffer *why);

/* The address and the port that it listens on. */
const char *http_server_address(const struct http_server *server);
uint16_t http_server_port(const struct http_server *server);

/* Serves until SIGTERM or SIGINT, which it takes from the process; true when it ended that way. */
bool http_server_run(struct http_server *server);

/* Closes every connection; waiting exchanges are abandoned. NULL is fine. */
void http_server_close(struct http_server *server);

/* Sends `exchange->answer`; the body is moved out of it. */
void http_exchange_send(struct http_exchange *exchange);

/* Closes the connection without an answer. */
void http_exchange_cut(struct http_exchange *exchange);

/* Calls `woken` in so many milliseconds, unless the exchange ends before. One wake-up an exchange: a later call
 * replaces an earlier one. */
void http_exchange_wake_after(struct http_exchange *exchange, uint64_t milliseconds);

#endif
