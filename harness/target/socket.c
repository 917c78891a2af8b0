#include "harness/target/socket.h"

#include <libwebsockets.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "harness/base/memory.h"

#define RECEIVE_CHUNK ((size_t)64 << 10)   /* bytes that one read takes */
#define SERVICE_BUFFER ((size_t)128 << 10) /* libwebsockets builds a request in it: SOCKET_REQUEST_CEILING must fit */
#define HEADERS_CEILING 65000              /* bytes of a response's headers, and of our path and subprotocol among them */

/* One message on its way out, with libwebsockets' room in front of each frame. */
struct outgoing {
    struct outgoing *next;
    size_t length, sent;
    int fragments, fragment; /* how many, and how many have been sent */
    bool binary;
    unsigned char room[];
};

enum socket_state {
    SOCKET_CONNECTING,
    SOCKET_OPEN,
    SOCKET_LEAVING,   /* our close frame follows what waits to be sent, or is on its way */
    SOCKET_DISMISSED, /* the relay's close frame came, and libwebsockets answers it */
    SOCKET_CONDEMNED, /* it broke a ceiling: to be reset as soon as libwebsockets does not stand in it */
    SOCKET_ENDED
};

struct socket {
    struct socket_loop *loop;
    struct socket *next;
    struct lws *wsi; /* NULL: libwebsockets is done with it */
    int number;
    enum socket_state state;
    bool abandoned;         /* its user is done with it: no further event, freed when libwebsockets is done too */
    struct buffer incoming; /* the message that is arriving */
    struct outgoing *first, *last;
    size_t waiting;      /* bytes in them */
    size_t frames;       /* that went out */
    unsigned close_code; /* of the relay's close frame; 0: it had none */
    bool close_frame;    /* the relay sent one */
    bool close_sent;     /* we sent one */
    char close_reason[126];
    size_t close_length;
    const char *headers;  /* of our own, until it is connected; NULL: none */
    char failure[256];    /* why it could not connect */
};

struct socket_loop {
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct target_events *events;
    struct socket *sockets;
    lws_sorted_usec_list_t timer;
    bool condemned; /* some socket is */
    char fault[256];
};

int64_t socket_now(void) {
    return (int64_t)lws_now_usecs();
}

/* ---- what libwebsockets tells -------------------------------------------------------------------- */

static void drop_outgoing(struct socket *socket) {
    while (socket->first != NULL) {
        struct outgoing *next = socket->first->next;
        free(socket->first);
        socket->first = next;
    }
    socket->last = NULL;
    socket->waiting = 0;
}

/* Gives up a connection that broke a ceiling. */
static void condemn(struct socket *socket, const char *what, size_t ceiling) {
    snprintf(socket->loop->fault, sizeof socket->loop->fault, "connection %d was sent %s (the ceiling is %zu)",
             socket->number, what, ceiling);
    socket->state = SOCKET_CONDEMNED;
    socket->loop->condemned = true;
    buffer_free(&socket->incoming);
}

static void on_receive(struct socket *socket, const char *bytes, size_t length) {
    if (socket->abandoned || socket->state != SOCKET_OPEN)
        return;
    if (socket->incoming.length + length > SOCKET_MESSAGE_CEILING) {
        condemn(socket, "too long a message, counted in bytes", SOCKET_MESSAGE_CEILING);
        return;
    }
    buffer_append(&socket->incoming, bytes, length);
    if (!lws_is_final_fragment(socket->wsi) || lws_remaining_packet_payload(socket->wsi) > 0)
        return;
    size_t whole = socket->incoming.length;
    char *message = memory_resize(socket->incoming.bytes, whole + 1);
    socket->incoming = (struct buffer){.ceiling = SOCKET_MESSAGE_CEILING};
    events_add_owned(socket->loop->events, &(struct target_event){.kind = TARGET_MESSAGE,
                                                                  .connection = socket->number,
                                                                  .binary = lws_frame_is_binary(socket->wsi) != 0,
                                                                  .text = {message, whole}});
    if (events_full(socket->loop->events))
        condemn(socket, "a flood of messages that nobody has read yet", TARGET_EVENTS_COUNT_CEILING);
}

/* Cuts the next frame off the first message. */
static int on_writable(struct socket *socket) {
    struct outgoing *message = socket->first;
    if (socket->state != SOCKET_OPEN && socket->state != SOCKET_LEAVING)
        return 0;
    if (message == NULL) {
        if (socket->state != SOCKET_LEAVING || socket->close_sent)
            return 0;
        socket->close_sent = true;
        socket->frames++;
        lws_close_reason(socket->wsi, LWS_CLOSE_STATUS_NORMAL, NULL, 0);
        return -1;
    }
    size_t end = message->length / (size_t)message->fragments * (size_t)(message->fragment + 1);
    bool final = ++message->fragment == message->fragments;
    if (final)
        end = message->length;
    int how = message->fragment > 1 ? LWS_WRITE_CONTINUATION : message->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT;
    if (!final)
        how |= LWS_WRITE_NO_FIN;
    size_t length = end - message->sent;
    unsigned char *frame = message->room + LWS_PRE + message->sent;
    message->sent = end;
    socket->waiting -= length;
    socket->frames++;
    if (final) {
        socket->first = message->next;
        if (socket->first == NULL)
            socket->last = NULL;
    }
    /* Keeps what the transport does not take, and says so only by not being writable for a while. */
    int written = lws_write(socket->wsi, frame, length, (enum lws_write_protocol)how);
    if (final)
        free(message);
    if (written < (int)length)
        return -1;
    if (socket->first != NULL || socket->state == SOCKET_LEAVING)
        lws_callback_on_writable(socket->wsi);
    return 0;
}

