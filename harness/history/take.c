/* Reading a history event by event. */
#include "harness/history/state.h"

static struct room *room_of(struct history *history, struct text name) {
    for (struct room *room = history->rooms; room != NULL; room = room->next) {
        if (!room->ended && text_equal(room->name, name)) {
            return room;
        }
    }
    struct room *room = arena_alloc(history->arena, sizeof *room);
    *room = (struct room){.name = name, .next = history->rooms};
    history->rooms = room;
    return room;
}

static struct view *view_of(const struct history *history, int connection, struct text room) {
    for (struct view *view = history->views; view != NULL; view = view->next) {
        if (!view->ended && view->connection == connection && text_equal(view->room->name, room)) {
            return view;
        }
    }
    return NULL;
}

static struct hello *hello_of(const struct history *history, int connection, struct text room) {
    for (struct hello *hello = history->hellos; hello != NULL; hello = hello->next) {
        if (hello->connection == connection && text_equal(hello->room, room)) {
            return hello;
        }
    }
    return NULL;
}

/* ---- what was sent ---- */

/* A hello without an origin is no hello: it is not answered (frame.garbage-isolated). */
static void sent_hello(struct history *history, const struct history_event *event, struct text room) {
    if (history_string(event->message, "origin").bytes == NULL) {
        return;
    }
    struct hello *hello = arena_alloc(history->arena, sizeof *hello);
    *hello = (struct hello){.connection = event->connection, .room = room, .origin = history_string(event->message, "origin"),
                            .message = event->message, .seen = room_of(history, room)->highest};
    struct hello **end = &history->hellos;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = hello;
}

static void sent_envelope(struct history *history, const struct history_event *event, struct text name, size_t index) {
    const struct json_value *envelope = json_get(event->message, "env");
    if (envelope == NULL || envelope->type != JSON_OBJECT) {
        return;
    }
    struct room *room = room_of(history, name);
    struct sent *sent = arena_alloc(history->arena, sizeof *sent);
    *sent = (struct sent){.connection = event->connection, .envelope = envelope, .event = index,
                          .member = view_of(history, event->connection, name) != NULL};
    if (room->sent_last == NULL) {
        room->sent = sent;
    } else {
        room->sent_last->next = sent;
    }
    room->sent_last = sent;
}

/* A presence behind a hello that is still unanswered belongs to the membership that the hello begins. */
static void sent_presence(struct history *history, const struct history_event *event, struct text room) {
    struct hello *hello = hello_of(history, event->connection, room);
    struct view *view = view_of(history, event->connection, room);
    if (hello != NULL) {
        hello->presence = event->message;
    } else if (view != NULL) {
        view->presence = event->message;
    }
}

static void take_sent(struct history *history, const struct history_event *event, size_t index) {
    const struct json_value *type = json_get(event->message, "t");
    struct text room = history_string(event->message, "room");
    if (room.bytes == NULL) {
        return;
    }
    if (json_is_string(type, "hello")) {
        sent_hello(history, event, room);
    } else if (json_is_string(type, "env")) {
        sent_envelope(history, event, room, index);
    } else if (json_is_string(type, "presence")) {
        sent_presence(history, event, room);
    }
}

/* ---- sets of origins ---- */

static void forget(struct names_seen **list, struct text origin) {
    for (struct names_seen **at = list; *at != NULL; at = &(*at)->next) {
        if (text_equal((*at)->origin, origin)) {
            *at = (*at)->next;
            return;
        }
    }
}

static void learn(struct history *history, struct names_seen **list, struct text origin, const struct json_value *peer) {
    forget(list, origin);
    struct names_seen *seen = arena_alloc(history->arena, sizeof *seen);
    *seen = (struct names_seen){origin, peer, *list};
    *list = seen;
}

/* ---- what was received ---- */

