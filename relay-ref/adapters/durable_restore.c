/* Loading a room when somebody first wants in, and taking in one that was restored from elsewhere. */
#include <stdio.h>
#include <stdlib.h>

#include "relay-ref/adapters/durable_state.h"
#include "relay-ref/core/buffer.h"

/* The longest epoch that a mint writes, in bytes. */
#define EPOCH_CAPACITY 64

/* The checkpoint with as much of the journal as it covers: a snapshot as relay_hydrate takes it. */
static bool add_journal(struct relay_buffer *text, const struct store_room *stored) {
    relay_buffer_start(text, 0, stored->snapshot.length + 4096);
    relay_buffer_add(text, stored->snapshot.bytes, stored->snapshot.length - 1);
    relay_buffer_add_words(text, ",\"journal\":[");
    for (size_t i = 0; i < stored->covered; i++) {
        relay_buffer_add_words(text, i > 0 ? "," : "");
        relay_buffer_add_text(text, stored->journal[i]);
    }
    relay_buffer_add_words(text, "]}");
    return !text->failed;
}

static bool restore(struct durable_rooms *rooms, struct relay_text name, const struct store_room *stored,
                    struct relay_text epoch) {
    struct relay_buffer text;
    struct relay_kept_room kept = {.later = stored->journal + stored->covered,
                                   .later_count = stored->journal_count - stored->covered,
                                   .epoch = epoch};
    if (stored->snapshot.length < 2) /* no checkpoint yet */
        return relay_restore(rooms->relay, name, &kept) == RELAY_HYDRATED;
    bool restored = add_journal(&text, stored);
    kept.snapshot = (struct relay_text){text.memory, text.length};
    restored = restored && relay_restore(rooms->relay, name, &kept) == RELAY_HYDRATED;
    relay_buffer_free(&text);
    return restored;
}

static void remember(struct durable_rooms *rooms, struct durable_room *room, const struct store_room *stored) {
    room->id = stored->id;
    room->floor = stored->floor;
    room->snapshot_bytes = stored->snapshot.length;
    room->envelopes = stored->journal_count - stored->covered;
    room->bytes = 0;
    for (size_t i = stored->covered; i < stored->journal_count; i++)
        room->bytes += stored->journal[i].length;
    room->written_at = rooms->host.now(rooms->host.context);
    room->empty_at = 0;
    durable_consider(rooms, room);
}

/* A lower seq after a crash: another epoch tells the clients that this is not what they saw. */
static bool renew(struct durable_rooms *rooms, struct durable_room *room, struct relay_text epoch) {
    if (!store_set_epoch(rooms->store, room->id, epoch, &rooms->error))
        return false;
    room->renew = true; /* until the transaction is committed */
    durable_note(rooms, room);
    return true;
}

static bool take(struct durable_rooms *rooms, struct durable_room *room, const struct store_room *stored) {
    char fresh[EPOCH_CAPACITY];
    bool renews = stored->renew || room->renew;
    struct relay_text epoch = stored->epoch;
    if (renews)
        epoch = (struct relay_text){fresh, rooms->host.mint(rooms->host.context, fresh, sizeof fresh)};
    if (!durable_set_epoch(room, epoch) || !restore(rooms, durable_name(room), stored, epoch)) {
        rooms->error.code = STORE_FAILED;
        snprintf(rooms->error.text, sizeof rooms->error.text,
                 "a room in %.400s cannot be restored: it is not well formed, or memory is out",
                 rooms->settings.store.path);
        return false;
    }
    remember(rooms, room, stored);
    if (!renews || renew(rooms, room, epoch))
        return true;
    relay_discard(rooms->relay, durable_name(room));
    room->id = 0;
    return false;
}

enum relay_kept durable_restore(struct durable_rooms *rooms, struct relay_text name) {
    struct durable_room *room = durable_find_or_make(rooms, name);
    struct store_room stored;
    rooms->error = (struct store_error){STORE_FAILED, "out of memory"};
    enum store_found found = room != NULL ? store_load(rooms->store, name, &stored, &rooms->error) : STORE_UNREADABLE;
    if (found == STORE_ABSENT) {
        room->renew = false;
        durable_set_unwritten(room, (struct relay_text){NULL, 0}); /* of a life that is over */
        return RELAY_KEPT_NONE;
    }
    bool taken = found == STORE_FOUND && take(rooms, room, &stored);
    if (found == STORE_FOUND)
        store_room_free(&stored);
    rooms->counts.loads += taken;
    if (taken)
        return RELAY_KEPT_RESTORED;
    rooms->counts.failures++;
    rooms->trouble = durable_trouble_of(&rooms->error, DURABLE_UNREADABLE);
    durable_tell(rooms, rooms->error.text);
    return RELAY_KEPT_UNREADABLE;
}
