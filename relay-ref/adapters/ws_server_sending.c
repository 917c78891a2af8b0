#include "relay-ref/adapters/ws_server_sending.h"

#include <string.h>

#include "relay-ref/adapters/ws_server_rooms.h"

/* Frames and bytes that one connection may send in one turn, so that the others get theirs. A compressor may hold
   output back, which only the next turn sends: no other frame may come before it. */
#define FRAMES_A_TURN 64
#define FRAMES_A_TURN_COMPRESSED 1
#define BYTES_A_TURN ((size_t)1 << 20)

static struct member *in_members(struct list_link *link) {
    return (struct member *)(void *)((char *)link - offsetof(struct member, in_members));
}

static struct member *in_held(struct list_link *link) {
    return (struct member *)(void *)((char *)link - offsetof(struct member, in_held));
}

/* What libwebsockets has, but not yet sent whole. */
static void set_in_flight(struct member *member, size_t bytes) {
    member->server->queued_bytes += bytes - member->in_flight;
    member->in_flight = bytes;
}

static size_t queued(const struct member *member) {
    return member->queue.bytes + member->in_flight;
}

static void stop_holding(struct member *member) {
    if (!member->holding)
        return;
    member->holding = false;
    relay_list_remove(&member->server->held, &member->in_held);
}

void sending_forget(struct member *member) {
    stop_holding(member);
    queue_clear(&member->queue);
    set_in_flight(member, 0);
}

/* The bytes behind the frame that is being sent: that one may be larger than any ceiling, as a snapshot is. */
static size_t waiting_behind(const struct member *member) {
    const struct frame_queue *queue = &member->queue;
    if (queue->count == 0 || member->in_flight > 0)
        return queue->bytes;
    return queue->bytes - queue_weight(queue->ring[queue->first]);
}

static void cut_off_slow_reader(struct member *member, enum metrics_limit limit) {
    member->server->metrics.limits[limit]++;
    member_cut_off(member);
}

/* Who is the slowest by what waits for it goes first, and as many as it takes. */
static void relieve(struct server *server) {
    while (server->queued_bytes > server->flags->max_waiting_bytes_in_all) {
        struct member *heaviest = NULL;
        for (struct list_link *link = server->members.first; link != NULL; link = link->next) {
            struct member *member = in_members(link);
            if (!member->cut && (heaviest == NULL || queued(member) > queued(heaviest)))
                heaviest = member;
        }
        if (heaviest == NULL)
            return;
        cut_off_slow_reader(heaviest, METRICS_LIMIT_WAITING_BYTES_IN_ALL);
    }
}

/* durable.hold: nothing that was caused in a turn is heard of before the turn is on the disk. All of it waits, so that
   its order is what it always is. */
static void hold_last(struct member *member) {
    member->queue.held++;
    if (member->holding)
        return;
    member->holding = true;
    relay_list_append(&member->server->held, &member->in_held);
}

void sending_release(struct server *server, bool lost) {
    while (server->held.first != NULL) {
        struct member *member = in_held(server->held.first);
        stop_holding(member);
        if (lost && member->closing != 0)
            queue_drop_held(&member->queue);
        member->queue.held = 0;
        lws_callback_on_writable(member->wsi);
    }
}

void sending_send(void *context, struct relay_frame *frame) {
    struct member *member = context;
    if (member->cut || member->closing != 0)
        return;
    struct server *server = member->server;
    bool idle = member->queue.count == 0;
    metrics_sent(&server->metrics, frame);
    if (!queue_add(&member->queue, frame)) {
        member_cut_off(member);
        return;
    }
    if (rooms_hold(server))
        hold_last(member);
    if (waiting_behind(member) > server->flags->max_waiting_bytes)
        cut_off_slow_reader(member, METRICS_LIMIT_WAITING_BYTES);
    else if (idle)
        lws_callback_on_writable(member->wsi);
    relieve(server);
}

/* With a payload: libwebsockets keeps an empty pong to itself. */
static bool send_ping(struct member *member) {
    unsigned char memory[LWS_PRE + 1] = {0};
    member->ping_due = false;
    return lws_write(member->wsi, memory + LWS_PRE, 1, LWS_WRITE_PING) >= 0;
}

/* Sends frames until the socket takes no more, the turn is over or none is left. */
static bool send_frames(struct member *member) {
    size_t sent = 0;
    int most = member->server->flags->deflate ? FRAMES_A_TURN_COMPRESSED : FRAMES_A_TURN;
    for (int i = 0; i < most && sent < BYTES_A_TURN && member->in_flight == 0; i++) {
        struct relay_frame *frame = queue_first(&member->queue);
        if (frame == NULL)
            break;
        if (lws_write(member->wsi, (unsigned char *)frame->text, frame->length, LWS_WRITE_TEXT) < 0)
            return false;
        sent += frame->length;
        if (lws_partial_buffered(member->wsi))
            set_in_flight(member, queue_weight(frame));
        queue_drop_first(&member->queue);
    }
    return true;
}

bool sending_writable(struct member *member) {
    if (member->cut)
        return true;
    set_in_flight(member, 0);
    if (member->ping_due && member->closing == 0 && !send_ping(member))
        return false;
    if (!send_frames(member))
        return false;
    if (queue_first(&member->queue) != NULL || member->in_flight > 0)
        lws_callback_on_writable(member->wsi);
    if (member->queue.count > 0 || member->in_flight > 0)
        return true;
    if (member->closing == 0)
        return true;
    lws_close_reason(member->wsi, (enum lws_close_status)member->closing,
                     (unsigned char *)(uintptr_t)member->close_reason, strlen(member->close_reason));
    return false;
}
