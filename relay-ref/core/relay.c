#include "relay-ref/core/relay.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/characters.h"
#include "relay-ref/core/connection.h"
#include "relay-ref/core/envelope.h"
#include "relay-ref/core/join.h"
#include "relay-ref/core/leave.h"
#include "relay-ref/core/presence.h"
#include "relay-ref/core/room.h"
#include "relay-ref/core/rules.h"
#include "relay-ref/core/signal.h"
#include "relay-ref/json/string.h"

struct relay_options relay_options_default(enum relay_protocol protocol) {
    return (struct relay_options){
        .protocol = protocol,
        .journal_limit = 1000, /* journal.default */
        .max_ops_per_envelope = 1024,
        .max_rooms = 100000,
        .max_array_length = 1000000,
        .max_rooms_per_connection = 1000,
        .max_members_per_room = 10000,
        .max_name_bytes = 16384,
        .max_presence_bytes = (size_t)4 << 20,
        .max_kept_bytes = (size_t)1 << 30,
        .max_root_bytes = (size_t)64 << 20,
        .max_journal_bytes = (size_t)64 << 20,
    };
}

/* ---- a relay's life ------------------------------------------------------------------------------ */

/* The hash seed comes from two epochs that nobody will see: as hard to foretell as the owner's `mint`. */
static void seed_tables(struct relay *relay) {
    static const struct table_seed start = {0, 0};
    uint64_t *words[] = {&relay->seed.first, &relay->seed.second};
    for (size_t i = 0; i < 2; i++) {
        char fresh[RELAY_EPOCH_CAPACITY];
        *words[i] = relay_table_hash(&start, fresh, relay->env.mint(relay->env.context, fresh, sizeof fresh));
    }
}

struct relay *relay_new(const struct relay_env *env, const struct relay_options *options) {
    struct relay *relay = calloc(1, sizeof *relay);
    if (relay == NULL)
        return NULL;
    relay->env = *env;
    relay->options = *options;
    relay->version = relay_version_of(options->protocol);
    relay->ops.max_depth = options->max_depth;
    seed_tables(relay);
    relay_table_start(&relay->rooms, &relay->seed);
    return relay;
}

static struct relay_connection *connection_at(struct list_link *link) {
    return CONTAINER_OF(link, struct relay_connection, link);
}

static void free_connection(struct relay_connection *connection) {
    relay_list_remove(&connection->relay->connections, &connection->link);
    relay_table_free(&connection->rooms);
    free(connection->texts);
    free(connection);
}

void relay_free(struct relay *relay) {
    if (relay == NULL)
        return;
    size_t position = 0;
    struct table_item *item;
    while ((item = relay_table_next(&relay->rooms, &position)) != NULL)
        relay_room_free(CONTAINER_OF(item, struct room, item));
    relay_table_free(&relay->rooms);
    while (relay->connections.first != NULL)
        free_connection(connection_at(relay->connections.first));
    free(relay->ops.items);
    relay_reading_free(&relay->reading);
    free(relay->spare);
    free(relay);
}

struct relay_counts relay_count(const struct relay *relay) {
    return (struct relay_counts){relay->rooms.count, relay->members, relay->kept_bytes};
}

bool relay_limit_hit(const struct relay *relay, enum relay_limit limit) {
    if (relay->env.on_limit != NULL)
        relay->env.on_limit(relay->env.context, limit);
    return false;
}

bool relay_room(const struct relay *relay, struct relay_text name, struct relay_room_info *info) {
    const struct room *room = relay_room_find(relay, name);
    if (room == NULL)
        return false;
    *info = (struct relay_room_info){.seq = room->seq,
                                     .members = room->members.count,
                                     .journal = room->journal.count,
                                     .ejected = room->ejected,
                                     .epoch = room->epoch,
                                     .stalled = room->durability.stalled};
    return true;
}

bool relay_release(struct relay *relay, struct relay_text name, uint64_t seq) {
    struct room *room = relay_room_find(relay, name);
    return room != NULL && relay_durability_decide(room, seq, false);
}

bool relay_fail(struct relay *relay, struct relay_text name, uint64_t seq) {
    struct room *room = relay_room_find(relay, name);
    return room != NULL && relay_durability_decide(room, seq, true);
}

/* room.unload */
bool relay_unload(struct relay *relay, struct relay_text name, bool discard) {
    struct room *room = relay_room_find(relay, name);
    if (room == NULL || room->members.count > 0)
        return false;
    if (relay_durability_waits(room) && !(discard && room->durability.stalled))
        return false;
    relay_room_forget(room);
    return true;
}

