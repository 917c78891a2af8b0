#include "relay-ref/core/room.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/connection.h"
#include "relay-ref/core/presence.h"
#include "relay-ref/core/rate.h"
#include "relay-ref/core/rules.h"

struct room *relay_room_find(const struct relay *relay, struct relay_text name) {
    return CONTAINER_OF(relay_table_find(&relay->rooms, name), struct room, item);
}

static bool start_room(struct room *room, struct relay *relay) {
    room->relay = relay;
    relay_journal_start(&room->journal, relay->options.journal_limit);
    room->journal.max_bytes = relay->options.max_journal_bytes;
    relay_table_start(&room->members, &relay->seed);
    relay_table_start(&room->writers, &relay->seed);
    return relay->version->rules->start(room);
}

struct room *relay_room_new(struct relay *relay, struct relay_text name) {
    if (relay->rooms.count >= relay->options.max_rooms || !relay_table_reserve(&relay->rooms))
        return NULL;
    struct room *room = calloc(1, sizeof *room + name.length);
    if (room == NULL)
        return NULL;
    if (!start_room(room, relay)) {
        free(room);
        return NULL;
    }
    if (!relay_room_mint(room)) {
        relay->version->rules->end(room);
        free(room);
        return NULL;
    }
    if (name.length > 0)
        memcpy(room->name, name.bytes, name.length);
    room->item.key = (struct relay_text){room->name, name.length};
    relay_table_put(&relay->rooms, &room->item);
    return room;
}

void relay_room_weigh(struct room *room) {
    size_t weight = room->journal.bytes + room->fold.bytes + room->presence_bytes + room->writer_bytes +
                    (room->generation != NULL ? room->generation->bytes : 0);
    room->relay->kept_bytes += weight - room->weight;
    room->weight = weight;
}

static void free_writers(struct room *room) {
    size_t position = 0;
    struct table_item *item;
    while ((item = relay_table_next(&room->writers, &position)) != NULL)
        free(CONTAINER_OF(item, struct room_writer, item));
    relay_table_free(&room->writers);
}

void relay_room_free(struct room *room) {
    while (room->roster.first != NULL)
        relay_room_leave(relay_member_in_roster(room->roster.first));
    room->relay->kept_bytes -= room->weight;
    free_writers(room);
    relay_table_free(&room->members);
    relay_journal_free(&room->journal);
    relay_durability_free(&room->durability);
    room->relay->version->rules->end(room);
    free((char *)room->epoch.bytes);
    free(room);
}

void relay_room_forget(struct room *room) {
    relay_table_take(&room->relay->rooms, &room->item);
    relay_room_free(room);
}

void relay_room_evict(struct room *room) {
    if (room->relay->version->evicts && room->seq == 0 && room->members.count == 0 && room->ejected == 0)
        relay_room_forget(room);
}

bool relay_room_set_epoch(struct room *room, struct relay_text epoch) {
    char *copy = malloc(epoch.length);
    if (copy == NULL)
        return false;
    memcpy(copy, epoch.bytes, epoch.length);
    free((char *)room->epoch.bytes);
    room->epoch = (struct relay_text){copy, epoch.length};
    return true;
}

bool relay_room_mint(struct room *room) {
    const struct relay_env *env = &room->relay->env;
    char fresh[RELAY_EPOCH_CAPACITY];
    size_t length = env->mint(env->context, fresh, sizeof fresh);
    return relay_room_set_epoch(room, (struct relay_text){fresh, length});
}

/* ---- members ------------------------------------------------------------------------------------ */

struct member *relay_room_member(const struct room *room, struct relay_text origin) {
    return CONTAINER_OF(relay_table_find(&room->members, origin), struct member, by_origin);
}

struct member *relay_room_join(struct room *room, struct relay_connection *connection, struct relay_text origin) {
    if (!relay_table_reserve(&room->members) || !relay_table_reserve(&connection->rooms))
        return NULL;
    struct member *member = calloc(1, sizeof *member + origin.length);
    if (member == NULL)
        return NULL;
    if (origin.length > 0)
        memcpy(member->origin, origin.bytes, origin.length);
    member->room = room;
    member->connection = connection;
    member->joined_as = ++room->joins;
    member->by_origin.key = (struct relay_text){member->origin, origin.length};
    member->by_room.key = room->item.key;
    relay_table_put(&room->members, &member->by_origin);
    relay_table_put(&connection->rooms, &member->by_room);
    room->relay->members++;
    relay_list_append(&room->roster, &member->in_roster);
    relay_list_append(&connection->memberships, &member->in_connection);
    return member;
}

void relay_room_leave(struct member *member) {
    relay_presence_forget(member);
    relay_table_take(&member->room->members, &member->by_origin);
    relay_table_take(&member->connection->rooms, &member->by_room);
    member->room->relay->members--;
    relay_list_remove(&member->room->roster, &member->in_roster);
    relay_list_remove(&member->connection->memberships, &member->in_connection);
    free(member);
}

void relay_room_broadcast(const struct room *room, struct relay_frame *frame, const struct member *except) {
    for (struct list_link *link = room->roster.first; link != NULL; link = link->next) {
        struct member *member = relay_member_in_roster(link);
        if (member != except)
            relay_connection_send(member->connection, frame);
    }
}

void relay_room_close(const struct room *room, const struct member *except) {
    for (struct list_link *link = room->roster.first; link != NULL; link = link->next) {
        struct member *member = relay_member_in_roster(link);
        if (member != except)
            relay_connection_close(member->connection);
    }
}

/* ---- writers ------------------------------------------------------------------------------------ */

struct room_writer *relay_room_writer(const struct room *room, struct relay_text writer) {
    return CONTAINER_OF(relay_table_find(&room->writers, writer), struct room_writer, item);
}

struct room_writer *relay_room_writer_made(struct room *room, struct relay_text writer) {
    struct room_writer *record = relay_room_writer(room, writer);
    if (record != NULL)
        return record;
    relay_rate_sweep(room);
    record = calloc(1, sizeof *record + writer.length);
    if (record == NULL)
        return NULL;
    memcpy(record->name, writer.bytes, writer.length);
    record->item.key = (struct relay_text){record->name, writer.length};
    if (!relay_table_put(&room->writers, &record->item)) {
        free(record);
        return NULL;
    }
    room->writer_bytes += sizeof *record + writer.length;
    relay_room_weigh(room);
    return record;
}
