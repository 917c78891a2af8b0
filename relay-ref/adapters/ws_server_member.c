#include "relay-ref/adapters/ws_server_member.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/ws_server_limits.h"
#include "relay-ref/adapters/ws_server_rooms.h"
#include "relay-ref/adapters/ws_server_sending.h"

/* The longest that a peer has to take what is queued before its close frame, in seconds. */
#define CLOSE_SECONDS 5

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

void member_cut_off(struct member *member) {
    if (member->cut)
        return;
    member->cut = true;
    sending_forget(member);
    part(member);
    lws_set_timeout(member->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

/* eject.all-connections, join.takeover, frame.garbage-isolated, the core's ceilings, and rooms whose file fails */
static void sink_close(void *context) {
    struct member *member = context;
    const struct live *live = &member->server->live;
    enum durable_trouble trouble = live->rooms != NULL ? durable_trouble(live->rooms) : DURABLE_NO_TROUBLE;
    if (trouble != DURABLE_NO_TROUBLE)
        member_close(member, rooms_close_code(trouble), rooms_close_reason(trouble));
    else if (live->limited)
        member_close(member, limits_close_code(live->limit), limits_close_reason(live->limit));
    else
        member_close(member, CLOSE_POLICY, "the relay ended this connection");
}

static void resume(lws_sorted_usec_list_t *timer) {
    struct member *member = lws_container_of(timer, struct member, resume);
    lws_rx_flow_control(member->wsi, 1);
}

static void plan_ping(struct member *member) {
    size_t seconds = member->server->flags->ping_seconds;
    if (seconds > 0)
        lws_set_timer_usecs(member->wsi, (lws_usec_t)seconds * LWS_US_PER_SEC);
}

struct member *member_open(struct server *server, struct lws *wsi, struct address *address,
                           const struct relay_principal *principal) {
    struct member *member = calloc(1, sizeof *member);
    if (member == NULL)
        return NULL;
    member->server = server;
    member->wsi = wsi;
    member->address = address;
    member->queue.total = &server->queued_bytes;
    member->heard = true;
    pace_start(&member->pace, server->flags->max_messages_per_second, (int64_t)lws_now_usecs());
    struct relay_sink sink = {.context = member, .send = sending_send, .close = sink_close};
    member->connection = relay_connect(server->live.relay, &sink, principal);
    if (member->connection == NULL) {
        free(member);
        return NULL;
    }
    relay_list_append(&server->members, &member->in_members);
    server->member_count++;
    address->member_count++;
    server->metrics.connections++;
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
    member->address->member_count--;
    lws_sul_schedule(server->context, 0, &member->resume, resume, LWS_SET_TIMER_USEC_CANCEL);
    message_clear(&member->message);
    sending_forget(member);
    free(member);
}

/* While the server drains, its own time is what counts. */
static int seconds_to_close(const struct server *server) {
    size_t drain = server->draining ? server->flags->drain_seconds : 0;
    return drain > CLOSE_SECONDS ? (int)drain : CLOSE_SECONDS;
}

void member_close(struct member *member, enum close_code code, const char *reason) {
    part(member);
    if (member->cut || member->closing != 0)
        return;
    member->closing = code;
    member->close_reason = reason;
    lws_set_timeout(member->wsi, PENDING_TIMEOUT_USER_OK, seconds_to_close(member->server));
    lws_rx_flow_control(member->wsi, 1); /* the peer's own close frame has to be read */
    lws_callback_on_writable(member->wsi);
}

void member_orphan(struct member *member, enum close_code code, const char *reason) {
    member->connection = NULL;
    message_clear(&member->message);
    member_close(member, code, reason);
}

void member_stop(struct member *member) {
    member->cut = true;
    sending_forget(member);
    part(member);
    members_settle(member->server);
}

void member_peer_closed(struct member *member) {
    lws_set_timeout(member->wsi, PENDING_TIMEOUT_USER_OK, CLOSE_SECONDS);
    member_stop(member);
}

/* Whoever sends faster than it may is read no faster: the messages wait in its own system. */
static void keep_pace(struct member *member) {
    struct server *server = member->server;
    int64_t wait = pace_take(&member->pace, server->flags->max_messages_per_second, (int64_t)lws_now_usecs());
    if (wait == 0 || member->cut || member->closing != 0)
        return;
    server->metrics.limits[METRICS_LIMIT_MESSAGES_PER_SECOND]++;
    lws_rx_flow_control(member->wsi, 0);
    lws_sul_schedule(server->context, 0, &member->resume, resume, wait);
}

static void refuse_message(struct member *member, enum message_step step) {
    if (step == MESSAGE_BINARY)
        member_close(member, CLOSE_NOT_TEXT, "only text messages are understood");
    else if (step == MESSAGE_TOO_LARGE) {
        member->server->metrics.limits[METRICS_LIMIT_MESSAGE_BYTES]++;
        member_close(member, CLOSE_TOO_LARGE, "the message is larger than this relay takes");
    } else if (step == MESSAGE_NOT_UTF8)
        member_close(member, CLOSE_NOT_UTF8, "the message is not UTF-8");
    else
        member_close(member, CLOSE_INTERNAL, "out of memory");
}

static void hand_over(struct member *member) {
    struct server *server = member->server;
    metrics_received(&server->metrics, member->message.whole.length);
    server->live.limited = false;
    relay_receive(member->connection, member->message.whole.bytes, member->message.whole.length);
    server->live.limited = false;
    if (server->rooms != NULL)
        durable_calm(server->rooms);
}

void member_receive(struct member *member, const struct message_piece *piece) {
    member->heard = true;
    if (member->connection == NULL)
        return;
    enum message_step step = message_add(&member->message, piece, member->server->flags->max_message_bytes);
    if (step == MESSAGE_MORE)
        return;
    if (step == MESSAGE_WHOLE)
        hand_over(member);
    else
        refuse_message(member, step);
    members_settle(member->server);
    keep_pace(member);
}

void member_tick(struct member *member) {
    if (!member->heard) {
        member->server->metrics.limits[METRICS_LIMIT_SILENCE]++;
        member_cut_off(member);
        members_settle(member->server);
        return;
    }
    member->heard = false;
    member->ping_due = true;
    lws_callback_on_writable(member->wsi);
    plan_ping(member);
}
