#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/target/socket_state.h"

void socket_drop_outgoing(struct socket *socket) {
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
    socket_drop_outgoing(socket);
}

/* libwebsockets' reasons in words that need no look into its source. */
static const char *in_plain_words(const char *why) {
    static const char *const words[][2] = {
        {"Unable to connect", "nothing listens there, or no network leads to it"},
        {"read failed", "it closed the connection during the handshake, or does not speak HTTP"},
        {"HS: Accept hash wrong", "its Sec-WebSocket-Accept is not the answer to our key"},
        {"connect SSL err", "it does not speak TLS, or broke its handshake off"},
    };
    for (size_t i = 0; why != NULL && i < sizeof words / sizeof *words; i++)
        if (strncmp(why, words[i][0], strlen(words[i][0])) == 0)
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

/* libwebsockets looks for an address among the certificate's names; it stands among its addresses. */
static bool is_for_the_address(const struct socket *socket, X509_STORE_CTX *chain) {
    X509 *certificate = X509_STORE_CTX_get_current_cert(chain);
    return socket->host != NULL && certificate != NULL && X509_check_ip_asc(certificate, socket->host, 0) == 1;
}

/* Notes what is wrong with a certificate, for libwebsockets only says that something is; its verdict stays. */
static void on_certificate(struct lws *wsi, X509_STORE_CTX *chain) {
    struct socket *socket = lws_wsi_user(wsi);
    int wrong = X509_STORE_CTX_get_error(chain);
    if (socket == NULL || socket->loop->trust.insecure)
        return;
    if (wrong == X509_V_ERR_HOSTNAME_MISMATCH && is_for_the_address(socket, chain))
        X509_STORE_CTX_set_error(chain, X509_V_OK);
    else if (wrong != X509_V_OK)
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

int socket_on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
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
