#include "tools/sync-server/http_connection.h"

#include <arpa/inet.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* What a client may send ahead while its former request is still being answered; then it has to wait. */
#define AHEAD_CEILING ((size_t)256 * 1024)

/* How much of an answer is handed to the socket at once. */
#define WRITE_PIECE ((size_t)64 * 1024)

struct http_connection {
    struct lws *wsi;
    const struct http_options *options;
    const struct http_handler *handler;
    struct http_reader reader;
    struct buffer ahead; /* bytes of later requests */
    bool from_loopback;

    struct http_exchange exchange;
    bool busy;     /* an exchange is under way and not answered yet */
    bool handling; /* inside the handler: an answer must not start the next request from there */
    lws_sorted_usec_list_t wake;

    struct buffer out; /* LWS_PRE spare bytes, then the answer that is being written */
    size_t out_at;
    bool paused;  /* reading is stopped, since `ahead` is full */
    bool closing; /* close once `out` is written */
    bool cut;     /* close at once */
};

static bool is_loopback(struct lws *wsi) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    if (getpeername(lws_get_socket_fd(wsi), (struct sockaddr *)&peer, &length) != 0) {
        return false;
    }
    if (peer.ss_family == AF_INET) {
        return ntohl(((struct sockaddr_in *)&peer)->sin_addr.s_addr) >> 24 == 127;
    }
    if (peer.ss_family == AF_INET6) {
        const struct in6_addr *address = &((struct sockaddr_in6 *)&peer)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(address) || (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
    }
    return false;
}

/* One clock for each thing that a client may be slow with; the newest call holds. */
static void allow_seconds(struct http_connection *connection, unsigned seconds) {
    lws_set_timeout(connection->wsi, seconds ? PENDING_TIMEOUT_USER_OK : NO_PENDING_TIMEOUT, (int)seconds);
}

struct http_connection *http_connection_open(struct lws *wsi, const struct http_options *options,
                                             const struct http_handler *handler) {
    struct http_connection *connection = calloc(1, sizeof *connection);
    if (!connection) {
        return NULL;
    }
    connection->wsi = wsi;
    connection->options = options;
    connection->handler = handler;
    connection->from_loopback = is_loopback(wsi);
    http_reader_init(&connection->reader, options->limits);
    buffer_init(&connection->ahead, SIZE_MAX / 2);
    buffer_init(&connection->out, SIZE_MAX / 2);
    allow_seconds(connection, options->idle_seconds);
    return connection;
}

static void end_exchange(struct http_connection *connection) {
    lws_sul_cancel(&connection->wake);
    connection->handler->forget(connection->handler->context, &connection->exchange);
    buffer_free(&connection->exchange.answer.body);
    connection->exchange = (struct http_exchange){0};
    connection->busy = false;
}

void http_connection_close(struct http_connection *connection) {
    if (connection->busy) {
        connection->handler->abandoned(connection->handler->context, &connection->exchange);
        end_exchange(connection);
    }
    http_reader_free(&connection->reader);
    buffer_free(&connection->ahead);
    buffer_free(&connection->out);
    free(connection);
}

/* ---- answers ----------------------------------------------------------------------------------- */