/* ---- a connection's life ------------------------------------------------------------------------- */

static struct relay_text copy_text(char **to, struct relay_text text) {
    if (text.bytes == NULL)
        return text;
    struct relay_text copy = {*to, text.length};
    if (text.length > 0)
        memcpy(*to, text.bytes, text.length);
    *to += text.length;
    return copy;
}

static bool copy_principal(struct relay_connection *connection, const struct relay_principal *principal) {
    char *to = malloc(principal->writer.length + principal->kind.length + principal->claims.length + 1);
    if (to == NULL)
        return false;
    connection->texts = to;
    connection->principal.writer = copy_text(&to, principal->writer);
    connection->principal.kind = copy_text(&to, principal->kind);
    connection->principal.claims = copy_text(&to, principal->claims);
    return true;
}

struct relay_connection *relay_connect(struct relay *relay, const struct relay_sink *sink,
                                       const struct relay_principal *principal) {
    struct relay_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL || !copy_principal(connection, principal)) {
        free(connection);
        return NULL;
    }
    connection->relay = relay;
    connection->sink = *sink;
    relay_table_start(&connection->rooms, &relay->seed);
    relay_list_append(&relay->connections, &connection->link);
    return connection;
}

void relay_connection_send(struct relay_connection *connection, struct relay_frame *frame) {
    if (!connection->closed || connection->relay->version->lingers)
        connection->sink.send(connection->sink.context, frame);
}

void relay_connection_close(struct relay_connection *connection) {
    if (connection->closed)
        return;
    connection->closed = true;
    connection->sink.close(connection->sink.context);
}

struct member *relay_connection_member(const struct relay_connection *connection, const struct json_value *room) {
    struct characters name;
    struct member *member = NULL;
    if (room->kind != JSON_STRING)
        return NULL;
    if (relay_characters_read(&name, room))
        member = CONTAINER_OF(relay_table_find(&connection->rooms, name.text), struct member, by_room);
    relay_characters_end(&name);
    return member;
}

/* leave.member-gone, leave.once, join.takeover-late-close: only what it still holds is left to go. */
void relay_disconnect(struct relay_connection *connection) {
    connection->closed = true;
    while (connection->memberships.first != NULL) {
        struct member *member = CONTAINER_OF(connection->memberships.first, struct member, in_connection);
        struct room *room = member->room;
        relay_leave(member);
        relay_room_evict(room);
    }
    free_connection(connection);
}

/* ---- messages ------------------------------------------------------------------------------------ */

/* False when memory is out. */
static bool dispatch(struct relay_connection *connection, const struct message *message) {
    if (relay_string_is(&message->type, "hello"))
        return relay_join(connection, message);
    struct member *member = relay_connection_member(connection, &message->room);
    if (member == NULL)
        return true; /* seq.non-member */
    if (relay_string_is(&message->type, "env"))
        return relay_envelope_receive(member, message);
    if (relay_string_is(&message->type, "presence"))
        return relay_presence_receive(member, message);
    if (relay_string_is(&message->type, "signal"))
        return relay_signal_receive(member, message);
    return true; /* frame.garbage-isolated: an unknown or missing `t` */
}

/* More ops or cites than this, and the memory that they took is not kept for the next envelope. */
#define KEPT_PARTS 8192

static void give_back_much(struct relay *relay) {
    if (relay->ops.capacity > KEPT_PARTS) {
        free(relay->ops.items);
        relay->ops = (struct message_ops){.max_depth = relay->ops.max_depth};
    }
    if (relay->reading.op_capacity > KEPT_PARTS || relay->reading.cite_capacity > KEPT_PARTS ||
        relay->reading.keys.capacity > KEPT_PARTS * 64)
        relay_reading_free(&relay->reading);
}

/* frame.garbage-survives: a connection is closed or goes on, never left open and deaf. */
void relay_receive(struct relay_connection *connection, const char *bytes, size_t length) {
    struct relay *relay = connection->relay;
    struct message message;
    if (connection->closed)
        return;
    size_t limit = relay->version->rules->ops_limit;
    enum json_error error = relay_message_read(&message, &relay->ops,
                                               limit != 0 ? limit : relay->options.max_ops_per_envelope, bytes, length);
    if (error == JSON_TOO_DEEP)
        relay_limit_hit(relay, RELAY_LIMIT_DEPTH);
    if (error != JSON_FINE || !dispatch(connection, &message))
        relay_connection_close(connection);
    give_back_much(relay);
}
