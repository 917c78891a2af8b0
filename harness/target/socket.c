#include "harness/target/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "harness/base/memory.h"
#include "harness/target/socket_state.h"

#define RECEIVE_CHUNK ((size_t)64 << 10)   /* bytes that one read takes */
#define SERVICE_BUFFER ((size_t)128 << 10) /* libwebsockets builds a request in it: SOCKET_REQUEST_CEILING must fit */
#define HEADERS_CEILING 65000 /* bytes of a response's headers, and of our path and subprotocol among them */

int64_t socket_now(void) {
    return (int64_t)lws_now_usecs();
}

/* ---- the loop ------------------------------------------------------------------------------------ */

struct socket_loop *socket_loop_new(const struct trust *trust, struct target_events *events, struct error *error) {
    static const struct lws_protocols protocols[] = {
        {.name = "mesh", .callback = socket_on_event, .rx_buffer_size = RECEIVE_CHUNK}, {0}};
    struct socket_loop *loop = memory_zeroed(1, sizeof *loop);
    loop->events = events;
    lws_set_log_level(0, NULL);
    struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN,
                                             .protocols = protocols,
                                             .gid = -1,
                                             .uid = -1,
                                             .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
                                             .pt_serv_buf_size = SERVICE_BUFFER,
                                             .max_http_header_data = HEADERS_CEILING};
    if (trust != NULL) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.client_ssl_ca_filepath = trust->ca;
        loop->trust = *trust;
    }
    /* A relay is put under test as it is reached from here, not through a proxy that http_proxy names. */
    info.http_proxy_address = "";
    loop->context = lws_create_context(&info);
    loop->vhost = loop->context != NULL ? lws_create_vhost(loop->context, &info) : NULL;
    if (loop->vhost == NULL) {
        error_set(error, ERROR_INTERNAL, "libwebsockets could not be set up");
        socket_loop_free(loop);
        return NULL;
    }
    return loop;
}

static void free_socket(struct socket *socket) {
    socket_drop_outgoing(socket);
    buffer_free(&socket->incoming);
    free(socket);
}

void socket_loop_free(struct socket_loop *loop) {
    if (loop == NULL)
        return;
    for (struct socket *socket = loop->sockets; socket != NULL; socket = socket->next)
        socket->abandoned = true;
    if (loop->context != NULL)
        lws_context_destroy(loop->context);
    while (loop->sockets != NULL) {
        struct socket *next = loop->sockets->next;
        free_socket(loop->sockets);
        loop->sockets = next;
    }
    free(loop);
}

