#include "relay-ref/core/envelope.h"

#include "relay-ref/core/admit.h"
#include "relay-ref/core/commit.h"
#include "relay-ref/core/connection.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/room.h"
#include "relay-ref/core/rules.h"
#include "relay-ref/json/string.h"

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

/* Everything that can fail, before anything is changed; the rules come last, because they alone need undoing. */
static bool prepare(struct room *room, const struct message_envelope *envelope, struct ordering *ordering) {
    if (!relay_journal_reserve(&room->journal) || !relay_migrate_prepare(&ordering->migration, room, envelope))
        return false;
    if (envelope_frame(room, envelope, &ordering->entry) == NULL) {
        relay_migrate_cancel(&ordering->migration);
        return false;
    }
    if (!relay_commit_ready(room) || !room->relay->version->rules->prepare(room, envelope, ordering)) {
        relay_frame_release(ordering->entry.frame);
        relay_migrate_cancel(&ordering->migration);
        return false;
    }
    return true;
}

/* seq.dense, migrate.rides-log, generation.cut */
static void apply(struct room *room, struct ordering *ordering) {
    room->seq = ordering->entry.seq;
    room->relay->version->rules->apply(room, ordering);
    relay_migrate_apply(&ordering->migration, room);
    if (ordering->cuts)
        relay_journal_clear(&room->journal);
    relay_journal_add(&room->journal, &ordering->entry);
}

/* Everything about an envelope that a room keeps. False when memory is out or a ceiling was met; the room is then as
   before. */
static bool take_in(struct room *room, const struct message_envelope *envelope, struct ordering *ordering) {
    *ordering = (struct ordering){.entry = {.seq = room->seq + 1}};
    if (!prepare(room, envelope, ordering))
        return false;
    apply(room, ordering);
    relay_room_weigh(room);
    return true;
}

static void release_frames(const struct ordering *ordering) {
    relay_frame_release(ordering->entry.frame);
    if (ordering->settled != NULL)
        relay_frame_release(ordering->settled);
    if (ordering->welcome != NULL)
        relay_frame_release(ordering->welcome);
}

bool relay_envelope_again(struct room *room, const struct message *message) {
    const struct message_envelope *envelope = &message->envelope;
    struct ordering ordering;
    struct violation violation;
    if (envelope->whole.kind != JSON_OBJECT ||
        room->relay->version->rules->check(room->relay, envelope, &violation) != CHECK_FINE ||
        !take_in(room, envelope, &ordering))
        return false;
    release_frames(&ordering);
    return true;
}

/* seq.echo-all, settle.notice, generation.rewelcome */
static void publish(struct room *room, const struct ordering *ordering) {
    struct answer answer = {.audience = room->joins,
                            .echo = ordering->entry.frame,
                            .settled = ordering->settled,
                            .welcome = ordering->welcome,
                            .welcome_head = ordering->welcome_head};
    if (relay_commit_comes_first(room->relay)) {
        bool held = relay_commit_report(room, &ordering->entry) == RELAY_COMMIT_HELD;
        relay_durability_submit(room, &answer, room->seq, held);
    } else {
        relay_durability_submit(room, &answer, room->seq, false);
        relay_commit_report(room, &ordering->entry);
    }
}

static bool order(struct room *room, const struct message_envelope *envelope) {
    struct ordering ordering;
    if (!take_in(room, envelope, &ordering))
        return false;
    publish(room, &ordering);
    release_frames(&ordering);
    return true;
}

/* frame.garbage-isolated: no envelope at all is ignored; a value that is no object has no versions that could match. */
static bool is_ignored(const struct member *member, const struct message_envelope *envelope) {
    return envelope->whole.kind != JSON_OBJECT && (!envelope->given || member->room->relay->version->rules->forgiving);
}

/* Whether a room would keep something of the envelope: itself, or that its writer is ejected. */
static bool is_kept(enum check_answer answer) {
    return answer == CHECK_FINE || answer == CHECK_VIOLATION;
}

/* eject.whole-envelope: a violating envelope is never ordered; under forgiving rules a malformed one is ignored. */
bool relay_envelope_receive(struct member *member, const struct message *message) {
    const struct message_envelope *envelope = &message->envelope;
    struct violation violation;
    if (is_ignored(member, envelope))
        return true;
    enum check_answer answer = relay_check_envelope(member, envelope, &violation);
    if (answer == CHECK_FINE)
        answer = member->room->relay->version->rules->admit(member, envelope, &violation);
    if (is_kept(answer) && member->room->relay->kept_bytes >= member->room->relay->options.max_kept_bytes)
        return relay_limit_hit(member->room->relay, RELAY_LIMIT_KEPT_BYTES);
    switch (answer) {
    case CHECK_FINE:
        return order(member->room, envelope);
    case CHECK_VIOLATION:
        return relay_eject(member, &violation);
    case CHECK_DROP:
        return relay_drop(member, envelope, violation.reason);
    case CHECK_NO_MEMORY:
        return false;
    default:
        return true;
    }
}
