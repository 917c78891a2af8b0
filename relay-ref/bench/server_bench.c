/*
 * Measures the relay behind its WebSockets, on loopback: echo round trips of one client, and deliveries to fifty
 * members of one room. The relay is a process of its own, as in earnest: MESHSPEC_RELAY names it (default:
 * meshspec-relay beside this program's folder).
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMBERS 50
#define ROUND_TRIPS 20000
#define ENVELOPES 4000
#define UNDER_WAY 64 /* envelopes that the writer sends ahead of their echoes */
#define READ_BYTES ((size_t)256 << 10)

/* A client that only counts: text frames that came in, apart from the first few of a join. */
struct client {
    int socket;
    uint64_t frames;
    uint64_t skip;          /* bytes of the present frame's payload that are still to come */
    unsigned char head[10]; /* of a frame whose header came in pieces */
    size_t head_length;
};

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void write_all(int file, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(file, bytes, length, MSG_NOSIGNAL);
        if (sent < 0)
            give_up("send");
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* One text frame; its masking key is zero, which leaves the payload as it is. */
static void send_text(const struct client *client, const char *text) {
    char frame[1024];
    size_t length = strlen(text);
    size_t head = length < 126 ? 6 : 8;
    frame[0] = (char)0x81;
    frame[1] = (char)(0x80 | (length < 126 ? length : 126));
    if (length >= 126) {
        frame[2] = (char)(length >> 8);
        frame[3] = (char)length;
    }
    memset(frame + head - 4, 0, 4);
    memcpy(frame + head, text, length);
    write_all(client->socket, frame, head + length);
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

static void receive_some(struct client *client) {
    static unsigned char bytes[READ_BYTES];
    ssize_t got = recv(client->socket, bytes, sizeof bytes, 0);
    if (got <= 0)
        give_up("recv");
    take(client, bytes, (size_t)got);
}

static void wait_for_frames(struct client *client, uint64_t frames) {
    while (client->frames < frames)
        receive_some(client);
}

static struct client join(unsigned port, int number) {
    struct client client = {.socket = socket(AF_INET, SOCK_STREAM, 0)};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int on = 1;
    char text[512], answer[1024] = "";
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (client.socket < 0 || connect(client.socket, (struct sockaddr *)&address, sizeof address) != 0)
        give_up("connect");
    setsockopt(client.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    snprintf(text, sizeof text,
             "GET /?writer=w%d HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
             number);
    write_all(client.socket, text, strlen(text));
    for (size_t length = 0; strstr(answer, "\r\n\r\n") == NULL; length++)
        if (length == sizeof answer - 1 || recv(client.socket, answer + length, 1, 0) != 1)
            give_up("handshake");
    snprintf(text, sizeof text,
             "{\"t\":\"hello\",\"room\":\"bench\",\"origin\":\"o%d\",\"proto\":1,\"policyVersion\":0}", number);
    send_text(&client, text);
    wait_for_frames(&client, 1);
    return client;
}

static void send_envelope(const struct client *client, int version) {
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"t\":\"env\",\"room\":\"bench\",\"env\":{\"proto\":1,\"origin\":\"o0\",\"writer\":\"w0\",\"version\":%d,"
        "\"hlc\":{\"p\":1700000000000,\"l\":%d},\"policyVersion\":0,\"ops\":[{\"kind\":\"set\",\"path\":[\"notes\","
        "\"n1\"],"
        "\"next\":\"a short text\"}]}}",
        version, version);
    send_text(client, text);
}

static void measure_round_trips(struct client *client) {
    uint64_t before = client->frames;
    double start = seconds_now();
    for (int i = 1; i <= ROUND_TRIPS; i++) {
        send_envelope(client, i);
        wait_for_frames(client, before + (uint64_t)i);
    }
    printf("echo round trips, 1 client: %.0f a second\n", ROUND_TRIPS / (seconds_now() - start));
}

/* True while some member still lacks frames; waits until one has more to read. */
static bool poll_members(struct client *members, const uint64_t *wanted) {
    struct pollfd files[MEMBERS];
    bool lacking = false;
    for (int i = 0; i < MEMBERS; i++) {
        files[i] = (struct pollfd){.fd = members[i].socket, .events = POLLIN};
        lacking = lacking || members[i].frames < wanted[i];
    }
    if (!lacking || poll(files, MEMBERS, -1) < 0)
        return false;
    for (int i = 0; i < MEMBERS; i++)
        if (files[i].revents != 0)
            receive_some(&members[i]);
    return true;
}

static void measure_deliveries(struct client *members) {
    uint64_t wanted[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        wait_for_frames(&members[i], (uint64_t)(MEMBERS - i)); /* its welcome, and those who joined after it */
        wanted[i] = members[i].frames + ENVELOPES;
    }
    uint64_t echoed = members[0].frames;
    double start = seconds_now();
    int sent = 0;
    do {
        while (sent < ENVELOPES && (uint64_t)sent < members[0].frames - echoed + UNDER_WAY)
            send_envelope(&members[0], ++sent);
    } while (poll_members(members, wanted));
    printf("deliveries, %d members: %.0f a second\n", MEMBERS, ENVELOPES * (double)MEMBERS / (seconds_now() - start));
}

static pid_t start_relay(const char *program, unsigned *port) {
    int ends[2];
    if (pipe(ends) != 0)
        give_up("pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execl(program, program, "--max-messages-per-second", "0", (char *)NULL);
        give_up(program);
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

int main(int argc, char **argv) {
    (void)argc;
    char beside[4096];
    const char *folder_end = strrchr(argv[0], '/');
    snprintf(beside, sizeof beside, "%.*s/../meshspec-relay", (int)(folder_end != NULL ? folder_end - argv[0] : 1),
             folder_end != NULL ? argv[0] : ".");
    const char *program = getenv("MESHSPEC_RELAY");
    unsigned port;
    pid_t relay = start_relay(program != NULL ? program : beside, &port);
    struct client members[MEMBERS];
    members[0] = join(port, 0);
    measure_round_trips(&members[0]);
    members[0].frames = 1;
    for (int i = 1; i < MEMBERS; i++)
        members[i] = join(port, i);
    measure_deliveries(members);
    for (int i = 0; i < MEMBERS; i++)
        close(members[i].socket);
    kill(relay, SIGTERM);
    int status;
    waitpid(relay, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
