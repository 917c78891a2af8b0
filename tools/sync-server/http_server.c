#include "tools/sync-server/http_server.h"

#include "tools/sync-server/http_connection.h"

#include <errno.h>
#include <libwebsockets.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* What this program itself holds open besides its clients: the database and its log, the record, libwebsockets' own. */
#define OWN_DESCRIPTORS 64

struct http_server {
    struct http_options options;
    struct http_handler handler;
    char address[INET6_ADDRSTRLEN + IF_NAMESIZE + 1]; /* where it listens */
    struct lws_context *loop;
    struct lws_vhost *host;
    unsigned connections;
    bool stopped;
};

static struct http_server *server_of(struct lws *wsi) {
    return lws_context_user(lws_get_context(wsi));
}

/* A connection beyond the ceiling is told so and closed; it costs no memory and nobody waits for it. */
static int turn_away(struct http_server *server, struct lws *wsi) {
    struct buffer body;
    struct buffer answer;
    buffer_init(&body, 4096);
    buffer_init(&answer, 8192);
    char room[LWS_PRE] = {0};
    buffer_append(&answer, room, sizeof room);
    server->handler.refuse(server->handler.context, 503, "the server has as many connections as it takes", &body);
    http_answer_head(&answer, 503, NULL, body.length, false);
    buffer_append_text(&answer, buffer_text(&body));
    if (!answer.failed) {
        lws_write(wsi, (unsigned char *)answer.bytes + LWS_PRE, answer.length - LWS_PRE, LWS_WRITE_RAW);
    }
    buffer_free(&answer);
    buffer_free(&body);
    return -1;
}

/* The libwebsockets callback: it only finds the connection and hands the event on. `user` holds one pointer. */
static int on_client_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct http_connection **slot = user;
    struct http_connection *connection = slot ? *slot : NULL;
    switch (reason) {
    case LWS_CALLBACK_RAW_ADOPT: {
        struct http_server *server = server_of(wsi);
        if (!slot) { /* libwebsockets had no memory for it */
            return -1;
        }
        if (server->connections >= server->options.connections) {
            return turn_away(server, wsi);
        }
        *slot = http_connection_open(wsi, &server->options, &server->handler);
        if (!*slot) {
            return -1;
        }
        server->connections++;
        return 0;
    }
    case LWS_CALLBACK_RAW_RX:
        return connection && http_connection_receive(connection, (struct text){in, length}) ? 0 : -1;
    case LWS_CALLBACK_RAW_WRITEABLE:
        return connection && http_connection_writable(connection) ? 0 : -1;
    case LWS_CALLBACK_RAW_CLOSE:
        if (connection) {
            server_of(wsi)->connections--;
            http_connection_close(connection);
            *slot = NULL;
        }
        return 0;
    default:
        return 0;
    }
}

/* SIGTERM and SIGINT come through a descriptor, so that they are events like all others. */
static int on_signal(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    (void)user;
    (void)in;
    (void)length;
    if (reason == LWS_CALLBACK_RAW_RX_FILE) {
        server_of(wsi)->stopped = true;
    }
    return 0;
}

static const struct lws_protocols protocols[] = {
    {.name = "http-client", .callback = on_client_event, .per_session_data_size = sizeof(struct http_connection *)},
    {.name = "signal", .callback = on_signal},
    {.name = NULL},
};

static bool watch_signals(struct http_server *server) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0) {
        return false;
    }
    int descriptor = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    lws_sock_file_fd_type file = {.filefd = descriptor};
    return lws_adopt_descriptor_vhost(server->host, LWS_ADOPT_RAW_FILE_DESC, file, "signal", NULL) != NULL;
}

/* Makes room for the descriptors that the ceiling on connections promises. */
static bool raise_descriptor_limit(unsigned needed, struct buffer *why) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < needed) {
        limit.rlim_cur = needed < limit.rlim_max ? needed : limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < needed) {
        buffer_format(why, "so many connections need %u open files, but this process may only have %llu", needed,
                      (unsigned long long)limit.rlim_cur);
        return false;
    }
    return true;
}

/* libwebsockets waits in silence for an address that this machine does not have, so whether it can be bound is tried
 * here. Host names become addresses on the way. */
static bool resolve(struct http_server *server, struct buffer *why) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    char port[8];
    snprintf(port, sizeof port, "%u", (unsigned)server->options.port);
    int code = getaddrinfo(server->options.host, port, &hints, &found);
    if (code != 0) {
        buffer_format(why, "cannot listen on %.200s: %s", server->options.host, gai_strerror(code));
        return false;
    }
    int on = 1;
    int probe = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool bound = probe >= 0 && setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                 bind(probe, found->ai_addr, found->ai_addrlen) == 0 &&
                 getnameinfo(found->ai_addr, found->ai_addrlen, server->address, sizeof server->address, NULL, 0,
                             NI_NUMERICHOST) == 0;
    if (!bound) {
        buffer_format(why, "cannot listen on %.200s port %s: %s", server->options.host, port, strerror(errno));
    }
    if (probe >= 0) {
        close(probe);
    }
    freeaddrinfo(found);
    return bound;
}

static bool listen_on(struct http_server *server, struct buffer *why) {
    unsigned descriptors = server->options.connections + OWN_DESCRIPTORS;
    if (!raise_descriptor_limit(descriptors, why) || !resolve(server, why)) {
        return false;
    }
    /* With IPv6 on, an IPv4 address is ignored and every address of this machine listens. */
    uint64_t family = strchr(server->address, ':') == NULL ? LWS_SERVER_OPTION_DISABLE_IPV6 : 0;
    lws_set_log_level(0, NULL);
    struct lws_context_creation_info info = {
        .port = server->options.port,
        .iface = server->address,
        .protocols = protocols,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   LWS_SERVER_OPTION_ADOPT_APPLY_LISTEN_ACCEPT_CONFIG | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME | family,
        .listen_accept_role = "raw-skt",
        .listen_accept_protocol = protocols[0].name,
        .fd_limit_per_thread = descriptors,
        .pt_serv_buf_size = 64 * 1024,
        .user = server,
    };
    server->loop = lws_create_context(&info);
    if (!server->loop) {
        buffer_append_string(why, "the event loop cannot be made");
        return false;
    }
    server->host = lws_create_vhost(server->loop, &info);
    if (!server->host) {
        buffer_format(why, "cannot listen on %.200s port %u", server->options.host, (unsigned)server->options.port);
        return false;
    }
    if (!watch_signals(server)) {
        buffer_append_string(why, "signals cannot be watched");
        return false;
    }
    return true;
}

struct http_server *http_server_open(const struct http_options *options, const struct http_handler *handler,
                                     struct buffer *why) {
    struct http_server *server = calloc(1, sizeof *server);
    if (!server) {
        buffer_append_string(why, "there is not enough memory");
        return NULL;
    }
    server->options = *options;
    server->handler = *handler;
    if (!listen_on(server, why)) {
        http_server_close(server);
        return NULL;
    }
    return server;
}

const char *http_server_address(const struct http_server *server) {
    return server->address;
}

uint16_t http_server_port(const struct http_server *server) {
    return (uint16_t)lws_get_vhost_listen_port(server->host);
}

bool http_server_run(struct http_server *server) {
    while (!server->stopped) {
        if (lws_service(server->loop, 0) < 0) {
            return false;
        }
    }
    return true;
}

void http_server_close(struct http_server *server) {
    if (server) {
        if (server->loop) {
            lws_context_destroy(server->loop);
        }
        free(server);
    }
}