static const char *reason_of(int status) {
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {{200, "OK"},
                   {201, "Created"},
                   {400, "Bad Request"},
                   {401, "Unauthorized"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {408, "Request Timeout"},
                   {409, "Conflict"},
                   {413, "Content Too Large"},
                   {431, "Request Header Fields Too Large"},
                   {500, "Internal Server Error"},
                   {502, "Bad Gateway"},
                   {503, "Service Unavailable"},
                   {505, "HTTP Version Not Supported"}};
    for (size_t at = 0; at < sizeof reasons / sizeof *reasons; at++) {
        if (reasons[at].status == status) {
            return reasons[at].reason;
        }
    }
    return "Answer";
}

void http_answer_head(struct buffer *out, int status, const char *allow, size_t body_length, bool keep_alive) {
    buffer_format(out, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n", status,
                  reason_of(status), body_length);
    if (allow) {
        buffer_format(out, "Allow: %s\r\n", allow);
    }
    if (!keep_alive) {
        buffer_append_string(out, "Connection: close\r\n");
    }
    buffer_append_string(out, "\r\n");
}

/* Writes what the socket takes now; false when it is broken. */
static bool write_some(struct http_connection *connection) {
    while (connection->out_at < connection->out.length && !lws_partial_buffered(connection->wsi)) {
        size_t left = connection->out.length - connection->out_at;
        size_t piece = left < WRITE_PIECE ? left : WRITE_PIECE;
        unsigned char *from = (unsigned char *)connection->out.bytes + connection->out_at;
        if (lws_write(connection->wsi, from, piece, LWS_WRITE_RAW) < 0) {
            return false;
        }
        connection->out_at += piece;
    }
    return true;
}

static bool all_written(const struct http_connection *connection) {
    return connection->out_at >= connection->out.length && !lws_partial_buffered(connection->wsi);
}

static void begin_answer(struct http_connection *connection) {
    struct http_answer *answer = &connection->exchange.answer;
    bool head_only = text_equal(connection->exchange.request->method, TEXT("HEAD"));
    if (answer->body.failed) {
        buffer_clear(&answer->body);
        answer->status = 500;
        connection->handler->refuse(connection->handler->context, 500, "the answer is too large", &answer->body);
    }
    connection->closing = !connection->exchange.request->keep_alive || connection->exchange.refusal_status != 0;
    buffer_clear(&connection->out);
    char room[LWS_PRE] = {0};
    buffer_append(&connection->out, room, sizeof room);
    http_answer_head(&connection->out, answer->status, answer->allow, answer->body.length, !connection->closing);
    if (!head_only) {
        buffer_append_text(&connection->out, buffer_text(&answer->body));
    }
    connection->out_at = LWS_PRE;
    connection->cut = connection->cut || connection->out.failed;
}

static struct http_connection *connection_of(struct http_exchange *exchange) {
    return lws_container_of(exchange, struct http_connection, exchange);
}

void http_exchange_send(struct http_exchange *exchange) {
    struct http_connection *connection = connection_of(exchange);
    begin_answer(connection);
    end_exchange(connection);
    allow_seconds(connection, connection->options->request_seconds);
    if (!connection->handling) {
        lws_callback_on_writable(connection->wsi);
    }
}

void http_exchange_cut(struct http_exchange *exchange) {
    struct http_connection *connection = connection_of(exchange);
    end_exchange(connection);
    connection->cut = true;
    if (!connection->handling) {
        lws_callback_on_writable(connection->wsi);
    }
}

static void on_wake(lws_sorted_usec_list_t *wake) {
    struct http_connection *connection = lws_container_of(wake, struct http_connection, wake);
    connection->handler->woken(connection->handler->context, &connection->exchange);
}

void http_exchange_wake_after(struct http_exchange *exchange, uint64_t milliseconds) {
    struct http_connection *connection = connection_of(exchange);
    lws_sul_schedule(lws_get_context(connection->wsi), 0, &connection->wake, on_wake,
                     (lws_usec_t)(milliseconds * LWS_USEC_PER_SEC / 1000));
}

/* ---- requests ---------------------------------------------------------------------------------- */

/* What could not even be read as a request is answered here; no handler sees it. */
static void refuse_unread(struct http_connection *connection) {
    struct buffer body;
    buffer_init(&body, 4096);
    connection->handler->refuse(connection->handler->context, connection->reader.refusal_status,
                                connection->reader.refusal, &body);
    buffer_clear(&connection->out);
    char room[LWS_PRE] = {0};
    buffer_append(&connection->out, room, sizeof room);
    http_answer_head(&connection->out, connection->reader.refusal_status, NULL, body.length, false);
    buffer_append_text(&connection->out, buffer_text(&body));
    connection->out_at = LWS_PRE;
    connection->closing = true;
    buffer_free(&body);
}

static void begin_exchange(struct http_connection *connection, enum http_progress progress) {
    struct http_reader *reader = &connection->reader;
    if (progress == HTTP_REFUSED && !reader->head_known) {
        refuse_unread(connection);
        return;
    }
    /* While the server works on it the client need not do anything. */
    allow_seconds(connection, 0);
    connection->exchange = (struct http_exchange){
        .request = &reader->request,
        .from_loopback = connection->from_loopback,
        .refusal_status = progress == HTTP_REFUSED ? reader->refusal_status : 0,
        .refusal = progress == HTTP_REFUSED ? reader->refusal : NULL,
    };
    buffer_init(&connection->exchange.answer.body, BUFFER_CEILING);
    connection->busy = true;
    connection->handling = true;
    connection->handler->handle(connection->handler->context, &connection->exchange);
    connection->handling = false;
}

static bool send_continue(struct http_connection *connection) {
    unsigned char message[LWS_PRE + 32];
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    memcpy(message + LWS_PRE, text, sizeof text - 1);
    return lws_write(connection->wsi, message + LWS_PRE, sizeof text - 1, LWS_WRITE_RAW) >= 0;
}

/* Feeds one request's worth of bytes; `*rest` keeps what belongs to later ones. */
static bool feed(struct http_connection *connection, struct text *rest) {
    bool begun = http_reader_begun(&connection->reader);
    size_t used;
    enum http_progress progress = http_reader_feed(&connection->reader, *rest, &used);
    rest->bytes += used;
    rest->length -= used;
    if (!begun && http_reader_begun(&connection->reader)) {
        allow_seconds(connection, connection->options->request_seconds);
    }
    if (progress == HTTP_CONTINUE) {
        return send_continue(connection);
    }
    if (progress != HTTP_MORE) {
        begin_exchange(connection, progress);
    }
    return true;
}

/* After an answer is written whole: makes ready for the next request. False: the connection ends here. */
static bool finish_answer(struct http_connection *connection) {
    if (connection->closing) {
        return false;
    }
    connection->out_at = 0;
    buffer_clear(&connection->out);
    if (connection->out.capacity > BUFFER_CEILING / 256) {
        buffer_free(&connection->out);
    }
    http_reader_restart(&connection->reader);
    allow_seconds(connection, connection->options->idle_seconds);
    return true;
}

/* Goes on until the client has to send, the handler has to answer or the socket has to take. */
static bool proceed(struct http_connection *connection, struct text *rest) {
    for (;;) {
        if (connection->cut || !write_some(connection)) {
            return false;
        }
        if (connection->busy) {
            return true;
        }
        if (connection->out.length > 0) {
            if (!all_written(connection)) {
                lws_callback_on_writable(connection->wsi);
                return true;
            }
            if (!finish_answer(connection)) {
                return false;
            }
        }
        if (rest->length == 0) {
            return true;
        }
        if (!feed(connection, rest)) {
            return false;
        }
    }
}

/* Reading goes on even while an answer is awaited: only so is it seen that a client has gone. */
static bool keep_ahead(struct http_connection *connection, struct text rest) {
    buffer_append_text(&connection->ahead, rest);
    if (connection->ahead.length > AHEAD_CEILING && !connection->paused) {
        connection->paused = true;
        lws_rx_flow_control(connection->wsi, 0);
    }
    return !connection->ahead.failed;
}

static bool idle(const struct http_connection *connection) {
    return !connection->busy && connection->out.length == 0 && connection->ahead.length == 0;
}

bool http_connection_receive(struct http_connection *connection, struct text bytes) {
    if (!idle(connection)) {
        return keep_ahead(connection, bytes);
    }
    return proceed(connection, &bytes) && keep_ahead(connection, bytes);
}

bool http_connection_writable(struct http_connection *connection) {
    if (connection->out.length > 0) {
        allow_seconds(connection, connection->options->request_seconds);
    }
    struct buffer ahead = connection->ahead;
    buffer_init(&connection->ahead, ahead.ceiling);
    struct text rest = buffer_text(&ahead);
    bool alive = proceed(connection, &rest) && keep_ahead(connection, rest);
    buffer_free(&ahead);
    if (alive && connection->paused && connection->ahead.length <= AHEAD_CEILING) {
        connection->paused = false;
        lws_rx_flow_control(connection->wsi, 1);
    }
    return alive;
}
