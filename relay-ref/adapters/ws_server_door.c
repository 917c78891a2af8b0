#include "relay-ref/adapters/ws_server_door.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay-ref/adapters/ws_server_visitor.h"

/* Connections that are taken in one turn of the event loop. */
#define ACCEPTS_A_TURN 64

#define LISTEN_BACKLOG 1024

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
    server->door = visitor_watch_file(server, file, "door");
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

static void let_in(struct server *server, int file, const struct sockaddr_storage *from) {
    const int on = 1;
    struct address *address = address_hold(&server->addresses, from);
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    visitor_receive(server, file, address, lws_now_usecs() + (lws_usec_t)server->flags->handshake_seconds * LWS_US_PER_SEC,
                    server->tls != NULL ? VISITOR_KNOCKS : VISITOR_ASKS);
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
