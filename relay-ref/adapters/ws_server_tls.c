#include "relay-ref/adapters/ws_server_tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What one turn moves, in bytes; a record of TLS has no more. */
#define PIECE ((size_t)16 << 10)

/* The most bytes that the pair keeps in one direction, besides what is in the client's own socket. */
#define PAIR_BUFFER_BYTES (64 << 10)

/* How long the relay has to take what a client sent before it left, in seconds. */
#define LAST_WORDS_SECONDS 30

/* One client's two sides; freed when both are gone. */
struct bridge {
    struct server *server;
    struct lws *outer; /* TLS, to the client; NULL: gone */
    struct lws *inner; /* plain, to the door; NULL: gone */
    int socket;        /* of the plain side */
    char *held;        /* owned; from the client, not yet taken by the plain side */
    size_t held_length, held_at;
    bool inner_over; /* the relay sends nothing more */
};

static void part(struct bridge *bridge) {
    if (bridge->outer != NULL || bridge->inner != NULL)
        return;
    bridge->server->bridge_count--;
    free(bridge->held);
    free(bridge);
}

static void end_soon(struct lws *wsi) {
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

/* ---- from the client to the relay ----------------------------------------------------------------- */

/* Keeps what the plain side does not take now; nothing more is read until it has. */
static bool hold(struct bridge *bridge, const char *bytes, size_t length) {
    bridge->held = malloc(length);
    if (bridge->held == NULL)
        return false;
    memcpy(bridge->held, bytes, length);
    bridge->held_length = length;
    bridge->held_at = 0;
    lws_rx_flow_control(bridge->outer, 0);
    lws_callback_on_writable(bridge->inner);
    return true;
}

/* The bytes that the plain side took; what comes after its end goes nowhere. */
static size_t push(struct bridge *bridge, const char *bytes, size_t length) {
    ssize_t sent = send(bridge->socket, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0)
        return (size_t)sent;
    return errno == EAGAIN || errno == EINTR ? 0 : length;
}

static bool to_relay(struct bridge *bridge, const char *bytes, size_t length) {
    if (bridge->inner == NULL)
        return true;
    /* libwebsockets may hand over one more piece after it was asked to wait. */
    if (bridge->held != NULL) {
        char *longer = realloc(bridge->held, bridge->held_length + length);
        if (longer == NULL)
            return false;
        memcpy(longer + bridge->held_length, bytes, length);
        bridge->held = longer;
        bridge->held_length += length;
        return true;
    }
    size_t sent = push(bridge, bytes, length);
    return sent == length || hold(bridge, bytes + sent, length - sent);
}

/* The plain side takes bytes again. False: it is done with. */
static bool flush_held(struct bridge *bridge) {
    if (bridge->held == NULL)
        return true;
    bridge->held_at += push(bridge, bridge->held + bridge->held_at, bridge->held_length - bridge->held_at);
    if (bridge->held_at < bridge->held_length) {
        lws_callback_on_writable(bridge->inner);
        return true;
    }
    free(bridge->held);
    bridge->held = NULL;
    if (bridge->outer == NULL)
        return false;
    lws_rx_flow_control(bridge->outer, 1);
    return true;
}

/* ---- from the relay to the client ----------------------------------------------------------------- */

static void to_client(struct bridge *bridge) {
    unsigned char memory[LWS_PRE + PIECE];
    ssize_t got = read(bridge->socket, memory + LWS_PRE, PIECE);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        bridge->inner_over = true;
    } else if (bridge->outer != NULL &&
               lws_write(bridge->outer, memory + LWS_PRE, (size_t)got, LWS_WRITE_RAW) < 0) {
        end_soon(bridge->outer);
        return;
    }
    if (bridge->outer == NULL || (!bridge->inner_over && !lws_partial_buffered(bridge->outer)))
        return;
    lws_rx_flow_control(bridge->inner, 0);
    lws_callback_on_writable(bridge->outer);
}

/* The client's socket has taken everything. False: that was all. */
static bool go_on(struct bridge *bridge) {
    if (lws_partial_buffered(bridge->outer)) {
        lws_callback_on_writable(bridge->outer);
        return true;
    }
    if (bridge->inner_over)
        return false;
    if (bridge->inner != NULL)
        lws_rx_flow_control(bridge->inner, 1);
    return true;
}

/* ---- the two sides -------------------------------------------------------------------------------- */