static void check_delta(struct history *history, struct room *room, const struct hello *hello, const struct json_value *welcome,
                        uint64_t seq, size_t index) {
    uint64_t from = 0;
    const struct json_value *envelopes = json_get(welcome, "envs");
    if (!history_seq(hello->message, "seq", &from) || envelopes == NULL || envelopes->type != JSON_ARRAY) {
        return;
    }
    uint64_t expected = from + 1;
    for (const struct json_value *envelope = envelopes->first; envelope != NULL; envelope = envelope->next, expected++) {
        uint64_t own = 0;
        if (!history_seq(envelope, "seq", &own) || own != expected) {
            history_breaks(history, "history.no-loss", index, "a delta from seq %llu must go on with seq %llu, it has %llu",
                           (unsigned long long)from, (unsigned long long)expected, (unsigned long long)own);
            return;
        }
        history_order(history, room, own, envelope, index);
    }
    if (from <= seq && expected != seq + 1) {
        history_breaks(history, "history.no-loss", index, "a delta from seq %llu in a room at %llu ends at %llu", (unsigned long long)from,
                       (unsigned long long)seq, (unsigned long long)expected - 1);
    }
}

static void check_mode(struct history *history, struct room *room, const struct hello *hello, const struct json_value *welcome,
                       uint64_t seq, size_t index) {
    const struct json_value *mode = json_get(welcome, "mode");
    uint64_t from = 0;
    if (json_is_string(mode, "delta")) {
        check_delta(history, room, hello, welcome, seq, index);
    } else if (json_is_string(mode, "snapshot")) {
        history_add_snapshot(history, room, seq, json_get(welcome, "root"), json_get(welcome, "registers"), index);
    } else if (json_is_string(mode, "up-to-date") && seq > 0 && (!history_seq(hello->message, "seq", &from) || from != seq)) {
        history_breaks(history, "history.no-loss", index, "a client at seq %llu is told that it is up to date in a room at %llu",
                       (unsigned long long)from, (unsigned long long)seq);
    }
}

static void take_roster(struct history *history, struct view *view, const struct json_value *welcome) {
    const struct json_value *members = json_get(welcome, "members");
    const struct json_value *peers = json_get(welcome, "peers");
    for (const struct json_value *name = members == NULL ? NULL : members->first; name != NULL; name = name->next) {
        learn(history, &view->members, name->text, NULL);
    }
    for (const struct json_value *peer = peers == NULL ? NULL : peers->first; peer != NULL; peer = peer->next) {
        learn(history, &view->peers, history_string(peer, "origin"), peer);
    }
}

/* generation.rewelcome: what a migration leaves, without having been asked for. */
static void take_new_welcome(struct history *history, struct view *view, const struct json_value *welcome, uint64_t seq, size_t index) {
    if (seq + 1 != view->expected) {
        history_breaks(history, "history.no-loss", index, "a new welcome at seq %llu comes to a member at seq %llu", (unsigned long long)seq,
                       (unsigned long long)view->expected - 1);
    }
    view->members = view->peers = NULL;
    take_roster(history, view, welcome);
    /* Its own presence may stand among the peers: it was there before. */
    forget(&view->peers, view->origin);
    if (json_is_string(json_get(welcome, "mode"), "snapshot")) {
        history_add_snapshot(history, view->room, seq, NULL, json_get(welcome, "registers"), index);
    }
}

/*
 * The hello that a welcome answers, taken off the list: the oldest. Where commits are held the newest, for one that is sent while the welcome of another waits takes
 * its place; `*alone` is false when that was so, and then it is not certain which one was answered.
 */
static struct hello *answered_hello(struct history *history, int connection, struct text room, bool *alone) {
    struct hello *answered = NULL;
    *alone = true;
    for (struct hello **at = &history->hellos; *at != NULL;) {
        bool fits = (*at)->connection == connection && text_equal((*at)->room, room);
        if (!fits || (answered != NULL && !history->settings->held)) {
            at = &(*at)->next;
            continue;
        }
        *alone = answered == NULL;
        answered = *at;
        *at = (*at)->next;
    }
    return answered;
}

