/* What a welcome says of its room, and of who is there. */
#include "harness/history/state.h"

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
        history_add_snapshot(history, room, seq, welcome, index);
    } else if (json_is_string(mode, "up-to-date") && seq > 0 && (!history_seq(hello->message, "seq", &from) || from != seq)) {
        history_breaks(history, "history.no-loss", index, "a client at seq %llu is told that it is up to date in a room at %llu",
                       (unsigned long long)from, (unsigned long long)seq);
    }
}

static void take_roster(struct history *history, struct view *view, const struct json_value *welcome) {
    const struct json_value *members = json_get(welcome, "members");
    const struct json_value *peers = json_get(welcome, "peers");
    for (const struct json_value *name = members == NULL ? NULL : members->first; name != NULL; name = name->next) {
        history_learn(history, &view->members, name->text, NULL);
    }
    for (const struct json_value *peer = peers == NULL ? NULL : peers->first; peer != NULL; peer = peer->next) {
        history_learn(history, &view->peers, history_string(peer, "origin"), peer);
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
    history_forget(&view->peers, view->origin);
    if (json_is_string(json_get(welcome, "mode"), "snapshot")) {
        history_add_snapshot(history, view->room, seq, welcome, index);
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

void history_take_welcome(struct history *history, const struct history_event *event, struct text name, size_t index) {
    bool alone;
    struct hello *hello;
    struct view *member = history_view(history, event->connection, name);
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
    struct room *room = history_room(history, name);
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
