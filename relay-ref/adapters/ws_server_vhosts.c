#include "relay-ref/adapters/ws_server_vhosts.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "relay-ref/adapters/control_http.h"
#include "relay-ref/adapters/metrics_http.h"
#include "relay-ref/adapters/ws_server_callback.h"
#include "relay-ref/adapters/ws_server_door.h"
#include "relay-ref/adapters/ws_server_drain.h"
#include "relay-ref/adapters/ws_server_tls.h"

#define REASON_CAPACITY 512

/* Sockets beyond the members': handshakes under way, the control and metrics servers', and what the process has open
 * anyway. */
#define SPARE_SOCKETS (2 * VISITORS_CEILING)

/* How long an HTTP connection of the control or metrics server may wait for its next request. */
#define IDLE_SECONDS 60

/* libwebsockets sizes its table of sockets by the process' limit, and finds sockets fastest that way. */
static size_t sockets_of(const struct server_flags *flags) {
    return (flags->max_connections + SPARE_SOCKETS) * (flags->certificate_file != NULL ? TLS_FILES : 1);
}

static bool limit_sockets(const struct server_flags *flags) {
    struct rlimit limit;
    rlim_t wanted = sockets_of(flags);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || wanted > limit.rlim_max)
        return false;
    limit.rlim_cur = wanted;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool make_context(struct server *server) {
    struct lws_context_creation_info info = {0};
    lws_set_log_level(0, NULL);
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    if (server->flags->certificate_file != NULL)
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info.user = server;
    info.pt_serv_buf_size = SERVER_READ_BYTES;
    info.max_http_header_data = SERVER_HEAD_CEILING;
    info.timeout_secs = (unsigned)server->flags->handshake_seconds;
    server->context = lws_create_context(&info);
    return server->context != NULL;
}

/* The vhost of the sockets that speak TLS. Nothing but HTTP/1.1 is spoken behind it. */
static bool make_tls_vhost(struct server *server) {
    static const struct lws_protocols protocols[] = {TLS_PROTOCOL, {0}};
    struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
                                             .options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT,
                                             .protocols = protocols,
                                             .vhost_name = "tls",
                                             .alpn = "http/1.1",
                                             .ssl_cert_filepath = server->flags->certificate_file,
                                             .ssl_private_key_filepath = server->flags->key_file};
    server->tls = lws_create_vhost(server->context, &info);
    return server->tls != NULL;
}

/* The vhost of files that are no connections, and the one that WebSockets are handed to: neither listens. */
static bool make_vhosts(struct server *server) {
    static const struct lws_protocols inner_protocols[] = {DRAIN_PROTOCOL, DOOR_PROTOCOL, VISITOR_PROTOCOL, BRIDGE_PROTOCOL,
                                                           {0}};
    static const struct lws_extension deflate[] = {
        {"permessage-deflate", lws_extension_callback_pm_deflate,
         "permessage-deflate; server_no_context_takeover; client_no_context_takeover"},
        {0}};
    struct lws_context_creation_info inner = {
        .port = CONTEXT_PORT_NO_LISTEN, .protocols = inner_protocols, .vhost_name = "inner"};
    struct lws_context_creation_info outer = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
                                              .protocols = server->protocols,
                                              .vhost_name = "relay",
                                              .server_string = SERVER_NAME,
                                              .timeout_secs_ah_idle = (unsigned)server->flags->handshake_seconds,
                                              .extensions = server->flags->deflate ? deflate : NULL};
    server->inner = lws_create_vhost(server->context, &inner);
    server->vhost = lws_create_vhost(server->context, &outer);
    return server->inner != NULL && server->vhost != NULL &&
           (server->flags->certificate_file == NULL || make_tls_vhost(server));
}

/* An HTTP server beside the relay, for this machine only. Returns its port, or 0. */
static int listen_on_loopback(struct server *server, const char *name, size_t port,
                              const struct lws_protocols *protocols) {
    struct lws_context_creation_info info = {.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                                                        LWS_SERVER_OPTION_DISABLE_IPV6, /* or all addresses listen */
                                             .iface = "127.0.0.1",
                                             .port = (int)port,
                                             .protocols = protocols,
                                             .vhost_name = name,
                                             .server_string = SERVER_NAME,
                                             .timeout_secs_ah_idle = (unsigned)server->flags->handshake_seconds,
                                             .keepalive_timeout = IDLE_SECONDS};
    struct lws_vhost *vhost = lws_create_vhost(server->context, &info);
    return vhost != NULL ? lws_get_vhost_listen_port(vhost) : 0;
}

/* One of the HTTP servers, when it is wanted: prints `NAME http://…` into `line`. False with the message on `err`. */
static bool offer(struct server *server, const char *name, size_t port, const struct lws_protocols *protocols,
                  struct relay_buffer *lines, FILE *err) {
    char line[64];
    if (port == FLAGS_NO_PORT)
        return true;
    int actual = listen_on_loopback(server, name, port, protocols);
    if (actual == 0) {
        fprintf(err, SERVER_NAME ": cannot listen on 127.0.0.1 port %zu for --%s; is it in use?\n", port, name);
        return false;
    }
    snprintf(line, sizeof line, "%s http://127.0.0.1:%d/\n", name, actual);
    relay_buffer_add_words(lines, line);
    if (lines->failed)
        fprintf(err, SERVER_NAME ": cannot start: out of memory\n");
    return !lines->failed;
}

/* Says where everything is, in one write. */
static enum server_exit start_listening(struct server *server, struct relay_buffer *lines, FILE *out, FILE *err) {
    char reason[REASON_CAPACITY];
    const struct server_flags *flags = server->flags;
    unsigned port = door_open(server, flags->host, flags->port, reason, sizeof reason);
    if (port == 0) {
        fprintf(err, SERVER_NAME ": cannot listen on %s port %zu: %s\n", flags->host, flags->port, reason);
        return SERVER_CANNOT_LISTEN;
    }
    if (!offer(server, "control", flags->control_port, control_protocols, lines, err) ||
        !offer(server, "metrics", flags->metrics_port, metrics_protocols, lines, err))
        return SERVER_CANNOT_LISTEN;
    bool bracketed = strchr(flags->host, ':') != NULL;
    fprintf(out, "listening %s://%s%s%s:%u/\n%.*s", server->tls != NULL ? "wss" : "ws", bracketed ? "[" : "", flags->host,
            bracketed ? "]" : "", port, (int)lines->length, lines->memory);
    fflush(out);
    return SERVER_STOPPED;
}

enum server_exit vhosts_listen(struct server *server, FILE *out, FILE *err) {
    struct relay_buffer lines;
    server->protocols = make_protocols(server->tokens);
    if (!limit_sockets(server->flags)) {
        fprintf(err,
                SERVER_NAME
                ": --max-connections %zu needs %zu open files, which the system does not allow; see ulimit -n\n",
                server->flags->max_connections, sockets_of(server->flags));
        return SERVER_BAD_USAGE;
    }
    if (server->protocols == NULL || !make_context(server) || !make_vhosts(server) || !drain_watch_signals(server)) {
        fprintf(err, SERVER_NAME ": cannot start: %s\n", strerror(errno));
        return SERVER_FAILED;
    }
    relay_buffer_start(&lines, 0, 128);
    enum server_exit outcome = start_listening(server, &lines, out, err);
    relay_buffer_free(&lines);
    return outcome;
}
