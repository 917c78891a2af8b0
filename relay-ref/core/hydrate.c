/* Restoring a persisted room (hydrate.*). */
#include "relay-ref/core/hydrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/characters.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/room.h"
#include "relay-ref/core/rules.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

/* ---- reading the snapshot ------------------------------------------------------------------------ */

/* A member that this version does not know has no effect. */
static struct json_value *snapshot_field(struct snapshot *snapshot, const struct json_value *name, const char *life,
                                         struct json_value *other) {
    return relay_string_is(name, "seq")             ? &snapshot->seq
           : relay_string_is(name, life)            ? &snapshot->life
           : relay_string_is(name, "schemaVersion") ? &snapshot->schema_version
           : relay_string_is(name, "journal")       ? &snapshot->journal
           : relay_string_is(name, "root")          ? &snapshot->root
           : relay_string_is(name, "registers")     ? &snapshot->registers
           : relay_string_is(name, "wm")            ? &snapshot->wm
           : relay_string_is(name, "ranges")        ? &snapshot->ranges
           : relay_string_is(name, "settled")       ? &snapshot->settled
                                                    : other;
}

static bool read_members(struct snapshot *snapshot, const char *life, struct relay_text text) {
    struct json_scanner scanner;
    struct json_value name, other;
    relay_scan_start(&scanner, text.bytes, text.length);
    bool object = relay_scan_peek(&scanner) == JSON_OBJECT && relay_scan_enter(&scanner);
    while (object && relay_scan_member(&scanner, &name))
        relay_scan_value(&scanner, snapshot_field(snapshot, &name, life, &other));
    bool whole = object && relay_scan_finish(&scanner);
    snapshot->no_memory = scanner.error == JSON_NO_MEMORY;
    relay_scan_end(&scanner);
    return whole;
}

/* The entry's own `seq`; false when it has none that is a count. */
static bool read_entry(struct given_entry *entry) {
    struct json_scanner scanner;
    struct json_value name, value, seq = {.kind = JSON_ABSENT};
    relay_scan_start(&scanner, entry->envelope.bytes, entry->envelope.length);
    relay_scan_enter(&scanner);
    while (relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &value))
        if (relay_string_is(&name, "seq"))
            seq = value;
    relay_scan_end(&scanner);
    return relay_number_read_count(&seq, &entry->seq);
}

static bool keep_entry(struct snapshot *snapshot, const struct given_entry *entry) {
    if (snapshot->count == snapshot->capacity) {
        size_t capacity = snapshot->capacity == 0 ? 16 : snapshot->capacity * 2;
        struct given_entry *entries = realloc(snapshot->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            snapshot->no_memory = true;
            return false;
        }
        snapshot->entries = entries;
        snapshot->capacity = capacity;
    }
    snapshot->entries[snapshot->count++] = *entry;
    return true;
}

/* hydrate.journal: what is above the snapshot's seq is dropped. */
static bool read_journal(struct snapshot *snapshot) {
    struct json_scanner scanner;
    struct given_entry entry;
    bool fine = true;
    if (snapshot->journal.kind == JSON_ABSENT)
        return true;
    if (snapshot->journal.kind != JSON_ARRAY)
        return false;
    relay_scan_start(&scanner, snapshot->journal.bytes, snapshot->journal.length);
    relay_scan_enter(&scanner);
    while (fine && relay_scan_element(&scanner) && relay_scan_value(&scanner, &entry.envelope)) {
        entry.position = snapshot->count;
        fine = entry.envelope.kind == JSON_OBJECT && read_entry(&entry) &&
               (entry.seq > snapshot->seq_count || keep_entry(snapshot, &entry));
    }
    snapshot->no_memory = snapshot->no_memory || scanner.error == JSON_NO_MEMORY;
    relay_scan_end(&scanner);
    return fine && !snapshot->no_memory;
}

static int by_seq(const void *left, const void *right) {
    const struct given_entry *first = left, *second = right;
    if (first->seq != second->seq)
        return first->seq < second->seq ? -1 : 1;
    return first->position < second->position ? -1 : 1;
}

static bool read_snapshot(struct snapshot *snapshot, const char *life, struct relay_text text) {
    if (!read_members(snapshot, life, text) || !relay_number_read_count(&snapshot->seq, &snapshot->seq_count))
        return false;
    if (snapshot->life.kind != JSON_ABSENT && (snapshot->life.kind != JSON_STRING || snapshot->life.length <= 2))
        return false;
    if (snapshot->schema_version.kind != JSON_ABSENT &&
        !(relay_number_read(&snapshot->schema_version, &snapshot->schema) && isfinite(snapshot->schema)))
        return false;
    if (!read_journal(snapshot))
        return false;
    if (snapshot->count > 1)
        qsort(snapshot->entries, snapshot->count, sizeof *snapshot->entries, by_seq);
    return true;
}