/* Ends the TCP connection with a reset, at once, whatever waits on either side. */
static void reset(struct socket *socket) {
    struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    socket_drop_outgoing(socket);
    connect(lws_get_socket_fd(socket->wsi), &nowhere, sizeof nowhere);
    lws_set_timeout(socket->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}

static void reset_condemned(struct socket_loop *loop) {
    for (struct socket *socket = loop->sockets; socket != NULL; socket = socket->next)
        if (socket->state == SOCKET_CONDEMNED && socket->wsi != NULL)
            reset(socket);
    loop->condemned = false;
}

/* Frees the sockets that neither their user nor libwebsockets needs any more. */
static void bury(struct socket_loop *loop) {
    for (struct socket **link = &loop->sockets; *link != NULL;) {
        struct socket *socket = *link;
        if (socket->abandoned && socket->wsi == NULL) {
            *link = socket->next;
            free_socket(socket);
        } else {
            link = &socket->next;
        }
    }
}

/*
 * The wait is over before it began: the timer was due when libwebsockets looked, and it would now wait for something
 * else. (A timer that becomes due during the wait ends it, and is cancelled before libwebsockets looks.)
 */
static void on_timer(lws_sorted_usec_list_t *timer) {
    lws_cancel_service(lws_container_of(timer, struct socket_loop, timer)->context);
}

void socket_loop_run(struct socket_loop *loop, int64_t deadline) {
    int64_t left = deadline - socket_now();
    if (left <= 0) {
        lws_service(loop->context, -1);
    } else {
        /* The wait is cut to whole milliseconds: one below it would be none, and the caller's loop a busy one. */
        if (left < 2 * LWS_US_PER_MS)
            left += LWS_US_PER_MS;
        lws_sul_schedule(loop->context, 0, &loop->timer, on_timer, left);
        lws_service(loop->context, 0);
        lws_sul_schedule(loop->context, 0, &loop->timer, on_timer, LWS_SET_TIMER_USEC_CANCEL);
    }
    if (loop->condemned)
        reset_condemned(loop);
    bury(loop);
}

const char *socket_loop_fault(const struct socket_loop *loop) {
    return loop->fault;
}

void socket_loop_forget_fault(struct socket_loop *loop) {
    loop->fault[0] = '\0';
}

/* ---- one connection ------------------------------------------------------------------------------ */

static void start_connecting(struct socket *socket, const struct url *url, const struct socket_request *request) {
    struct lws_client_connect_info info = {.context = socket->loop->context,
                                           .vhost = socket->loop->vhost,
                                           .address = url->host,
                                           .port = url->port,
                                           .path = request->path,
                                           .protocol = request->subprotocol,
                                           .host = url->host_header,
                                           .local_protocol_name = "mesh",
                                           .alpn = "http/1.1",
                                           .ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT,
                                           .userdata = socket,
                                           .pwsi = &socket->wsi};
    if (url->tls)
        info.ssl_connection |= LCCSCF_USE_SSL;
    if (url->tls && socket->loop->trust.insecure)
        info.ssl_connection |= LCCSCF_ALLOW_SELFSIGNED | LCCSCF_ALLOW_EXPIRED | LCCSCF_ALLOW_INSECURE |
                               LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK;
    if (lws_client_connect_via_info(&info) == NULL) {
        if (socket->failure[0] == '\0')
            snprintf(socket->failure, sizeof socket->failure, "its host was not found");
        socket->wsi = NULL;
        socket->state = SOCKET_ENDED;
    }
}

struct socket *socket_open(struct socket_loop *loop, const struct url *url, const struct socket_request *request,
                           int number, int64_t deadline, struct error *error) {
    struct socket *socket = memory_zeroed(1, sizeof *socket);
    socket->loop = loop;
    socket->number = number;
    socket->incoming.ceiling = SOCKET_MESSAGE_CEILING;
    socket->next = loop->sockets;
    loop->sockets = socket;
    socket->headers = request->headers;
    socket->host = url->host;
    start_connecting(socket, url, request);
    while (socket->state == SOCKET_CONNECTING && socket_now() < deadline)
        socket_loop_run(loop, deadline);
    socket->headers = NULL;
    socket->host = NULL;
    if (socket->state == SOCKET_OPEN)
        return socket;
    error_set(error, ERROR_TARGET, "%s", socket->failure[0] != '\0' ? socket->failure : "it did not answer in time");
    /* A handshake without an answer is broken off. */
    socket_break(socket);
    return NULL;
}

int socket_number(const struct socket *socket) {
    return socket->number;
}

/* Lets the transport take what it takes without waiting. */
static void flush(struct socket *socket) {
    size_t before;
    do {
        before = socket->frames;
        lws_service(socket->loop->context, -1);
    } while (socket->frames > before && (socket->first != NULL || socket->state == SOCKET_LEAVING));
}

bool socket_send(struct socket *socket, struct text message, bool binary, int fragments, int64_t deadline,
                 struct error *error) {
    if (socket->state != SOCKET_OPEN)
        return true;
    struct outgoing *outgoing = memory_new(sizeof *outgoing + LWS_PRE + message.length);
    *outgoing =
        (struct outgoing){.length = message.length, .fragments = fragments > 1 ? fragments : 1, .binary = binary};
    if (message.length > 0)
        memcpy(outgoing->room + LWS_PRE, message.bytes, message.length);
    if (socket->last != NULL)
        socket->last->next = outgoing;
    else
        socket->first = outgoing;
    socket->last = outgoing;
    socket->waiting += message.length;
    lws_callback_on_writable(socket->wsi);
    flush(socket);
    while (socket->waiting > SOCKET_OUTGOING_CEILING && socket_now() < deadline)
        socket_loop_run(socket->loop, deadline);
    if (socket->waiting > SOCKET_OUTGOING_CEILING)
        return error_set(error, ERROR_TARGET, "the relay does not read: %zu bytes wait to be sent to it",
                         socket->waiting);
    return true;
}

void socket_stall(struct socket *socket, bool stalled) {
    if (socket->wsi != NULL && socket->state == SOCKET_OPEN)
        lws_rx_flow_control(socket->wsi, stalled ? 0 : 1);
}

void socket_leave(struct socket *socket) {
    socket->abandoned = true;
    if (socket->wsi != NULL && socket->state == SOCKET_OPEN) {
        socket->state = SOCKET_LEAVING;
        /* The relay's own close frame has to be read. */
        lws_rx_flow_control(socket->wsi, 1);
        lws_callback_on_writable(socket->wsi);
        flush(socket);
    }
    bury(socket->loop);
}

void socket_break(struct socket *socket) {
    socket->abandoned = true;
    if (socket->wsi != NULL)
        reset(socket);
    bury(socket->loop);
}
