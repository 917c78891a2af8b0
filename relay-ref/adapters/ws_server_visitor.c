#include "relay-ref/adapters/ws_server_visitor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay-ref/adapters/ws_server_tls.h"

/* A request's head may not be longer; what came behind it in the same packets has room, too. */
#define HEAD_CAPACITY ((size_t)SERVER_HEAD_CEILING + SERVER_READ_BYTES)

/* How every connection of TLS begins. */
#define TLS_HANDSHAKE_RECORD 0x16

static struct visitor *of_link(struct list_link *link, size_t offset) {
    return (struct visitor *)(void *)((char *)link - offset);
}

static void send_away(struct server *server, struct visitor *oldest) {
    struct lws *wsi = oldest->wsi;
    server->metrics.limits[METRICS_LIMIT_HANDSHAKES]++;
    visitor_leave(server, oldest);
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

/* The one who has stood there longest, here or from the same address, goes for a new one. */
static void make_way(struct server *server, const struct address *address) {
    bool limited = server->flags->max_connections_per_address > 0;
    if (limited && address->visitor_count >= VISITORS_PER_ADDRESS)
        send_away(server, of_link(address->visitors.first, offsetof(struct visitor, in_address)));
    else if (server->visitor_count >= VISITORS_CEILING)
        send_away(server, of_link(server->visitors.first, offsetof(struct visitor, in_visitors)));
}

void visitor_enter(struct server *server, struct visitor *visitor, struct lws *wsi, struct address *address,
                   lws_usec_t deadline) {
    make_way(server, address);
    *visitor = (struct visitor){.wsi = wsi, .address = address, .deadline = deadline};
    relay_list_append(&server->visitors, &visitor->in_visitors);
    relay_list_append(&address->visitors, &visitor->in_address);
    address->visitor_count++;
    server->visitor_count++;
}

void visitor_leave(struct server *server, struct visitor *visitor) {
    if (visitor->wsi == NULL)
        return;
    relay_list_remove(&server->visitors, &visitor->in_visitors);
    server->visitor_count--;
    relay_list_remove(&visitor->address->visitors, &visitor->in_address);
    visitor->address->visitor_count--;
    address_release(&server->addresses, visitor->address);
    visitor->wsi = NULL;
}

/* ---- reading a request's head --------------------------------------------------------------------- */

struct lws *visitor_watch_file(struct server *server, int file, const char *protocol) {
    lws_sock_file_fd_type descriptor = {.filefd = file};
    struct lws *wsi = lws_adopt_descriptor_vhost(server->inner, LWS_ADOPT_RAW_FILE_DESC, descriptor, protocol, NULL);
    if (wsi == NULL)
        close(file);
    return wsi;
}

/* Whole seconds, and at least one. */
static int seconds_until(lws_usec_t deadline) {
    lws_usec_t left = deadline - lws_now_usecs();
    return left > LWS_US_PER_SEC ? (int)((left + LWS_US_PER_SEC - 1) / LWS_US_PER_SEC) : 1;
}

bool visitor_receive(struct server *server, int file, struct address *address, lws_usec_t deadline,
                     enum visitor_word word) {
    if (address == NULL) {
        close(file);
        return false;
    }
    struct lws *wsi = visitor_watch_file(server, file, "visitor");
    if (wsi == NULL) {
        address_release(&server->addresses, address);
        return false;
    }
    struct reader *reader = lws_wsi_user(wsi);
    visitor_enter(server, &reader->visitor, wsi, address, deadline);
    reader->socket = file;
    reader->word = word;
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, seconds_until(deadline));
    return true;
}

static void forget(struct server *server, struct reader *reader) {
    visitor_leave(server, &reader->visitor);
    free(reader->head);
    reader->head = NULL;
}

/* The end of the head in what came so far, looked for from `from` on; NULL when it is not there yet. */
static const char *find_end(const struct reader *reader, size_t from) {
    static const char end[] = "\r\n\r\n";
    size_t back = from > sizeof end - 2 ? from - (sizeof end - 2) : 0;
    return memmem(reader->head + back, reader->length - back, end, sizeof end - 1);
}

/* A plain answer whose `sentence` ends with a line feed; the connection ends in any case. */
static void say(int file, const char *status, const char *sentence) {
    char answer[512];
    int length = snprintf(answer, sizeof answer,
                          "HTTP/1.1 %s\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s",
                          status, strlen(sentence), sentence);
    ssize_t ignored = send(file, answer, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)ignored;
}

/* libwebsockets closes the file that it watches here, so that the new owner gets one of its own. */
static void hand_over(struct server *server, struct reader *reader) {
    int file = fcntl(reader->socket, F_DUPFD_CLOEXEC, 0);
    char *head = reader->head;
    size_t length = reader->length;
    reader->head = NULL;
    server->arriving = reader->visitor.address;
    server->arriving->references++; /* the new owner's hold, which takes it at one of its first callbacks */
    forget(server, reader);
    if (file >= 0)
        lws_adopt_socket_vhost_readbuf(server->vhost, file, head, length);
    address_release(&server->addresses, server->arriving);
    server->arriving = NULL;
    free(head);
}

/* Reads on; false when the visitor is done with, one way or the other. */
static bool listen_to(struct server *server, struct reader *reader) {
    if (reader->head == NULL)
        reader->head = malloc(HEAD_CAPACITY);
    if (reader->head == NULL)
        return false;
    size_t before = reader->length;
    ssize_t got = read(reader->socket, reader->head + before, HEAD_CAPACITY - before);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got == 0)
        return false;
    reader->length += (size_t)got;
    if (*reader->head < 'A' || *reader->head > 'Z')
        return false; /* no HTTP method begins like that */
    const char *end = find_end(reader, before);
    if (end != NULL && end - reader->head <= SERVER_HEAD_CEILING) {
        hand_over(server, reader);
        return false;
    }
    if (end == NULL && reader->length <= SERVER_HEAD_CEILING)
        return true;
    say(reader->socket, "431 Request Header Fields Too Large", "The head of the request is too long.\n");
    return false;
}

/* The first byte tells who speaks TLS. It stays where it is, for whoever speaks it here. */
static bool hear_knock(struct server *server, struct reader *reader) {
    unsigned char first;
    ssize_t got = recv(reader->socket, &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got == 0)
        return false;
    if (first != TLS_HANDSHAKE_RECORD) {
        say(reader->socket, "400 Bad Request", "This port speaks TLS: use wss:// or https://.\n");
        return false;
    }
    struct address *address = reader->visitor.address;
    lws_usec_t deadline = reader->visitor.deadline;
    int file = fcntl(reader->socket, F_DUPFD_CLOEXEC, 0);
    address->references++;
    forget(server, reader);
    tls_begin(server, file, address, deadline);
    return false;
}

/* False when the visitor is done with here. */
static bool take_in(struct server *server, struct reader *reader) {
    return reader->word == VISITOR_ASKS ? listen_to(server, reader) : hear_knock(server, reader);
}

int visitor_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct reader *reader = user;
    (void)in;
    (void)length;
    switch (reason) {
    case LWS_CALLBACK_RAW_RX_FILE:
        if (reader->visitor.wsi != NULL && take_in(server_of(wsi), reader))
            return 0;
        forget(server_of(wsi), reader);
        return -1;
    case LWS_CALLBACK_RAW_CLOSE_FILE:
        if (reader->visitor.wsi != NULL) /* nobody was done with it but the time */
            server_of(wsi)->metrics.limits[METRICS_LIMIT_HANDSHAKE_TIME]++;
        forget(server_of(wsi), reader);
        return 0;
    default:
        return 0;
    }
}
