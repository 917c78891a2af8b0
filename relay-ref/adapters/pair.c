#include "relay-ref/adapters/pair.h"

#include <stdlib.h>

struct pair {
    struct relay_connection *connection; /* NULL once the client's side has ended */
    struct relay_frame **ring;           /* owned, each frame kept */
    size_t first, count, capacity;
    bool closed; /* the relay closed its end, or the queue overflowed */
    bool told;   /* PAIR_CLOSED was taken */
};

static bool grow(struct pair *pair) {
    size_t capacity = pair->capacity == 0 ? 16 : pair->capacity * 2;
    if (capacity > PAIR_QUEUE_CEILING)
        return false;
    struct relay_frame **ring = malloc(capacity * sizeof(struct relay_frame *));
    if (ring == NULL)
        return false;
    for (size_t i = 0; i < pair->count; i++)
        ring[i] = pair->ring[(pair->first + i) & (pair->capacity - 1)];
    free(pair->ring);
    pair->ring = ring;
    pair->first = 0;
    pair->capacity = capacity;
    return true;
}

/* A client that does not read is cut off, like one whose socket buffer is full: a close, never a hole. */
static void pair_sink_send(void *context, struct relay_frame *frame) {
    struct pair *pair = context;
    if (pair->closed)
        return;
    if (pair->count == pair->capacity && !grow(pair)) {
        pair->closed = true;
        return;
    }
    relay_frame_keep(frame);
    pair->ring[(pair->first + pair->count++) & (pair->capacity - 1)] = frame;
}

static void pair_sink_close(void *context) {
    struct pair *pair = context;
    pair->closed = true;
}

struct pair *pair_open(struct relay *relay, const struct relay_principal *principal) {
    struct pair *pair = calloc(1, sizeof *pair);
    if (pair == NULL)
        return NULL;
    struct relay_sink sink = {pair, pair_sink_send, pair_sink_close};
    pair->connection = relay_connect(relay, &sink, principal);
    if (pair->connection == NULL) {
        free(pair);
        return NULL;
    }
    return pair;
}

void pair_send(struct pair *pair, const char *bytes, size_t length) {
    if (pair->connection != NULL && !pair->closed)
        relay_receive(pair->connection, bytes, length);
}

struct pair_event pair_take(struct pair *pair) {
    if (pair->count > 0) {
        struct relay_frame *frame = pair->ring[pair->first];
        pair->first = (pair->first + 1) & (pair->capacity - 1);
        pair->count--;
        return (struct pair_event){PAIR_MESSAGE, frame};
    }
    if (!pair->closed || pair->told)
        return (struct pair_event){PAIR_NOTHING, NULL};
    pair->told = true;
    return (struct pair_event){PAIR_CLOSED, NULL};
}

void pair_disconnect(struct pair *pair) {
    if (pair->connection == NULL)
        return;
    relay_disconnect(pair->connection);
    pair->connection = NULL;
}

void pair_free(struct pair *pair) {
    if (pair == NULL)
        return;
    pair_disconnect(pair);
    for (size_t i = 0; i < pair->count; i++)
        relay_frame_release(pair->ring[(pair->first + i) & (pair->capacity - 1)]);
    free(pair->ring);
    free(pair);
}
