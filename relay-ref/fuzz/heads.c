/*
 * What a stranger sends to the ports of the server: the heads of WebSocket handshakes with what comes behind them, control commands,
 * requests for metrics. A whole server runs in a thread of this process; the first byte of the input says which port, the second into
 * how many pieces the rest is cut. Whatever comes, the answer is HTTP or a frame behind it, and the server goes on serving.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/fuzz/support/bytes.h"
#include "relay-ref/adapters/ws_server.h"

#define PORTS 3
#define ANSWER_CEILING 65536
#define LIMIT_MS 10000
#define HEALTH_EVERY 256 /* inputs */

/* libFuzzer calls without a context. */
static unsigned short ports[PORTS];
static FILE *server_out;

static void *serve(void *context) {
    (void)context;
    static char *arguments[] = {"meshspec-relay", "--port", "0", "--control", "0", "--metrics", "0", "--max-rooms", "50", NULL};
    struct server_flags flags;
    char reason[256];
    if (flags_read((int)(sizeof arguments / sizeof *arguments) - 1, arguments, &flags, reason, sizeof reason) != FLAGS_RUN)
        found("the flags are refused: %s", reason);
    server_run(&flags, server_out, stderr);
    found("the server ended");
    return NULL;
}

static void read_ports(FILE *in) {
    static const char *const starts[PORTS] = {"listening ws://", "control http://", "metrics http://"};
    char line[256];
    for (size_t read = 0; read < PORTS && fgets(line, sizeof line, in) != NULL;)
        for (size_t i = 0; i < PORTS; i++)
            if (strncmp(line, starts[i], strlen(starts[i])) == 0) {
                ports[i] = (unsigned short)atoi(strrchr(line, ':') + 1);
                read++;
            }
}

static void start(void) {
    int ends[2];
    pthread_t thread;
    if (pipe(ends) != 0 || (server_out = fdopen(ends[1], "w")) == NULL || pthread_create(&thread, NULL, serve, NULL) != 0)
        found("no server could be started");
    FILE *in = fdopen(ends[0], "r");
    read_ports(in);
}

static int reach(size_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(ports[port]), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int file = socket(AF_INET, SOCK_STREAM, 0);
    if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) != 0)
        found("the server does not take connections any more");
    return file;
}

/* Reads until the server has closed, or `enough` has come. */
static size_t answer_of(int file, char *answer, const char *enough) {
    size_t length = 0;
    for (;;) {
        struct pollfd wait = {.fd = file, .events = POLLIN};
        if (poll(&wait, 1, LIMIT_MS) == 0)
            found("the server neither answered nor closed");
        ssize_t got = read(file, answer + length, ANSWER_CEILING - 1 - length);
        if (got <= 0 || length + (size_t)got == ANSWER_CEILING - 1)
            break;
        length += (size_t)got;
        answer[length] = '\0';
        if (enough != NULL && strstr(answer, enough) != NULL)
            break;
    }
    answer[length] = '\0';
    return length;
}

static void send_pieces(int file, const char *bytes, size_t length, size_t pieces) {
    size_t piece = length / pieces + 1;
    while (length > 0) {
        size_t now = length < piece ? length : piece;
        if (send(file, bytes, now, MSG_NOSIGNAL) != (ssize_t)now)
            return; /* it has closed already */
        bytes += now;
        length -= now;
    }
}

/* Somebody who behaves is still served. */
static void check_health(void) {
    static const char head[] = "GET /?writer=ana HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                               "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    char answer[ANSWER_CEILING];
    int file = reach(0);
    send_pieces(file, head, sizeof head - 1, 1);
    answer_of(file, answer, "\r\n\r\n");
    if (strncmp(answer, "HTTP/1.1 101 ", 13) != 0)
        found("a good handshake was answered %s", answer);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static unsigned inputs;
    char answer[ANSWER_CEILING];
    if (size < 3)
        return 0;
    if (ports[0] == 0)
        start();
    int file = reach(data[0] % PORTS);
    send_pieces(file, (const char *)data + 2, size - 2, data[1] % 4 + (size_t)1);
    shutdown(file, SHUT_WR);
    size_t length = answer_of(file, answer, NULL);
    close(file);
    if (length > 0 && strncmp(answer, "HTTP/1.", 7) != 0)
        found("an answer that is no HTTP: %s", answer);
    if (++inputs % HEALTH_EVERY == 0)
        check_health();
    return 0;
}
