#include "relay-ref/adapters/ws_server_door.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections that are taken in one turn of the event loop. */
#define ACCEPTS_A_TURN 64

#define LISTEN_BACKLOG 1024

/* A request's head may not be longer; what came behind it in the same packets has room, too. */
#define HEAD_CAPACITY ((size_t)SERVER_HEAD_CEILING + SERVER_READ_BYTES)

/* ---- the listener ---------------------------------------------------------------------------------- */

static int listen_at(const struct addrinfo *address) {
    const int on = 1;
    int file = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (file < 0)
        return -1;
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(file, address->ai_addr, address->ai_addrlen) == 0 && listen(file, LISTEN_BACKLOG) == 0)
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

static unsigned port_of(int file) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(file, (struct sockaddr *)&address, &length) != 0)
        return 0;
    return address.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&address)->sin6_port)
                                         : ntohs(((struct sockaddr_in *)&address)->sin_port);
}

/* A file of the inner vhost; the event loop owns it from now on, also when this fails. */
static struct lws *watch(struct lws_vhost *vhost, int file, const char *protocol) {
    lws_sock_file_fd_type descriptor = {.filefd = file};
    struct lws *wsi = lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor, protocol, NULL);
    if (wsi == NULL)
        close(file);
    return wsi;
}

unsigned door_open(struct server *server, const char *host, size_t port, char *reason, size_t capacity) {
    char service[8];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *address;
    snprintf(service, sizeof service, "%u", (unsigned)port);
    int error = getaddrinfo(host, service, &hints, &address);
    if (error != 0) {
        snprintf(reason, capacity, "%s", gai_strerror(error));
        return 0;
    }
    int file = listen_at(address);
    if (file < 0)
        snprintf(reason, capacity, "%s", strerror(errno));
    freeaddrinfo(address);
    if (file < 0)
        return 0;
    unsigned actual = port_of(file);
    server->door = watch(server->inner, file, "door");
    if (server->door == NULL) {
        snprintf(reason, capacity, "out of memory");
        return 0;
    }
    return actual;
}