static void take_welcome(struct history *history, const struct history_event *event, struct text name, size_t index) {
    bool alone;
    struct hello *hello;
    struct view *member = view_of(history, event->connection, name);
    uint64_t seq;
    if (!history_seq(event->message, "seq", &seq)) {
        return;
    }
    hello = answered_hello(history, event->connection, name, &alone);
    if (hello == NULL) {
        if (member != NULL && history->settings->wire >= 3) {
            take_new_welcome(history, member, event->message, seq, index);
        }
        return;
    }
    if (member != NULL) {
        member->ended = true;
    }
    struct room *room = room_of(history, name);
    struct view *view = arena_alloc(history->arena, sizeof *view);
    *view = (struct view){.connection = event->connection, .room = room, .origin = hello->origin, .expected = seq + 1,
                          .presence = hello->presence, .next = history->views};
    history->views = view;
    if (seq < hello->seen) {
        history_breaks(history, "history.no-loss", index, "the room is at seq %llu, though seq %llu had been seen before the hello",
                       (unsigned long long)seq, (unsigned long long)hello->seen);
    }
    take_roster(history, view, event->message);
    if (alone) {
        check_mode(history, room, hello, event->message, seq, index);
    }
}

static bool was_ejected(const struct view *view, struct text writer) {
    for (const struct ejected *ejected = view->ejected; ejected != NULL; ejected = ejected->next) {
        if (text_equal(ejected->writer, writer)) {
            return true;
        }
    }
    return false;
}

static void take_envelope(struct history *history, struct view *view, const struct json_value *message, size_t index) {
    const struct json_value *envelope = json_get(message, "env");
    uint64_t seq = 0;
    if (!history_seq(envelope, "seq", &seq) || seq != view->expected) {
        history_breaks(history, "history.dense", index, "the next envelope must have seq %llu, it has %llu",
                       (unsigned long long)view->expected, (unsigned long long)seq);
        return;
    }
    view->expected++;
    struct text writer = history_string(envelope, "writer");
    bool may_go_on = history->settings->held || history->settings->ejects_connections;
    if (writer.bytes != NULL && !may_go_on && was_ejected(view, writer)) {
        history_breaks(history, "history.isolation", index, "an envelope of %.*s comes after the ejection of that writer",
                       (int)writer.length, writer.bytes);
    }
    history_order(history, view->room, seq, envelope, index);
}

static void take_note(struct history *history, struct view *view, const struct json_value *message) {
    const struct json_value *type = json_get(message, "t");
    bool gone = json_get(message, "gone") != NULL;
    const struct json_value *peer = json_get(message, "peer");
    if (json_is_string(type, "eject")) {
        struct ejected *ejected = arena_alloc(history->arena, sizeof *ejected);
        *ejected = (struct ejected){history_string(message, "writer"), view->ejected};
        view->ejected = ejected;
    } else if (json_is_string(type, "member") && gone) {
        forget(&view->members, history_string(message, "origin"));
    } else if (json_is_string(type, "member")) {
        learn(history, &view->members, history_string(message, "origin"), NULL);
    } else if (json_is_string(type, "presence") && gone) {
        forget(&view->peers, history_string(peer, "origin"));
    } else if (json_is_string(type, "presence")) {
        learn(history, &view->peers, history_string(peer, "origin"), peer);
    }
}

/* join.reject-keeps-membership: a presence announced behind the hello belongs to the membership that stays. */
static void take_reject(struct history *history, int connection, struct text room) {
    struct hello **rejected = NULL;
    for (struct hello **at = &history->hellos; *at != NULL; at = &(*at)->next) {
        bool fits = (*at)->connection == connection && text_equal((*at)->room, room);
        /* A rejection passes the welcome that is held for an earlier hello. */
        if (fits && (rejected == NULL || history->settings->held)) {
            rejected = at;
        }
    }
    if (rejected == NULL) {
        return;
    }
    struct view *view = view_of(history, connection, room);
    if (view != NULL && (*rejected)->presence != NULL) {
        view->presence = (*rejected)->presence;
    }
    *rejected = (*rejected)->next;
}

