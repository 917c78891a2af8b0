#include "relay-ref/adapters/durable_rooms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/durable_state.h"

static int64_t now_of(const struct durable_rooms *rooms) {
    return rooms->host.now(rooms->host.context);
}

/* ---- life --------------------------------------------------------------------------------------- */

struct durable_rooms *durable_open(const struct durable_settings *settings, const struct durable_host *host,
                                   struct store_error *error) {
    char fresh[64];
    static const struct table_seed start = {0, 0};
    struct durable_rooms *rooms = calloc(1, sizeof *rooms);
    *error = (struct store_error){STORE_FAILED, "out of memory"};
    if (rooms == NULL)
        return NULL;
    rooms->settings = *settings;
    rooms->host = *host;
    rooms->seed.first = relay_table_hash(&start, fresh, host->mint(host->context, fresh, sizeof fresh));
    rooms->seed.second = relay_table_hash(&start, fresh, host->mint(host->context, fresh, sizeof fresh));
    relay_table_start(&rooms->rooms, &rooms->seed);
    rooms->store = store_open(&settings->store, error);
    if (rooms->store != NULL)
        return rooms;
    free(rooms);
    return NULL;
}

/* Whether some room's clients may know more than the file holds. */
static bool is_behind(const struct durable_rooms *rooms) {
    size_t position = 0;
    struct table_item *item;
    while ((item = relay_table_next(&rooms->rooms, &position)) != NULL)
        if (CONTAINER_OF(item, struct durable_room, item)->renew)
            return true;
    return false;
}

void durable_close(struct durable_rooms *rooms) {
    if (rooms == NULL)
        return;
    bool orderly = !rooms->turn_failed && store_commit(rooms->store, &rooms->error);
    if (!orderly)
        durable_tell(rooms, rooms->error.text);
    for (struct list_link *link = rooms->in_turn.first; link != NULL; link = link->next) {
        struct durable_room *room = CONTAINER_OF(link, struct durable_room, in_turn);
        room->renew = room->failed;
    }
    orderly = orderly && !is_behind(rooms);
    durable_drop_all(rooms);
    store_close(rooms->store, orderly);
    free(rooms);
}

void durable_serve(struct durable_rooms *rooms, struct relay *relay) {
    store_rollback(rooms->store);
    durable_drop_all(rooms);
    rooms->turn_failed = false;
    rooms->relay = relay;
}

bool durable_is_empty(struct durable_rooms *rooms, bool *empty, struct store_error *error) {
    return store_is_empty(rooms->store, empty, error);
}

bool durable_forget_all(struct durable_rooms *rooms, unsigned wire, struct store_error *error) {
    store_rollback(rooms->store);
    return store_forget_all(rooms->store, wire, error);
}

struct durable_counts durable_count(const struct durable_rooms *rooms) {
    return rooms->counts;
}

enum durable_trouble durable_trouble(const struct durable_rooms *rooms) {
    return rooms->trouble;
}

void durable_calm(struct durable_rooms *rooms) {
    rooms->trouble = DURABLE_NO_TROUBLE;
}

/* ---- into the turn's transaction ---------------------------------------------------------------- */

static bool same_text(struct relay_text left, struct relay_text right) {
    return left.length == right.length && (left.length == 0 || memcmp(left.bytes, right.bytes, left.length) == 0);
}

/* The room's row, with the epoch that it has now. */
static bool put_room(struct durable_rooms *rooms, struct durable_room *room, struct relay_text epoch) {
    bool known = room->id != 0;
    if (known && same_text(room->epoch, epoch))
        return true;
    if (!durable_set_epoch(room, epoch)) {
        rooms->error = (struct store_error){STORE_FAILED, "out of memory"};
        return false;
    }
    return known ? store_set_epoch(rooms->store, room->id, epoch, &rooms->error)
                 : store_room_id(rooms->store, durable_name(room), epoch, &room->id, &rooms->error);
}

/* The whole room as of `seq`, behind which its journal in the file begins. */
static bool put_snapshot(struct durable_rooms *rooms, struct durable_room *room, uint64_t seq,
                         struct relay_text snapshot) {
    struct store_checkpoint checkpoint = {.room = room->id, .seq = seq, .floor = seq + 1, .snapshot = snapshot};
    while (checkpoint.phase != STORE_DONE)
        if (!store_checkpoint_step(rooms->store, &checkpoint, &rooms->error))
            return false;
    room->floor = seq + 1;
    room->snapshot_bytes = snapshot.length;
    return true;
}