void door_close(struct server *server) {
    if (server->door != NULL)
        lws_set_timeout(server->door, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    server->door = NULL;
}

/* ---- visitors -------------------------------------------------------------------------------------- */

static struct visitor *of_link(struct list_link *link, size_t offset) {
    return (struct visitor *)(void *)((char *)link - offset);
}

static void forget(struct server *server, struct visitor *visitor) {
    if (visitor->wsi == NULL)
        return;
    relay_list_remove(&server->visitors, &visitor->in_visitors);
    server->visitor_count--;
    relay_list_remove(&visitor->address->visitors, &visitor->in_address);
    visitor->address->visitor_count--;
    address_release(&server->addresses, visitor->address);
    visitor->wsi = NULL;
    free(visitor->head);
    visitor->head = NULL;
}

static void send_away(struct server *server, struct visitor *oldest) {
    struct lws *wsi = oldest->wsi;
    server->metrics.limits[METRICS_LIMIT_HANDSHAKES]++;
    forget(server, oldest);
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

/* The one who has stood there longest, here or from the same address, goes for a new one. */
static void make_way(struct server *server, const struct address *address) {
    bool limited = server->flags->max_connections_per_address > 0;
    if (limited && address->visitor_count >= DOOR_VISITORS_PER_ADDRESS)
        send_away(server, of_link(address->visitors.first, offsetof(struct visitor, in_address)));
    else if (server->visitor_count >= DOOR_VISITORS_CEILING)
        send_away(server, of_link(server->visitors.first, offsetof(struct visitor, in_visitors)));
}

static void let_in(struct server *server, int file, const struct sockaddr_storage *from) {
    const int on = 1;
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct address *address = address_hold(&server->addresses, from);
    if (address == NULL) {
        close(file);
        return;
    }
    make_way(server, address);
    struct lws *wsi = watch(server->inner, file, "visitor");
    if (wsi == NULL) {
        address_release(&server->addresses, address);
        return;
    }
    struct visitor *visitor = lws_wsi_user(wsi);
    visitor->wsi = wsi;
    visitor->socket = file;
    visitor->address = address;
    relay_list_append(&server->visitors, &visitor->in_visitors);
    relay_list_append(&address->visitors, &visitor->in_address);
    address->visitor_count++;
    server->visitor_count++;
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, (int)server->flags->handshake_seconds);
}

int door_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    (void)user;
    (void)in;
    (void)length;
    if (reason != LWS_CALLBACK_RAW_RX_FILE)
        return 0;
    struct server *server = server_of(wsi);
    for (int i = 0; i < ACCEPTS_A_TURN; i++) {
        struct sockaddr_storage from = {0};
        socklen_t length_of_it = sizeof from;
        int file = accept4((int)lws_get_socket_fd(wsi), (struct sockaddr *)&from, &length_of_it,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (file < 0)
            break;
        let_in(server, file, &from);
    }
    return 0;
}

/* The end of the head in what came so far, looked for from `from` on; NULL when it is not there yet. */
static const char *find_end(const struct visitor *visitor, size_t from) {
    static const char end[] = "\r\n\r\n";
    size_t back = from > sizeof end - 2 ? from - (sizeof end - 2) : 0;
    return memmem(visitor->head + back, visitor->length - back, end, sizeof end - 1);
}

static void say_head_is_too_long(int file) {
    static const char answer[] =
        "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
        "Content-Type: text/plain\r\nContent-Length: 35\r\n\r\nThe head of the request is too long\n";
    ssize_t ignored = send(file, answer, sizeof answer - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)ignored; /* the connection ends in any case */
}

/* libwebsockets closes the file that it watches here, so that the new owner gets one of its own. */
static void hand_over(struct server *server, struct visitor *visitor) {
    int file = fcntl(visitor->socket, F_DUPFD_CLOEXEC, 0);
    char *head = visitor->head;
    size_t length = visitor->length;
    visitor->head = NULL;
    server->arriving = visitor->address;
    server->arriving->references++; /* the new owner's hold, which takes it at one of its first callbacks */
    forget(server, visitor);
    if (file >= 0)
        lws_adopt_socket_vhost_readbuf(server->vhost, file, head, length);
    address_release(&server->addresses, server->arriving);
    server->arriving = NULL;
    free(head);
}

/* Reads on; false when the visitor is done with, one way or the other. */
static bool listen_to(struct server *server, struct visitor *visitor) {
    if (visitor->head == NULL)
        visitor->head = malloc(HEAD_CAPACITY);
    if (visitor->head == NULL)
        return false;
    size_t before = visitor->length;
    ssize_t got = read(visitor->socket, visitor->head + before, HEAD_CAPACITY - before);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got == 0)
        return false;
    visitor->length += (size_t)got;
    if (*visitor->head < 'A' || *visitor->head > 'Z')
        return false; /* no HTTP method begins like that */
    const char *end = find_end(visitor, before);
    if (end != NULL && end - visitor->head <= SERVER_HEAD_CEILING) {
        hand_over(server, visitor);
        return false;
    }
    if (end == NULL && visitor->length <= SERVER_HEAD_CEILING)
        return true;
    say_head_is_too_long(visitor->socket);
    return false;
}

int visitor_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct visitor *visitor = user;
    (void)in;
    (void)length;
    switch (reason) {
    case LWS_CALLBACK_RAW_RX_FILE:
        if (visitor->wsi != NULL && listen_to(server_of(wsi), visitor))
            return 0;
        forget(server_of(wsi), visitor);
        return -1;
    case LWS_CALLBACK_RAW_CLOSE_FILE:
        if (visitor->wsi != NULL) /* nobody was done with it but the time */
            server_of(wsi)->metrics.limits[METRICS_LIMIT_HANDSHAKE_TIME]++;
        forget(server_of(wsi), visitor);
        return 0;
    default:
        return 0;
    }
}
