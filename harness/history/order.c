/* The one order of a room: which envelope has which seq, and where it came from. */
#include <stdarg.h>
#include <stdio.h>

#include "harness/history/state.h"

bool history_breaks(struct history *history, const char *rule, size_t event, const char *format, ...) {
    if (history->breach.rule != NULL) {
        return false;
    }
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    history->breach = (struct history_breach){rule, arena_format(history->arena, "%s", text), event};
    return false;
}

struct text history_string(const struct json_value *object, const char *key) {
    const struct json_value *value = json_get(object, key);
    return value != NULL && value->type == JSON_STRING ? value->text : (struct text){NULL, 0};
}

bool history_seq(const struct json_value *object, const char *key, uint64_t *out) {
    const struct json_value *value = json_get(object, key);
    if (value == NULL || value->type != JSON_NUMBER || !(value->number >= 0 && value->number <= 9007199254740991.0)) {
        return false;
    }
    *out = (uint64_t)value->number;
    return (double)*out == value->number;
}

static const struct json_value *member(const struct json_value *object, struct text key) {
    for (const struct json_value *child = object->first; child != NULL; child = child->next) {
        if (text_equal(child->key, key)) {
            return child;
        }
    }
    return NULL;
}

static size_t count_without_seq(const struct json_value *envelope) {
    return envelope->count - (json_get(envelope, "seq") != NULL);
}

bool history_same_envelope(const struct json_value *a, const struct json_value *b) {
    if (a->type != JSON_OBJECT || b->type != JSON_OBJECT || count_without_seq(a) != count_without_seq(b)) {
        return false;
    }
    for (const struct json_value *child = a->first; child != NULL; child = child->next) {
        const struct json_value *other = member(b, child->key);
        if (!text_equal(child->key, TEXT("seq")) && (other == NULL || !json_equal(child, other))) {
            return false;
        }
    }
    return true;
}

void history_add_snapshot(struct history *history, struct room *room, uint64_t seq, const struct json_value *holder, size_t event) {
    struct snapshot *snapshot = arena_alloc(history->arena, sizeof *snapshot);
    *snapshot = (struct snapshot){seq, json_get(holder, "root"), json_get(holder, "registers"), json_get(holder, "wm"), event, room->snapshots};
    room->snapshots = snapshot;
}

static void grow(struct history *history, struct room *room, uint64_t seq) {
    uint64_t capacity = room->capacity == 0 ? 64 : room->capacity;
    while (capacity <= seq) {
        capacity *= 2;
    }
    const struct json_value **envelopes = arena_alloc(history->arena, (size_t)capacity * sizeof *envelopes);
    for (uint64_t i = 0; i < room->capacity; i++) {
        envelopes[i] = room->envelopes[i];
    }
    room->envelopes = envelopes;
    room->capacity = capacity;
}

/*
 * The first send of this very envelope by a member that has not come back yet, else by somebody who may have become one since; NULL: there is none.
 */
static struct sent *source_of(const struct room *room, const struct json_value *envelope, bool *again) {
    struct sent *of_other = NULL;
    *again = false;
    for (struct sent *sent = room->sent; sent != NULL; sent = sent->next) {
        if (!history_same_envelope(sent->envelope, envelope)) {
            continue;
        }
        if (sent->seq == 0 && sent->member) {
            return sent;
        }
        *again = *again || sent->seq > 0;
        of_other = of_other == NULL && sent->seq == 0 ? sent : of_other;
    }
    return of_other;
}

void history_order(struct history *history, struct room *room, uint64_t seq, const struct json_value *envelope, size_t event) {
    room->highest = seq > room->highest ? seq : room->highest;
    if (seq > HISTORY_SEQ_CEILING) {
        return;
    }
    if (seq >= room->capacity) {
        grow(history, room, seq);
    }
    if (room->envelopes[seq] != NULL) {
        if (!history_same_envelope(room->envelopes[seq], envelope)) {
            history_breaks(history, "history.same-order", event, "seq %llu is one envelope for this member and another for a different one",
                           (unsigned long long)seq);
        }
        return;
    }
    room->envelopes[seq] = envelope;
    bool again;
    struct sent *sent = source_of(room, envelope, &again);
    if (sent != NULL) {
        sent->seq = seq;
    } else if (seq > room->base && again) {
        history_breaks(history, "history.echo", event, "an envelope that was sent once has a second seq, %llu", (unsigned long long)seq);
    } else if (seq > room->base) {
        history_breaks(history, "history.isolation", event, "nobody sent the envelope with seq %llu to this room", (unsigned long long)seq);
    }
}