/* The first plain text: makes the pair, and has its other end come in at the door. */
static struct bridge *open_bridge(struct server *server, struct lws *wsi, struct visitor *visitor) {
    int ends[2];
    const int bytes = PAIR_BUFFER_BYTES;
    struct bridge *bridge = calloc(1, sizeof *bridge);
    if (bridge == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
        free(bridge);
        return NULL;
    }
    for (size_t i = 0; i < 2; i++)
        setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    *bridge = (struct bridge){.server = server, .outer = wsi, .socket = ends[0]};
    bridge->inner = visitor_watch_file(server, ends[0], "bridge");
    if (bridge->inner == NULL) {
        close(ends[1]);
        free(bridge);
        return NULL;
    }
    *(struct bridge **)lws_wsi_user(bridge->inner) = bridge;
    server->bridge_count++;
    struct address *address = visitor->address;
    address->references++;
    visitor_leave(server, visitor);
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0); /* the door has the time now */
    visitor_receive(server, ends[1], address, visitor->deadline, VISITOR_ASKS);
    return bridge;
}

void tls_begin(struct server *server, int file, struct address *address, lws_usec_t deadline) {
    lws_sock_file_fd_type descriptor = {.sockfd = file};
    struct lws *wsi = file < 0 ? NULL
                               : lws_adopt_descriptor_vhost(server->tls, LWS_ADOPT_SOCKET | LWS_ADOPT_ALLOW_SSL,
                                                            descriptor, "tls", NULL);
    if (wsi == NULL) {
        address_release(&server->addresses, address);
        return;
    }
    struct tls_session *session = lws_wsi_user(wsi);
    visitor_enter(server, &session->visitor, wsi, address, deadline);
    lws_usec_t left = deadline - lws_now_usecs();
    lws_set_timer_usecs(wsi, left > 0 ? left : 1);
}

static int on_plain_text(struct server *server, struct lws *wsi, struct tls_session *session, const char *bytes,
                         size_t length) {
    if (session->bridge == NULL && session->visitor.wsi == NULL)
        return -1; /* sent away just now */
    if (session->bridge == NULL)
        session->bridge = open_bridge(server, wsi, &session->visitor);
    return session->bridge != NULL && to_relay(session->bridge, bytes, length) ? 0 : -1;
}

static int on_time(struct server *server, struct tls_session *session) {
    if (session->visitor.wsi == NULL)
        return 0;
    server->metrics.limits[METRICS_LIMIT_HANDSHAKE_TIME]++;
    visitor_leave(server, &session->visitor);
    return -1;
}

/* What the client sent before is still for the relay. */
static void on_outer_end(struct server *server, struct tls_session *session) {
    struct bridge *bridge = session->bridge;
    visitor_leave(server, &session->visitor);
    session->bridge = NULL;
    if (bridge == NULL)
        return;
    bridge->outer = NULL;
    if (bridge->inner != NULL && bridge->held == NULL)
        end_soon(bridge->inner);
    else if (bridge->inner != NULL)
        lws_set_timeout(bridge->inner, PENDING_TIMEOUT_USER_OK, LAST_WORDS_SECONDS);
    part(bridge);
}

int tls_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct tls_session *session = user;
    switch (reason) {
    case LWS_CALLBACK_RAW_RX:
        return on_plain_text(server_of(wsi), wsi, session, in, length);
    case LWS_CALLBACK_RAW_WRITEABLE:
        return session->bridge == NULL || go_on(session->bridge) ? 0 : -1;
    case LWS_CALLBACK_TIMER:
        return on_time(server_of(wsi), session);
    case LWS_CALLBACK_RAW_CLOSE:
    case LWS_CALLBACK_WSI_DESTROY:
        if (session != NULL)
            on_outer_end(server_of(wsi), session);
        return 0;
    default:
        return 0;
    }
}

static void on_inner_end(struct bridge *bridge) {
    bridge->inner = NULL;
    bridge->inner_over = true;
    if (bridge->outer != NULL) {
        lws_rx_flow_control(bridge->outer, 1);
        lws_callback_on_writable(bridge->outer);
    }
    part(bridge);
}

int bridge_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct bridge **bridge = user;
    (void)wsi;
    (void)in;
    (void)length;
    if (bridge == NULL || *bridge == NULL)
        return 0;
    switch (reason) {
    case LWS_CALLBACK_RAW_RX_FILE:
        to_client(*bridge);
        return 0;
    case LWS_CALLBACK_RAW_WRITEABLE_FILE:
        return flush_held(*bridge) ? 0 : -1;
    case LWS_CALLBACK_RAW_CLOSE_FILE:
        on_inner_end(*bridge);
        *bridge = NULL;
        return 0;
    default:
        return 0;
    }
}
