/* What is known of each room in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/durable_state.h"

/* The same sentence is not told again for so long, in milliseconds. */
#define SILENCE_MS 10000

struct durable_room *durable_find(const struct durable_rooms *rooms, struct relay_text name) {
    return CONTAINER_OF(relay_table_find(&rooms->rooms, name), struct durable_room, item);
}

/* Field by field: the name begins where the struct's last bytes may be no field's. */
static void start_room(struct durable_room *room) {
    room->is_in_turn = room->is_due = room->failed = room->renew = false;
    room->id = 0;
    room->floor = 1;
    room->epoch = room->unwritten = (struct relay_text){NULL, 0};
    room->envelopes = room->bytes = room->snapshot_bytes = 0;
    room->written_at = room->empty_at = 0;
}

struct durable_room *durable_find_or_make(struct durable_rooms *rooms, struct relay_text name) {
    struct durable_room *room = durable_find(rooms, name);
    if (room != NULL)
        return room;
    room = calloc(1, sizeof *room + name.length);
    if (room == NULL)
        return NULL;
    if (name.length > 0)
        memcpy(room->name, name.bytes, name.length);
    room->item.key = (struct relay_text){room->name, name.length};
    start_room(room);
    if (relay_table_put(&rooms->rooms, &room->item))
        return room;
    free(room);
    return NULL;
}

static void free_room(struct durable_room *room) {
    free((char *)(uintptr_t)room->unwritten.bytes);
    free((char *)(uintptr_t)room->epoch.bytes);
    free(room);
}

static void take_out(struct durable_rooms *rooms, struct durable_room *room) {
    if (rooms->job.room == room)
        durable_give_up_checkpoint(rooms, 0);
    if (room->is_in_turn)
        relay_list_remove(&rooms->in_turn, &room->in_turn);
    if (room->is_due)
        relay_list_remove(&rooms->due, &room->in_due);
}

void durable_blank(struct durable_rooms *rooms, struct durable_room *room) {
    take_out(rooms, room);
    free((char *)(uintptr_t)room->unwritten.bytes);
    free((char *)(uintptr_t)room->epoch.bytes);
    start_room(room);
}

void durable_drop(struct durable_rooms *rooms, struct durable_room *room) {
    take_out(rooms, room);
    relay_table_take(&rooms->rooms, &room->item);
    free_room(room);
}

void durable_drop_all(struct durable_rooms *rooms) {
    size_t position = 0;
    struct table_item *item;
    durable_give_up_checkpoint(rooms, 0);
    while ((item = relay_table_next(&rooms->rooms, &position)) != NULL)
        free_room(CONTAINER_OF(item, struct durable_room, item));
    relay_table_free(&rooms->rooms);
    relay_table_start(&rooms->rooms, &rooms->seed);
    rooms->sweep_position = 0;
    rooms->in_turn = (struct list){NULL, NULL};
    rooms->due = (struct list){NULL, NULL};
}

void durable_note(struct durable_rooms *rooms, struct durable_room *room) {
    if (room->is_in_turn)
        return;
    room->is_in_turn = true;
    relay_list_append(&rooms->in_turn, &room->in_turn);
}

void durable_set_unwritten(struct durable_room *room, struct relay_text snapshot) {
    free((char *)(uintptr_t)room->unwritten.bytes);
    room->unwritten = snapshot;
}

bool durable_set_epoch(struct durable_room *room, struct relay_text epoch) {
    char *copy = malloc(epoch.length + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, epoch.bytes, epoch.length);
    free((char *)(uintptr_t)room->epoch.bytes);
    room->epoch = (struct relay_text){copy, epoch.length};
    return true;
}

void durable_tell(struct durable_rooms *rooms, const char *sentence) {
    int64_t now = rooms->host.now(rooms->host.context);
    if (strcmp(rooms->told, sentence) == 0 && now - rooms->told_at < SILENCE_MS)
        return;
    snprintf(rooms->told, sizeof rooms->told, "%s", sentence);
    rooms->told_at = now;
    rooms->host.tell(rooms->host.context, sentence);
}

enum durable_trouble durable_trouble_of(const struct store_error *error, enum durable_trouble usual) {
    return error->code == STORE_BUSY ? DURABLE_LOCKED : usual;
}
