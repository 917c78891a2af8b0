/* Wire version 3: envelopes that are refused without an ejection (admit.*). A drop counts as the answer to an envelope, as its echo does. */
#include "harness/history/state.h"

static bool is_about(const struct json_value *envelope, struct text origin, double version) {
    const struct json_value *own = json_get(envelope, "version");
    return own != NULL && own->type == JSON_NUMBER && own->number == version && text_equal(history_string(envelope, "origin"), origin);
}

static bool was_sent(const struct room *room, int connection, struct text origin, double version) {
    for (const struct sent *sent = room->sent; sent != NULL; sent = sent->next) {
        if (sent->connection == connection && is_about(sent->envelope, origin, version)) {
            return true;
        }
    }
    return false;
}

void history_take_drop(struct history *history, struct room *room, const struct history_event *event, size_t index) {
    const struct json_value *version = json_get(event->message, "version");
    struct text origin = history_string(event->message, "origin");
    if (origin.bytes == NULL || version == NULL || version->type != JSON_NUMBER) {
        return;
    }
    if (!was_sent(room, event->connection, origin, version->number)) {
        history_breaks(history, "history.isolation", index, "a drop of an envelope that this connection has not sent: version %.15g of %.*s",
                       version->number, (int)origin.length, origin.bytes);
    }
    struct drop *drop = arena_alloc(history->arena, sizeof *drop);
    *drop = (struct drop){.connection = event->connection,
                          .origin = origin,
                          .version = version->number,
                          .duplicate = json_is_string(json_get(event->message, "reason"), "duplicate"),
                          .event = index,
                          .next = room->drops};
    room->drops = drop;
}

static struct drop *find_drop(const struct room *room, const struct sent *sent, bool own) {
    struct drop *drop = room->drops;
    while (drop != NULL && (drop->used || !is_about(sent->envelope, drop->origin, drop->version) ||
                            (own && drop->connection != sent->connection))) {
        drop = drop->next;
    }
    return drop;
}

static void match_drops(struct room *room, bool own, bool member) {
    for (struct sent *sent = room->sent; sent != NULL; sent = sent->next) {
        struct drop *drop = sent->seq == 0 && !sent->dropped && sent->member == member ? find_drop(room, sent, own) : NULL;
        sent->dropped = sent->dropped || drop != NULL;
        if (drop != NULL) {
            drop->used = true;
        }
    }
}

/*
 * Who was no member yet, as far as it is known, may have been answered, too. Of equal envelopes it is not told which came back, so a drop of
 * that version at another connection will do, when all that were refused on their own connection have theirs.
 */
void history_match_drops(struct room *room) {
    match_drops(room, true, true);
    match_drops(room, true, false);
    match_drops(room, false, true);
    match_drops(room, false, false);
}

/* Whether the room's envelopes are all known, and none is what was dropped as a duplicate. */
static bool was_never_ordered(const struct room *room, const struct drop *drop) {
    bool known = !room->hydrated && room->highest < room->capacity;
    for (uint64_t seq = 1; known && seq <= room->highest; seq++) {
        known = room->envelopes[seq] != NULL && !is_about(room->envelopes[seq], drop->origin, drop->version);
    }
    return known || (!room->hydrated && room->highest == 0);
}

void history_check_drops(struct history *history, const struct room *room) {
    for (const struct drop *drop = room->drops; drop != NULL; drop = drop->next) {
        if (!drop->used) {
            history_breaks(history, "history.echo", drop->event, "an envelope that came back was dropped, too: version %.15g of %.*s",
                           drop->version, (int)drop->origin.length, drop->origin.bytes);
        } else if (drop->duplicate && was_never_ordered(room, drop)) {
            history_breaks(history, "history.no-loss", drop->event, "the room is said to have version %.15g of %.*s, which it never ordered",
                           drop->version, (int)drop->origin.length, drop->origin.bytes);
        }
    }
}
