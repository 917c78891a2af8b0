#include "relay-ref/core/envelope.h"

#include "relay-ref/core/check.h"
#include "relay-ref/core/connection.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/migrate.h"
#include "relay-ref/core/room.h"
#include "relay-ref/json/string.h"

struct relay_commit {
    struct room *room;
    bool failed;
};

/* ---- the broadcast frame ------------------------------------------------------------------------- */

/* The usual case: all members as they came, up to the closing bracket. */
static void add_members_verbatim(struct relay_buffer *text, const struct json_value *envelope) {
    relay_buffer_add(text, envelope->bytes, envelope->length - 1);
}

/* seq.verbatim: a `seq` of the client's is left out, all other members stay. */
static void add_members_without_seq(struct relay_buffer *text, const struct json_value *envelope) {
    struct json_scanner scanner;
    struct json_value name, value;
    relay_scan_start(&scanner, envelope->bytes, envelope->length);
    relay_scan_enter(&scanner);
    relay_buffer_add_words(text, "{");
    while (relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &value)) {
        if (relay_string_is(&name, "seq"))
            continue;
        relay_buffer_add(text, name.bytes, (size_t)(value.bytes + value.length - name.bytes));
        relay_buffer_add_words(text, ",");
    }
    relay_buffer_drop_last(text, ',');
    text->failed = text->failed || scanner.error != JSON_FINE;
    relay_scan_end(&scanner);
}

/* Splices the envelope into its frame; an accepted one has other members, so a comma is always right before `seq`. */
static struct relay_frame *envelope_frame(const struct room *room, const struct message_envelope *envelope,
                                          struct journal_entry *entry) {
    struct relay_buffer text;
    relay_frame_start(&text, room->item.key.length + envelope->whole.length + 96);
    relay_buffer_add_words(&text, "{\"t\":\"env\",\"room\":");
    relay_buffer_add_string(&text, room->item.key);
    relay_buffer_add_words(&text, ",\"env\":");
    entry->at = text.length;
    if (envelope->has_seq)
        add_members_without_seq(&text, &envelope->whole);
    else
        add_members_verbatim(&text, &envelope->whole);
    relay_buffer_add_words(&text, ",\"seq\":");
    relay_buffer_add_count(&text, entry->seq);
    relay_buffer_add_words(&text, "}");
    entry->length = text.length - entry->at;
    relay_buffer_add_words(&text, "}");
    return entry->frame = relay_frame_finish(&text);
}

/* ---- ordering ------------------------------------------------------------------------------------ */

struct relay_text relay_commit_root(struct relay_commit *commit) {
    struct relay_text root;
    commit->failed = !relay_fold_text(&commit->room->fold, &root);
    return root;
}

bool relay_commit_root_failed(const struct relay_commit *commit) {
    return commit->failed;
}

/* commit.each: after the broadcast, with the room as it is after this envelope. */
static void report_commit(struct room *room, const struct journal_entry *entry) {
    const struct relay_env *env = &room->relay->env;
    if (!room->relay->version->commits || env->on_commit == NULL)
        return;
    struct relay_commit commit = {room, false};
    struct relay_commit_state state = {room->seq, room->epoch, room->schema_version};
    struct relay_text envelope = {entry->frame->text + entry->at, entry->length};
    env->on_commit(env->context, room->item.key, envelope, &state, &commit);
}

/* fold.huge-index: what an array's ceiling leaves out is no reason to refuse the envelope; a full root is. */
static bool apply_ops(struct room *room) {
    size_t left_out = room->fold.left_out;
    bool applied = relay_fold_apply(&room->fold, room->relay->ops.items, room->relay->ops.count);
    if (room->fold.full)
        return relay_limit_hit(room->relay, RELAY_LIMIT_ROOT_BYTES);
    if (applied && room->fold.left_out > left_out)
        relay_limit_hit(room->relay, RELAY_LIMIT_ARRAY);
    return applied;
}

/* Everything that can fail, before anything is changed. */
static bool prepare(struct room *room, const struct message_envelope *envelope, struct journal_entry *entry,
                    struct migration *migration) {
    if (!relay_journal_reserve(&room->journal) || !relay_migrate_prepare(migration, room, envelope))
        return false;
    if (envelope_frame(room, envelope, entry) == NULL) {
        relay_migrate_cancel(migration);
        return false;
    }
    if (!apply_ops(room)) {
        relay_frame_release(entry->frame);
        relay_migrate_cancel(migration);
        return false;
    }
    return true;
}

/* seq.dense, migrate.rides-log */
static bool take_in(struct room *room, const struct message_envelope *envelope, struct journal_entry *entry) {
    struct migration migration;
    entry->seq = room->seq + 1;
    if (!prepare(room, envelope, entry, &migration))
        return false;
    room->seq = entry->seq;
    relay_migrate_apply(&migration, room);
    relay_journal_add(&room->journal, entry);
    return true;
}

bool relay_envelope_again(struct room *room, const struct message *message) {
    struct journal_entry entry;
    if (message->envelope.whole.kind != JSON_OBJECT || !take_in(room, &message->envelope, &entry))
        return false;
    relay_frame_release(entry.frame);
    return true;
}

/* seq.echo-all */
static bool order(struct room *room, const struct message_envelope *envelope) {
    struct journal_entry entry;
    if (!take_in(room, envelope, &entry))
        return false;
    relay_room_broadcast(room, entry.frame, NULL);
    report_commit(room, &entry);
    relay_frame_release(entry.frame);
    return true;
}

/* eject.whole-envelope: a violating envelope is never ordered; a malformed one is ignored. */
bool relay_envelope_receive(struct member *member, const struct message *message) {
    struct violation violation;
    if (message->envelope.whole.kind != JSON_OBJECT)
        return true; /* frame.garbage-isolated */
    switch (relay_check_envelope(member, &message->envelope, &violation)) {
    case CHECK_FINE:
        return order(member->room, &message->envelope);
    case CHECK_VIOLATION:
        return relay_eject(member, &violation);
    case CHECK_NO_MEMORY:
        return false;
    default:
        return true;
    }
}
