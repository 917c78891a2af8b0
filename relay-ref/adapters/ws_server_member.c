#include "relay-ref/adapters/ws_server_member.h"

#include <stdlib.h>
#include <string.h>

/* The longest that a peer has to take what is queued before its close frame, in seconds. */
#define CLOSE_SECONDS 5

/* Frames and bytes that one connection may send in one turn, so that the others get theirs. A compressor may hold
   output back, which only the next turn sends: no other frame may come before it. */
#define FRAMES_A_TURN 64
#define FRAMES_A_TURN_COMPRESSED 1
#define BYTES_A_TURN ((size_t)1 << 20)

static struct member *of_link(struct list_link *link, size_t offset) {
    return (struct member *)(void *)((char *)link - offset);
}

/* Has the relay's side ended when the present relay call is over: a sink must not call back into the relay. */
static void part(struct member *member) {
    if (member->connection == NULL || member->parting)
        return;
    member->parting = true;
    relay_list_append(&member->server->parting, &member->in_parting);
}

/* Ends a connection that cannot be reasoned with: no close frame, nothing waits for it. */
static void cut_off(struct member *member) {
    if (member->cut)
        return;
    member->cut = true;
    queue_clear(&member->queue);
    part(member);
    lws_set_timeout(member->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

/* The bytes behind the frame that is being sent: that one may be larger than any ceiling, as a snapshot is. */
static size_t waiting_behind(const struct member *member) {
    const struct relay_frame *first = queue_first(&member->queue);
    if (first == NULL || member->in_flight > 0)
        return member->queue.bytes;
    return member->queue.bytes - queue_weight(first);
}

static void sink_send(void *context, struct relay_frame *frame) {
    struct member *member = context;
    if (member->cut || member->closing != 0)
        return;
    bool idle = member->queue.count == 0;
    if (!queue_add(&member->queue, frame) || waiting_behind(member) > member->server->flags->max_waiting_bytes)
        cut_off(member);
    else if (idle)
        lws_callback_on_writable(member->wsi);
}

/* eject.all-connections, join.takeover, frame.garbage-isolated */
static void sink_close(void *context) {
    member_close(context, CLOSE_POLICY, "the relay ended this connection");
}

static void plan_ping(struct member *member) {
    size_t seconds = member->server->flags->ping_seconds;
    if (seconds > 0)
        lws_set_timer_usecs(member->wsi, (lws_usec_t)seconds * LWS_US_PER_SEC);
}

struct member *member_open(struct server *server, struct lws *wsi, const struct relay_principal *principal) {
    struct member *member = calloc(1, sizeof *member);
    if (member == NULL)
        return NULL;
    member->server = server;
    member->wsi = wsi;
    member->heard = true;
    struct relay_sink sink = {.context = member, .send = sink_send, .close = sink_close};
    member->connection = relay_connect(server->live.relay, &sink, principal);
    if (member->connection == NULL) {
        free(member);
        return NULL;
    }
    relay_list_append(&server->members, &member->in_members);
    server->member_count++;
    plan_ping(member);
    return member;
}

void members_settle(struct server *server) {
    while (server->parting.first != NULL) {
        struct member *member = of_link(server->parting.first, offsetof(struct member, in_parting));
        struct relay_connection *connection = member->connection;
        relay_list_remove(&server->parting, &member->in_parting);
        member->parting = false;
        member->connection = NULL;
        message_clear(&member->message);
        relay_disconnect(connection);
    }
}

void member_free(struct member *member) {
    struct server *server = member->server;
    member_stop(member);
    relay_list_remove(&server->members, &member->in_members);
    server->member_count--;
    message_clear(&member->message);
    queue_clear(&member->queue);
    free(member);
}

void member_close(struct member *member, enum close_code code, const char *reason) {
    part(member);
    if (member->cut || member->closing != 0)
        return;
    member->closing = code;
    member->close_reason = reason;
    lws_set_timeout(member->wsi, PENDING_TIMEOUT_USER_OK, CLOSE_SECONDS);
    lws_callback_on_writable(member->wsi);
}

void member_orphan(struct member *member, enum close_code code, const char *reason) {
    member->connection = NULL;
    message_clear(&member->message);
    member_close(member, code, reason);
}

void member_stop(struct member *member) {
    member->cut = true;
    queue_clear(&member->queue);
    part(member);
    members_settle(member->server);
}

void member_peer_closed(struct member *member) {
    lws_set_timeout(member->wsi, PENDING_TIMEOUT_USER_OK, CLOSE_SECONDS);
    member_stop(member);
}

static void refuse_message(struct member *member, enum message_step step) {
    if (step == MESSAGE_BINARY)
        member_close(member, CLOSE_NOT_TEXT, "only text messages are understood");
    else if (step == MESSAGE_TOO_LARGE)
        member_close(member, CLOSE_TOO_LARGE, "the message is larger than this relay takes");
    else if (step == MESSAGE_NOT_UTF8)
        member_close(member, CLOSE_NOT_UTF8, "the message is not UTF-8");
    else
        member_close(member, CLOSE_INTERNAL, "out of memory");
}

void member_receive(struct member *member, const struct message_piece *piece) {
    member->heard = true;
    if (member->connection == NULL)
        return;
    enum message_step step = message_add(&member->message, piece, member->server->flags->max_message_bytes);
    if (step == MESSAGE_MORE)
        return;
    if (step == MESSAGE_WHOLE)
        relay_receive(member->connection, member->message.whole.bytes, member->message.whole.length);
    else
        refuse_message(member, step);
    members_settle(member->server);
}

void member_tick(struct member *member) {
    if (!member->heard) {
        cut_off(member);
        members_settle(member->server);
        return;
    }
    member->heard = false;
    member->ping_due = true;
    lws_callback_on_writable(member->wsi);
    plan_ping(member);
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
            member->in_flight = queue_weight(frame);
        queue_drop_first(&member->queue);
    }
    return true;
}

bool member_writable(struct member *member) {
    if (member->cut)
        return true;
    member->in_flight = 0;
    if (member->ping_due && member->closing == 0 && !send_ping(member))
        return false;
    if (!send_frames(member))
        return false;
    if (member->queue.count > 0 || member->in_flight > 0) {
        lws_callback_on_writable(member->wsi);
        return true;
    }
    if (member->closing == 0)
        return true;
    lws_close_reason(member->wsi, (enum lws_close_status)member->closing,
                     (unsigned char *)(uintptr_t)member->close_reason, strlen(member->close_reason));
    return false;
}
