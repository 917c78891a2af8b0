/* Restoring a persisted room (hydrate.*). */
#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/characters.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/room.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

/* One journal entry of the snapshot; `position` keeps equal seqs in the order in which they came. */
struct given_entry {
    uint64_t seq;
    size_t position;
    struct json_value envelope;
};

struct snapshot {
    struct json_value seq, root, epoch, schema_version, journal; /* JSON_ABSENT when not given */
    uint64_t seq_count, schema_count;
    struct given_entry *entries; /* owned */
    size_t count, capacity;
    bool no_memory;
};

/* ---- reading the snapshot ------------------------------------------------------------------------ */

static struct json_value *snapshot_field(struct snapshot *snapshot, const struct json_value *name,
                                         struct json_value *other) {
    return relay_string_is(name, "seq")             ? &snapshot->seq
           : relay_string_is(name, "root")          ? &snapshot->root
           : relay_string_is(name, "epoch")         ? &snapshot->epoch
           : relay_string_is(name, "schemaVersion") ? &snapshot->schema_version
           : relay_string_is(name, "journal")       ? &snapshot->journal
                                                    : other;
}

static bool read_members(struct snapshot *snapshot, struct relay_text text) {
    struct json_scanner scanner;
    struct json_value name, other;
    relay_scan_start(&scanner, text.bytes, text.length);
    bool object = relay_scan_peek(&scanner) == JSON_OBJECT && relay_scan_enter(&scanner);
    while (object && relay_scan_member(&scanner, &name))
        relay_scan_value(&scanner, snapshot_field(snapshot, &name, &other));
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

static bool read_snapshot(struct snapshot *snapshot, struct relay_text text) {
    if (!read_members(snapshot, text) || !relay_number_read_count(&snapshot->seq, &snapshot->seq_count))
        return false;
    if (snapshot->epoch.kind != JSON_ABSENT && (snapshot->epoch.kind != JSON_STRING || snapshot->epoch.length <= 2))
        return false;
    if (snapshot->schema_version.kind != JSON_ABSENT &&
        !relay_number_read_count(&snapshot->schema_version, &snapshot->schema_count))
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

static bool set_epoch(struct room *room, const struct snapshot *snapshot) {
    struct characters epoch;
    if (snapshot->epoch.kind == JSON_ABSENT)
        return true; /* hydrate.epoch: the fresh one stays */
    bool set = relay_characters_read(&epoch, &snapshot->epoch) && relay_room_set_epoch(room, epoch.text);
    relay_characters_end(&epoch);
    return set;
}

/* Fills the room, or leaves it as it was when memory is out. */
static bool restore(struct room *room, const struct snapshot *snapshot) {
    struct journal journal;
    struct fold fold;
    relay_journal_start(&journal, room->journal.limit);
    journal.max_bytes = room->journal.max_bytes;
    relay_fold_start(&fold, room->fold.seed, room->fold.max_array_length);
    fold.max_bytes = room->fold.max_bytes;
    bool built = build_journal(&journal, snapshot) &&
                 (snapshot->root.kind == JSON_ABSENT || relay_fold_replace(&fold, snapshot->root)) &&
                 set_epoch(room, snapshot);
    if (!built) {
        relay_journal_free(&journal);
        relay_fold_free(&fold);
        return false;
    }
    relay_journal_free(&room->journal);
    relay_fold_free(&room->fold);
    room->journal = journal;
    room->fold = fold;
    room->seq = snapshot->seq_count;
    if (room->relay->version->schema)
        room->schema_version = snapshot->schema_count; /* hydrate.schema */
    return true;
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
    if (restore(room, snapshot))
        return RELAY_HYDRATED;
    if (made) {
        relay_table_take(&relay->rooms, &room->item);
        relay_room_free(room);
    }
    return RELAY_HYDRATE_REFUSED;
}

enum relay_hydrated relay_hydrate(struct relay *relay, struct relay_text room, struct relay_text text) {
    if (!relay->version->hydrates)
        return RELAY_HYDRATE_REFUSED;
    struct snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot);
    enum relay_hydrated answer = RELAY_HYDRATE_MALFORMED;
    if (read_snapshot(&snapshot, text))
        answer = hydrate(relay, room, &snapshot);
    else if (snapshot.no_memory)
        answer = RELAY_HYDRATE_REFUSED;
    free(snapshot.entries);
    return answer;
}
