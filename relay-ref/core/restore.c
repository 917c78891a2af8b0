/* A room's way to its keeper and back: the snapshot, and what was ordered after it (hydrate.round-trip). */
#include "relay-ref/core/restore.h"

#include <stdlib.h>

#include "relay-ref/core/connection.h"
#include "relay-ref/core/envelope.h"
#include "relay-ref/core/room.h"
#include "relay-ref/core/rules.h"

bool relay_room_restored(struct relay *relay, struct relay_text name, struct room **room) {
    enum relay_kept kept = relay->env.restore(relay->env.context, name);
    *room = relay_room_find(relay, name);
    return kept == RELAY_KEPT_NONE || (kept == RELAY_KEPT_RESTORED && *room != NULL);
}

/* ---- what was ordered later ---------------------------------------------------------------------- */

/* As a message, which is what the core reads. */
static bool take_again(struct room *room, struct message_ops *ops, struct relay_text envelope) {
    struct message message;
    struct relay_buffer text;
    relay_buffer_start(&text, 0, envelope.length + 32);
    relay_buffer_add_words(&text, "{\"t\":\"env\",\"env\":");
    relay_buffer_add_text(&text, envelope);
    relay_buffer_add_words(&text, "}");
    bool taken = !text.failed && relay_message_read(&message, ops, SIZE_MAX, text.memory, text.length) == JSON_FINE &&
                 relay_envelope_again(room, &message);
    relay_buffer_free(&text);
    return taken;
}

/* With ceilings out of the way: what was ordered once is part of the room, whatever holds now. */
static bool take_all_again(struct room *room, const struct relay_kept_room *kept) {
    struct message_ops *ops = &room->relay->ops;
    size_t depth = ops->max_depth, bytes = room->fold.max_bytes;
    bool taken = true;
    ops->max_depth = 0;
    room->relay->restoring = true;
    room->fold.max_bytes = SIZE_MAX;
    for (size_t i = 0; taken && i < kept->later_count; i++)
        taken = take_again(room, ops, kept->later[i]);
    room->fold.max_bytes = bytes;
    ops->max_depth = depth;
    room->relay->restoring = false;
    return taken && (kept->epoch.bytes == NULL || relay_room_set_epoch(room, kept->epoch));
}

enum relay_hydrated relay_restore(struct relay *relay, struct relay_text name, const struct relay_kept_room *kept) {
    static const struct relay_text nothing = {"{\"seq\":0}", 9};
    if (relay_room_find(relay, name) != NULL)
        return RELAY_HYDRATE_REFUSED;
    enum relay_hydrated hydrated = relay_hydrate(relay, name, kept->snapshot.bytes != NULL ? kept->snapshot : nothing);
    struct room *room = relay_room_find(relay, name);
    if (hydrated == RELAY_HYDRATED && take_all_again(room, kept))
        return RELAY_HYDRATED;
    if (room != NULL)
        relay_room_forget(room);
    return hydrated == RELAY_HYDRATED ? RELAY_HYDRATE_REFUSED : hydrated;
}

/* ---- the snapshot ------------------------------------------------------------------------------- */

static void add_snapshot(struct relay_buffer *text, struct room *room) {
    const struct relay_version *version = room->relay->version;
    relay_buffer_start(text, 0, room->epoch.length + 128);
    relay_buffer_add_words(text, "{\"seq\":");
    relay_buffer_add_count(text, room->seq);
    text->failed = !version->rules->print_snapshot(room, text, true) || text->failed;
    relay_buffer_add_words(text, ",\"");
    relay_buffer_add_words(text, version->life);
    relay_buffer_add_words(text, "\":");
    relay_buffer_add_string(text, room->epoch);
    if (version->schema) {
        relay_buffer_add_words(text, ",\"schemaVersion\":");
        relay_buffer_add_number(text, room->schema_version);
    }
    relay_buffer_add_words(text, "}");
}

bool relay_snapshot(struct relay *relay, struct relay_text name, struct relay_text *snapshot) {
    struct room *room = relay_room_find(relay, name);
    struct relay_buffer text;
    if (room == NULL)
        return false;
    add_snapshot(&text, room);
    if (text.failed) {
        relay_buffer_free(&text);
        return false;
    }
    *snapshot = (struct relay_text){text.memory, text.length};
    return true;
}

void relay_discard(struct relay *relay, struct relay_text name) {
    struct room *room = relay_room_find(relay, name);
    if (room == NULL)
        return;
    relay_room_close(room, NULL);
    relay_room_forget(room);
}