static void on_close_frame(struct socket *socket, const unsigned char *payload, size_t length) {
    if (socket->state == SOCKET_OPEN)
        socket->state = SOCKET_DISMISSED;
    socket->close_frame = true;
    if (length < 2)
        return;
    socket->close_code = (unsigned)payload[0] << 8 | payload[1];
    socket->close_length = length - 2 < sizeof socket->close_reason ? length - 2 : sizeof socket->close_reason;
    memcpy(socket->close_reason, payload + 2, socket->close_length);
}

static void on_closed(struct socket *socket) {
    if (!socket->abandoned)
        events_add(socket->loop->events,
                   &(struct target_event){.kind = TARGET_CLOSED,
                                          .connection = socket->number,
                                          .close_code = socket->close_frame ? socket->close_code : 1006,
                                          .text = {socket->close_reason, socket->close_length}});
    socket->state = SOCKET_ENDED;
    drop_outgoing(socket);
}

/* libwebsockets' reasons in words that need no look into its source. */
static const char *in_plain_words(const char *why) {
    static const char *const words[][2] = {
        {"Unable to connect", "nothing listens there, or no network leads to it"},
        {"read failed", "it closed the connection during the handshake, or does not speak HTTP"},
        {"HS: Accept hash wrong", "its Sec-WebSocket-Accept is not the answer to our key"},
    };
    for (size_t i = 0; why != NULL && i < sizeof words / sizeof *words; i++)
        if (strcmp(why, words[i][0]) == 0)
            return words[i][1];
    return why != NULL ? why : "libwebsockets gives no reason";
}

static void on_failed(struct socket *socket, struct lws *wsi, const char *why) {
    unsigned status = wsi != NULL ? lws_http_client_http_response(wsi) : 0;
    if (status != 0 && status != 101)
        snprintf(socket->failure, sizeof socket->failure, "it answered with HTTP status %u", status);
    else if (socket->failure[0] == '\0')
        snprintf(socket->failure, sizeof socket->failure, "%s", in_plain_words(why));
    socket->state = SOCKET_ENDED;
}

/* Notes what is wrong with a certificate, for libwebsockets only says that something is; its verdict stays. */
static void on_certificate(struct lws *wsi, X509_STORE_CTX *chain) {
    struct socket *socket = lws_wsi_user(wsi);
    int wrong = X509_STORE_CTX_get_error(chain);
    if (socket != NULL && wrong != X509_V_OK)
        snprintf(socket->failure, sizeof socket->failure, "its TLS certificate is not trusted: %s",
                 X509_verify_cert_error_string(wrong));
}

/* Puts our own headers into the request; `at` is where the next one goes. */
static int put_headers(const struct socket *socket, unsigned char **at, size_t room) {
    size_t length = socket->headers != NULL ? strlen(socket->headers) : 0;
    if (length > room)
        return -1;
    if (length > 0)
        memcpy(*at, socket->headers, length);
    *at += length;
    return 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    if (reason == LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION) {
        on_certificate(wsi, user);
        return 0;
    }
    struct socket *socket = user;
    if (socket == NULL)
        return 0;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        return put_headers(socket, in, length);
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        socket->state = SOCKET_OPEN;
        return 0;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        on_failed(socket, wsi, in);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        on_receive(socket, in, length);
        return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        return on_writable(socket);
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        on_close_frame(socket, in, length);
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
        on_closed(socket);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        socket->wsi = NULL;
        socket->state = SOCKET_ENDED;
        return 0;
    default:
        return 0;
    }
}

/* ---- the loop ------------------------------------------------------------------------------------ */

struct socket_loop *socket_loop_new(bool tls, struct target_events *events, struct error *error) {
    static const struct lws_protocols protocols[] = {
        {.name = "mesh", .callback = on_event, .rx_buffer_size = RECEIVE_CHUNK}, {0}};
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
    if (tls)
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
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
    drop_outgoing(socket);
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
    drop_outgoing(socket);
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
    start_connecting(socket, url, request);
    while (socket->state == SOCKET_CONNECTING && socket_now() < deadline)
        socket_loop_run(loop, deadline);
    socket->headers = NULL;
    if (socket->state == SOCKET_OPEN)
        return socket;
    error_set(error, ERROR_TARGET, "%s",
              socket->failure[0] != '\0' ? socket->failure : "it did not answer in time");
    /* A handshake without an answer is broken off. */
    socket_break(socket);
    return NULL;
}

int socket_number(const struct socket *socket) {
    return socket->number;
}

bool socket_has_ended(const struct socket *socket) {
    return socket->state == SOCKET_ENDED;
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
