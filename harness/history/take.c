/* Reading a history event by event. */
#include "harness/history/state.h"

struct room *history_room(struct history *history, struct text name) {
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

struct view *history_view(const struct history *history, int connection, struct text room) {
    for (struct view *view = history->views; view != NULL; view = view->next) {
        if (!view->ended && view->connection == connection && text_equal(view->room->name, room)) {
            return view;
        }
    }
    return NULL;
}

struct hello *history_hello(const struct history *history, int connection, struct text room) {
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
                            .message = event->message, .seen = history_room(history, room)->highest};
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
    struct room *room = history_room(history, name);
    struct sent *sent = arena_alloc(history->arena, sizeof *sent);
    *sent = (struct sent){.connection = event->connection, .envelope = envelope, .event = index,
                          .member = history_view(history, event->connection, name) != NULL};
    if (room->sent_last == NULL) {
        room->sent = sent;
    } else {
        room->sent_last->next = sent;
    }
    room->sent_last = sent;
}

/* A presence behind a hello that is still unanswered belongs to the membership that the hello begins. */
static void sent_presence(struct history *history, const struct history_event *event, struct text room) {
    struct hello *hello = history_hello(history, event->connection, room);
    struct view *view = history_view(history, event->connection, room);
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

void history_forget(struct names_seen **list, struct text origin) {
    for (struct names_seen **at = list; *at != NULL; at = &(*at)->next) {
        if (text_equal((*at)->origin, origin)) {
            *at = (*at)->next;
            return;
        }
    }
}

void history_learn(struct history *history, struct names_seen **list, struct text origin, const struct json_value *peer) {
    history_forget(list, origin);
    struct names_seen *seen = arena_alloc(history->arena, sizeof *seen);
    *seen = (struct names_seen){origin, peer, *list};
    *list = seen;
}

/* ---- what was received ---- */

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
        history_forget(&view->members, history_string(message, "origin"));
    } else if (json_is_string(type, "member")) {
        history_learn(history, &view->members, history_string(message, "origin"), NULL);
    } else if (json_is_string(type, "presence") && gone) {
        history_forget(&view->peers, history_string(peer, "origin"));
    } else if (json_is_string(type, "presence")) {
        history_learn(history, &view->peers, history_string(peer, "origin"), peer);
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
    struct view *view = history_view(history, connection, room);
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
        history_take_welcome(history, event, room, index);
        return;
    }
    if (json_is_string(type, "reject")) {
        take_reject(history, event->connection, room);
        return;
    }
    struct view *view = history_view(history, event->connection, room);
    bool wire3 = history->settings->wire >= 3;
    bool awaits = history->settings->held && history_hello(history, event->connection, room) != NULL;
    if (wire3 && json_is_string(type, "drop") && (view != NULL || history_hello(history, event->connection, room) != NULL)) {
        history_take_drop(history, history_room(history, room), event, index);
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
    struct room *room = history_room(history, history_string(event->message, "room"));
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
        history_add_snapshot(history, history_room(history, room), seq, json_get(event->message, "state"), index);
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
