#include "relay-ref/bench/support/bench_client.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES ((size_t)256 << 10)
#define MOST_FLAGS 16

void bench_give_up(const char *what) {
    perror(what);
    exit(1);
}

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void write_all(int file, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(file, bytes, length, MSG_NOSIGNAL);
        if (sent < 0)
            bench_give_up("send");
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* The masking key is zero, which leaves the payload as it is. */
void bench_send(const struct client *client, const char *text, size_t length) {
    unsigned char head[14] = {0x81, 0x80};
    size_t width = length < 126 ? 0 : length < 65536 ? 2 : 8;
    head[1] = (unsigned char)(0x80 | (width == 0 ? length : width == 2 ? 126 : 127));
    for (size_t i = 0; i < width; i++)
        head[2 + i] = (unsigned char)(length >> (8 * (width - 1 - i)));
    char *frame = malloc(2 + width + 4 + length);
    if (frame == NULL)
        bench_give_up("malloc");
    memcpy(frame, head, 2 + width + 4);
    memcpy(frame + 2 + width + 4, text, length);
    write_all(client->socket, frame, 2 + width + 4 + length);
    free(frame);
}

/* The header's length, 0 when more of it must come; sets the payload's length. */
static size_t read_head(const unsigned char *head, size_t length, uint64_t *payload) {
    size_t wanted = length < 2 ? 2 : head[1] == 127 ? 10 : head[1] == 126 ? 4 : 2;
    if (length < wanted)
        return 0;
    *payload = head[1];
    if (wanted > 2) {
        *payload = 0;
        for (size_t i = 2; i < wanted; i++)
            *payload = *payload << 8 | head[i];
    }
    return wanted;
}

static void take(struct client *client, const unsigned char *bytes, size_t length) {
    while (length > 0) {
        if (client->skip > 0) {
            size_t part = client->skip < length ? (size_t)client->skip : length;
            client->skip -= part;
            client->bytes += part;
            bytes += part;
            length -= part;
            client->frames += client->skip == 0;
            continue;
        }
        client->head[client->head_length++] = *bytes++;
        length--;
        uint64_t payload;
        if (read_head(client->head, client->head_length, &payload) > 0) {
            client->head_length = 0;
            client->skip = payload;
        }
    }
}

void bench_receive_some(struct client *client) {
    static unsigned char bytes[READ_BYTES];
    ssize_t got = recv(client->socket, bytes, sizeof bytes, 0);
    if (got <= 0)
        bench_give_up("recv");
    take(client, bytes, (size_t)got);
}

void bench_wait_for_frames(struct client *client, uint64_t frames) {
    while (client->frames < frames)
        bench_receive_some(client);
}

struct client bench_connect(unsigned port, int number) {
    struct client client = {.socket = socket(AF_INET, SOCK_STREAM, 0)};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int on = 1;
    char text[512], answer[1024] = "";
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (client.socket < 0 || connect(client.socket, (struct sockaddr *)&address, sizeof address) != 0)
        bench_give_up("connect");
    setsockopt(client.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    snprintf(text, sizeof text,
             "GET /?writer=w%d HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
             number);
    write_all(client.socket, text, strlen(text));
    for (size_t length = 0; strstr(answer, "\r\n\r\n") == NULL; length++)
        if (length == sizeof answer - 1 || recv(client.socket, answer + length, 1, 0) != 1)
            bench_give_up("handshake");
    return client;
}

struct client bench_join(unsigned port, int number, const char *room) {
    struct client client = bench_connect(port, number);
    char text[512];
    int length =
        snprintf(text, sizeof text,
                 "{\"t\":\"hello\",\"room\":\"%s\",\"origin\":\"o%d\",\"proto\":1,\"policyVersion\":0}", room, number);
    bench_send(&client, text, (size_t)length);
    bench_wait_for_frames(&client, 1);
    return client;
}

/* ---- the relay ---------------------------------------------------------------------------------- */

static const char *program_beside(const char *self, char *memory, size_t capacity) {
    const char *folder_end = strrchr(self, '/'), *program = getenv("MESHSPEC_RELAY");
    snprintf(memory, capacity, "%.*s/../meshspec-relay", (int)(folder_end != NULL ? folder_end - self : 1),
             folder_end != NULL ? self : ".");
    return program != NULL ? program : memory;
}

static void become_relay(const char *program, const char *const *flags, int out) {
    char *arguments[MOST_FLAGS + 2] = {strdup(program)};
    for (size_t i = 0; i < MOST_FLAGS && flags[i] != NULL; i++)
        arguments[i + 1] = strdup(flags[i]);
    dup2(out, STDOUT_FILENO);
    execv(program, arguments);
    bench_give_up(program);
}

pid_t bench_start_relay(const char *self, const char *const *flags, unsigned *port) {
    char memory[4096];
    const char *program = program_beside(self, memory, sizeof memory);
    int ends[2];
    if (pipe(ends) != 0)
        bench_give_up("pipe");
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_relay(program, flags, ends[1]);
    }
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "r");
    if (child < 0 || lines == NULL || fscanf(lines, "listening ws://127.0.0.1:%u/", port) != 1) {
        fprintf(stderr, "%s did not say where it listens\n", program);
        exit(1);
    }
    fclose(lines);
    return child;
}

int bench_stop_relay(pid_t relay) {
    int status;
    kill(relay, SIGTERM);
    waitpid(relay, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