/* What the room was hydrated with at seq 0, if it was. */
static bool put_unwritten(struct durable_rooms *rooms, struct durable_room *room) {
    if (room->unwritten.bytes == NULL)
        return true;
    bool put = put_snapshot(rooms, room, 0, room->unwritten);
    durable_set_unwritten(room, (struct relay_text){NULL, 0});
    return put;
}

static bool put(struct durable_rooms *rooms, struct durable_room *room, struct relay_text envelope,
                const struct relay_commit_state *state) {
    if (rooms->turn_failed || room->failed)
        return false;
    if (put_room(rooms, room, state->epoch) && put_unwritten(rooms, room) &&
        store_append(rooms->store, room->id, state->seq, envelope, &rooms->error))
        return true;
    /* A contradiction concerns this room alone; anything else, the file. */
    rooms->turn_failed = rooms->error.code != STORE_DAMAGED;
    durable_tell(rooms, rooms->error.text);
    return false;
}

void durable_commit(struct durable_rooms *rooms, struct relay_text name, struct relay_text envelope,
                    const struct relay_commit_state *state) {
    struct durable_room *room = durable_find(rooms, name); /* there since durable_restore was asked for it */
    durable_note(rooms, room);
    room->failed = !put(rooms, room, envelope, state);
    rooms->turn_envelopes++;
    room->envelopes++;
    room->bytes += envelope.length;
}

void durable_adopt(struct durable_rooms *rooms, struct relay_text name) {
    struct durable_room *room = durable_find(rooms, name);
    struct relay_room_info info;
    struct relay_text snapshot;
    if (room == NULL || !relay_room(rooms->relay, name, &info))
        return;
    if (rooms->turn_failed || !relay_snapshot(rooms->relay, name, &snapshot)) {
        durable_note(rooms, room);
        room->failed = true;
        return;
    }
    if (info.seq == 0) {
        durable_set_unwritten(room, snapshot);
        return;
    }
    /* Its journal came with the snapshot and is in memory alone: after a restart a stale watermark gets the snapshot.
     */
    durable_note(rooms, room);
    room->failed = !put_room(rooms, room, info.epoch) || !put_snapshot(rooms, room, info.seq, snapshot);
    free((char *)(uintptr_t)snapshot.bytes);
}

/* ---- the turn is over --------------------------------------------------------------------------- */

/* The room goes back to what is in the file. Whoever was in it comes back by a new hello. */
static void lose(struct durable_rooms *rooms, struct durable_room *room) {
    rooms->trouble = durable_trouble_of(&rooms->error, DURABLE_UNWRITTEN);
    relay_discard(rooms->relay, durable_name(room));
    rooms->trouble = DURABLE_NO_TROUBLE;
    bool renew = room->renew || !rooms->settings.store.durable;
    durable_blank(rooms, room);
    room->renew = renew;
}

/* True when some room was lost. */
static bool settle(struct durable_rooms *rooms, bool committed, int64_t now) {
    bool lost = false;
    while (rooms->in_turn.first != NULL) {
        struct durable_room *room = CONTAINER_OF(rooms->in_turn.first, struct durable_room, in_turn);
        relay_list_remove(&rooms->in_turn, &room->in_turn);
        room->is_in_turn = false;
        if (!committed || room->failed) {
            lose(rooms, room);
            lost = true;
            continue;
        }
        room->renew = false;
        room->written_at = now;
        durable_consider(rooms, room);
    }
    return lost;
}

static void count_transaction(struct durable_rooms *rooms, bool committed) {
    rooms->counts.transactions += committed;
    rooms->counts.envelopes += committed ? rooms->turn_envelopes : 0;
    rooms->counts.failures += !committed;
}

static bool end_transaction(struct durable_rooms *rooms, int64_t now) {
    bool any = rooms->turn_failed || store_has_batch(rooms->store);
    bool committed = !rooms->turn_failed && store_commit(rooms->store, &rooms->error);
    if (!committed) {
        store_rollback(rooms->store);
        durable_tell(rooms, rooms->error.text);
    }
    if (any)
        count_transaction(rooms, committed);
    rooms->turn_failed = false;
    rooms->turn_envelopes = 0;
    return settle(rooms, committed, now);
}

struct durable_turn durable_turn_over(struct durable_rooms *rooms) {
    int64_t now = now_of(rooms);
    bool lost = end_transaction(rooms, now);
    durable_step_checkpoint(rooms, now);
    durable_begin_checkpoint(rooms, now);
    durable_sweep(rooms, now);
    return (struct durable_turn){durable_checkpoint_wait(rooms, now, durable_sweep_wait(rooms)), lost};
}
