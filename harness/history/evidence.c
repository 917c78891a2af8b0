/*
 * Wire version 3: what was admitted, by the harness' own reckoning (admit.duplicate, admit.order), and what the relay says of it: the marks in
 * its snapshots (register.snapshot) and the settled stamps in its notices (settle.notice).
 */
#include "harness/history/state.h"

/* Of one origin, in one generation. */
struct admitted {
    struct text origin;
    double highest, run_end;      /* versions; `run_end` is the last one of the first contiguous run */
    const struct json_value *hlc; /* of that version */
    struct admitted *next;
};

struct evidence {
    struct admitted *first;
    size_t count;
};

static struct admitted *find(const struct evidence *evidence, struct text origin) {
    struct admitted *admitted = evidence->first;
    while (admitted != NULL && !text_equal(admitted->origin, origin)) {
        admitted = admitted->next;
    }
    return admitted;
}

/* The event that shows the envelope: its sender's. */
static size_t sent_at(const struct room *room, uint64_t seq) {
    const struct sent *sent = room->sent;
    while (sent != NULL && sent->seq != seq) {
        sent = sent->next;
    }
    return sent == NULL ? 0 : sent->event;
}

/* False for what no well-formed envelope is: then nothing more is judged. */
static bool admit(struct history *history, struct evidence *evidence, const struct room *room, uint64_t seq) {
    const struct json_value *envelope = room->envelopes[seq], *version = json_get(envelope, "version"), *hlc = json_get(envelope, "hlc");
    struct text origin = history_string(envelope, "origin");
    if (version == NULL || version->type != JSON_NUMBER || hlc == NULL || origin.bytes == NULL) {
        return false;
    }
    struct admitted *admitted = find(evidence, origin);
    if (admitted == NULL) {
        admitted = arena_alloc(history->arena, sizeof *admitted);
        *admitted = (struct admitted){origin, version->number, version->number, hlc, evidence->first};
        evidence->first = admitted;
        evidence->count++;
        return true;
    }
    if (version->number <= admitted->highest) {
        return history_breaks(history, version->number == admitted->highest ? "admit.duplicate" : "admit.order", sent_at(room, seq),
                              "seq %llu is version %.17g of %.*s, of which version %.17g was admitted before", (unsigned long long)seq,
                              version->number, (int)origin.length, origin.bytes, admitted->highest);
    }
    if (admitted->run_end == admitted->highest && version->number <= admitted->highest + 1) {
        admitted->run_end = version->number;
        admitted->hlc = hlc;
    }
    admitted->highest = version->number;
    return true;
}

/* ---- what the relay says ------------------------------------------------------------------------- */

static bool same_stamp(const struct json_value *wanted, const struct json_value *told) {
    struct stamp left, right;
    const struct json_value origin = {.type = JSON_STRING, .text = TEXT("")};
    return registers_stamp(&origin, wanted, &left) && registers_stamp(&origin, told, &right) && left.p == right.p && left.l == right.l;
}

static bool same_mark(const struct admitted *admitted, const struct json_value *told) {
    return told->type == JSON_NUMBER && told->number == admitted->highest;
}

static bool same_settled(const struct admitted *admitted, const struct json_value *told) {
    return same_stamp(admitted->hlc, told);
}

/* Whether `told`, an object, says of each origin what is so, and of no other one anything. */
static bool agrees(const struct evidence *evidence, const struct json_value *told,
                   bool (*same)(const struct admitted *, const struct json_value *)) {
    if (told->type != JSON_OBJECT || told->count != evidence->count) {
        return false;
    }
    for (const struct json_value *entry = told->first; entry != NULL; entry = entry->next) {
        const struct admitted *admitted = find(evidence, entry->key);
        if (admitted == NULL || !same(admitted, entry)) {
            return false;
        }
    }
    return true;
}

static void check_marks(struct history *history, const struct room *room, const struct evidence *evidence, uint64_t seq) {
    for (const struct snapshot *snapshot = room->snapshots; snapshot != NULL; snapshot = snapshot->next) {
        if (snapshot->seq == seq && snapshot->wm != NULL && !agrees(evidence, snapshot->wm, same_mark)) {
            history_breaks(history, "register.snapshot", snapshot->event,
                           "the marks (wm) at seq %llu are not the highest admitted version of each origin", (unsigned long long)seq);
        }
    }
}

void history_check_evidence(struct history *history, const struct room *room) {
    struct evidence evidence = {NULL, 0};
    double schema = 0;
    if (room->hydrated) {
        return;
    }
    for (uint64_t seq = 1; seq <= room->highest && seq < room->capacity && room->envelopes[seq] != NULL; seq++) {
        const struct settlement *settlement = history_settlement(room, seq);
        if (history_begins_generation(room->envelopes[seq], &schema)) {
            evidence = (struct evidence){NULL, 0};
        } else if (!admit(history, &evidence, room, seq)) {
            return;
        }
        check_marks(history, room, &evidence, seq);
        if (settlement != NULL && !agrees(&evidence, settlement->settled, same_settled)) {
            history_breaks(history, "settle.notice", settlement->event,
                           "the settled stamps behind seq %llu do not end the first run of admitted versions of each origin",
                           (unsigned long long)seq);
        }
    }
}