static void take_received(struct history *history, const struct history_event *event, size_t index) {
    const struct json_value *type = json_get(event->message, "t");
    struct text room = history_string(event->message, "room");
    if (room.bytes == NULL) {
        return;
    }
    if (json_is_string(type, "welcome")) {
        take_welcome(history, event, room, index);
        return;
    }
    if (json_is_string(type, "reject")) {
        take_reject(history, event->connection, room);
        return;
    }
    struct view *view = view_of(history, event->connection, room);
    bool wire3 = history->settings->wire >= 3;
    bool awaits = history->settings->held && hello_of(history, event->connection, room) != NULL;
    if (wire3 && json_is_string(type, "drop") && (view != NULL || hello_of(history, event->connection, room) != NULL)) {
        history_take_drop(history, room_of(history, room), event, index);
    } else if (awaits && !json_is_string(type, "env") && (view == NULL || json_is_string(type, "settled"))) {
        /* durable.hold: it passes the welcome, which is held; echoes up to that are not sent, so that a settled notice has no place among them. */
        return;
    } else if (view == NULL) {
        history_breaks(history, "history.isolation", index, "a message of a room that the connection has not joined: %.*s",
                       (int)room.length, room.bytes);
    } else if (json_is_string(type, "env")) {
        take_envelope(history, view, event->message, index);
    } else if (wire3 && json_is_string(type, "settled")) {
        history_take_settled(history, view->room, view->expected - 1, json_get(event->message, "settled"), index);
    } else {
        take_note(history, view, event->message);
    }
}

/* ---- the rest ---- */

static void take_hydrated(struct history *history, const struct history_event *event, size_t index) {
    const struct json_value *snapshot = json_get(event->message, "snapshot");
    struct room *room = room_of(history, history_string(event->message, "room"));
    if (!history_seq(snapshot, "seq", &room->base)) {
        return;
    }
    const struct json_value *schema = json_get(snapshot, "schemaVersion");
    room->hydrated = true;
    room->base_root = json_get(snapshot, "root");
    room->base_registers = json_get(snapshot, "registers");
    room->base_schema = schema != NULL && schema->type == JSON_NUMBER ? schema->number : 0;
    room->highest = room->base;
    const struct json_value *journal = json_get(snapshot, "journal");
    for (const struct json_value *envelope = journal == NULL ? NULL : journal->first; envelope != NULL; envelope = envelope->next) {
        uint64_t seq;
        if (history_seq(envelope, "seq", &seq) && seq <= room->base) {
            history_order(history, room, seq, envelope, index);
        }
    }
}

/* commit.each: after the broadcast, which in wire version 3 waits for the observer's answer. */
static void take_committed(struct history *history, const struct history_event *event, size_t index) {
    struct text room = history_string(event->message, "room");
    uint64_t seq = 0;
    if (!history_seq(json_get(event->message, "env"), "seq", &seq)) {
        return;
    }
    if (history->settings->wire >= 3) {
        history_add_snapshot(history, room_of(history, room), seq, NULL, json_get(json_get(event->message, "state"), "registers"), index);
        return;
    }
    for (const struct view *view = history->views; view != NULL; view = view->next) {
        if (!view->ended && text_equal(view->room->name, room) && view->expected <= seq) {
            history_breaks(history, "commit.each", index, "seq %llu is committed before %.*s has got it", (unsigned long long)seq,
                           (int)view->origin.length, view->origin.bytes);
        }
    }
}

static void end_views(struct history *history, int connection, bool all) {
    for (struct view *view = history->views; view != NULL; view = view->next) {
        view->ended = view->ended || all || view->connection == connection;
    }
    for (struct hello **at = &history->hellos; *at != NULL;) {
        if (all || (*at)->connection == connection) {
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    }
}

static void take_unloaded(struct history *history, struct text name) {
    for (struct room *room = history->rooms; room != NULL; room = room->next) {
        room->ended = room->ended || text_equal(room->name, name);
    }
}

void history_take(struct history *history, const struct history_event *event, size_t index) {
    switch (event->kind) {
    case HISTORY_SENT:
        take_sent(history, event, index);
        break;
    case HISTORY_RECEIVED:
        take_received(history, event, index);
        break;
    case HISTORY_HYDRATED:
        take_hydrated(history, event, index);
        break;
    case HISTORY_COMMITTED:
        take_committed(history, event, index);
        break;
    case HISTORY_ENDED:
        end_views(history, event->connection, false);
        break;
    case HISTORY_UNLOADED:
        take_unloaded(history, history_string(event->message, "unloaded"));
        break;
    case HISTORY_RESTARTED:
        end_views(history, 0, true);
        for (struct room *room = history->rooms; room != NULL; room = room->next) {
            room->ended = true;
        }
        break;
    }
}