/* ---- building the room's new state, apart from the room ------------------------------------------ */

static struct relay_frame *frame_of(struct json_value envelope) {
    struct relay_buffer text;
    relay_frame_start(&text, envelope.length);
    relay_buffer_add(&text, envelope.bytes, envelope.length);
    return relay_frame_finish(&text);
}

/* hydrate.journal, hydrate.journal-zero: cut to the newest `limit`. */
static bool build_journal(struct journal *journal, const struct snapshot *snapshot) {
    size_t start = snapshot->count > journal->limit ? snapshot->count - journal->limit : 0;
    for (size_t i = start; i < snapshot->count; i++) {
        struct journal_entry entry = {snapshot->entries[i].seq, NULL, 0, snapshot->entries[i].envelope.length};
        if (!relay_journal_reserve(journal) || (entry.frame = frame_of(snapshot->entries[i].envelope)) == NULL)
            return false;
        relay_journal_add(journal, &entry);
        relay_frame_release(entry.frame);
    }
    return true;
}

/* A copy of the given epoch; hydrate.epoch: without bytes when there is none and the fresh one stays. */
static bool copy_epoch(struct relay_text *copy, const struct snapshot *snapshot) {
    struct characters epoch;
    *copy = (struct relay_text){NULL, 0};
    if (snapshot->life.kind == JSON_ABSENT)
        return true;
    if (relay_characters_read(&epoch, &snapshot->life)) {
        char *memory = malloc(epoch.text.length);
        if (memory != NULL)
            memcpy(memory, epoch.text.bytes, epoch.text.length);
        *copy = (struct relay_text){memory, epoch.text.length};
    }
    relay_characters_end(&epoch);
    return copy->bytes != NULL;
}

/* Fills the room, or leaves it as it was. */
static enum relay_hydrated restore(struct room *room, const struct snapshot *snapshot) {
    struct journal journal;
    struct relay_text epoch = {NULL, 0};
    relay_journal_start(&journal, room->journal.limit);
    journal.max_bytes = room->journal.max_bytes;
    enum relay_hydrated answer = RELAY_HYDRATE_REFUSED;
    if (build_journal(&journal, snapshot) && copy_epoch(&epoch, snapshot))
        answer = room->relay->version->rules->restore(room, snapshot);
    if (answer != RELAY_HYDRATED) {
        relay_journal_free(&journal);
        free((char *)epoch.bytes);
        return answer;
    }
    relay_journal_free(&room->journal);
    room->journal = journal;
    if (epoch.bytes != NULL) {
        free((char *)room->epoch.bytes);
        room->epoch = epoch;
    }
    room->seq = snapshot->seq_count;
    if (room->relay->version->schema)
        room->schema_version = snapshot->schema; /* hydrate.schema */
    relay_room_weigh(room);
    return RELAY_HYDRATED;
}

/* hydrate.refused-members, hydrate.refused-state, hydrate.untouched-hello */
static bool is_fresh(const struct room *room) {
    return room->seq == 0 && room->members.count == 0 && room->journal.count == 0;
}

static enum relay_hydrated hydrate(struct relay *relay, struct relay_text name, const struct snapshot *snapshot) {
    struct room *room = relay_room_find(relay, name);
    bool made = room == NULL;
    if (made)
        room = relay_room_new(relay, name);
    if (room == NULL || !is_fresh(room))
        return RELAY_HYDRATE_REFUSED;
    enum relay_hydrated answer = restore(room, snapshot);
    if (made && answer != RELAY_HYDRATED)
        relay_room_forget(room);
    return answer;
}

enum relay_hydrated relay_hydrate(struct relay *relay, struct relay_text room, struct relay_text text) {
    if (!relay->version->hydrates)
        return RELAY_HYDRATE_REFUSED;
    struct snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot);
    enum relay_hydrated answer = RELAY_HYDRATE_MALFORMED;
    if (read_snapshot(&snapshot, relay->version->life, text))
        answer = hydrate(relay, room, &snapshot);
    else if (snapshot.no_memory)
        answer = RELAY_HYDRATE_REFUSED;
    free(snapshot.entries);
    return answer;
}
