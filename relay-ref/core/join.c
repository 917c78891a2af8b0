#include "relay-ref/core/join.h"

#include "relay-ref/core/characters.h"
#include "relay-ref/core/connection.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/leave.h"
#include "relay-ref/core/restore.h"
#include "relay-ref/core/room.h"
#include "relay-ref/core/welcome.h"
#include "relay-ref/json/number.h"

/* Why a hello is turned away; `reason` is NULL when it is not. */
struct refusal {
    const char *reason;
    bool has_expected;
    double expected;
};

static bool ejected(const struct room *room, struct relay_text writer) {
    struct room_writer *record = room == NULL ? NULL : relay_room_writer(room, writer);
    return record != NULL && record->ejected;
}

/* join.schema-absent: what is no number asks for nothing. A room that is to be made is at 0. */
static struct refusal refusal_by_schema(const struct relay *relay, const struct room *room,
                                        const struct message *message) {
    double own = room == NULL ? 0 : room->schema_version, asked;
    if (relay->version->schema && relay_number_read(&message->schema_version, &asked) && asked < own)
        return (struct refusal){"schema", true, own};
    return (struct refusal){NULL, false, 0};
}

/*
 * join.reject-order: the writer's ejection, the wire version, the policy version, the schema version. The last has to
 * wait as long as the room `is_unread`: it may be restored with another one.
 */
static struct refusal refusal_of(const struct relay_connection *connection, const struct room *room,
                                 const struct message *message, bool is_unread) {
    const struct relay *relay = connection->relay;
    if (ejected(room, connection->principal.writer))
        return (struct refusal){"unauthorized", false, 0};
    if (!relay_number_equals(&message->proto, relay->version->wire))
        return (struct refusal){"proto", true, relay->version->wire};
    if (!relay_number_equals(&message->policy_version, relay->options.policy_version))
        return (struct refusal){"policy-version", true, relay->options.policy_version};
    return is_unread ? (struct refusal){NULL, false, 0} : refusal_by_schema(relay, room, message);
}

/* join.reject-open, join.reject-silent, join.reject-keeps-membership: an answer, and nothing else. */
static bool send_reject(struct relay_connection *connection, struct relay_text room, const struct refusal *refusal) {
    struct relay_buffer text;
    relay_frame_start(&text, room.length + 96);
    relay_buffer_add_words(&text, "{\"t\":\"reject\",\"room\":");
    relay_buffer_add_string(&text, room);
    relay_buffer_add_words(&text, ",\"reason\":\"");
    relay_buffer_add_words(&text, refusal->reason);
    relay_buffer_add_words(&text, "\"");
    if (refusal->has_expected) {
        relay_buffer_add_words(&text, ",\"expected\":");
        relay_buffer_add_number(&text, refusal->expected);
    }
    relay_buffer_add_words(&text, "}");
    struct relay_frame *frame = relay_frame_finish(&text);
    if (frame == NULL)
        return false;
    relay_connection_send(connection, frame);
    relay_frame_release(frame);
    return true;
}

static void observe_reject(const struct relay_connection *connection, struct relay_text room,
                           const struct refusal *refusal) {
    const struct relay_env *env = &connection->relay->env;
    if (env->on_reject == NULL)
        return;
    struct relay_rejection seen = {connection->principal.writer, refusal->reason, refusal->has_expected,
                                   refusal->expected};
    env->on_reject(env->context, room, &seen);
}

/* room.evict-empty: a hello that came to nothing does not keep a room alive. */
static bool turn_away(struct relay_connection *connection, struct room *room, struct relay_text name,
                      const struct refusal *refusal) {
    bool sent = send_reject(connection, name, refusal);
    observe_reject(connection, name, refusal);
    if (room != NULL)
        relay_room_evict(room);
    return sent;
}

/* ---- joining ------------------------------------------------------------------------------------ */

/* join.takeover: the older connection loses the origin and is closed. */
static struct member *take_over(struct room *room, struct relay_connection *connection, struct relay_text origin) {
    struct member *holder = relay_room_member(room, origin);
    if (holder != NULL) {
        struct relay_connection *older = holder->connection;
        relay_leave_displaced(holder);
        relay_connection_close(older);
    }
    return relay_room_join(room, connection, origin);
}

/*
 * join.rehello: the same origin again only loses its presence entry and its place in the roster. join.second-origin,
 * leave.no-ghost: a connection has one origin a room; with another one, the earlier leaves.
 */
static struct member *become_member(struct room *room, struct relay_connection *connection, struct relay_text origin) {
    struct member *own = CONTAINER_OF(relay_table_find(&connection->rooms, room->item.key), struct member, by_room);
    if (own != NULL && own == relay_room_member(room, origin)) {
        relay_leave_and_return(own);
        return own;
    }
    if (own != NULL)
        relay_leave(own);
    return take_over(room, connection, origin);
}

static void observe_join(const struct member *joiner) {
    const struct relay_env *env = &joiner->room->relay->env;
    if (env->on_join != NULL)
        env->on_join(env->context, joiner->room->item.key, joiner->connection->principal.writer, joiner->by_origin.key);
}

/* join.member-broadcast: the others first, then the joiner's welcome. */
static bool admit(struct relay_connection *connection, struct room *room, struct relay_text origin,
                  const struct json_value *seq) {
    struct member *joiner = become_member(room, connection, origin);
    if (joiner == NULL) {
        relay_room_evict(room);
        return false;
    }
    observe_join(joiner);
    return relay_announce_member(room, joiner->by_origin.key, joiner) && relay_welcome(joiner, seq);
}

/* Whether the hello would go past a ceiling. Who is in the room already, or takes an origin over, adds nobody to it. */
static bool is_crowded(const struct relay_connection *connection, const struct room *room, struct relay_text name,
                       struct relay_text origin, enum relay_limit *limit) {
    const struct relay *relay = connection->relay;
    const struct relay_options *options = &relay->options;
    bool joined = relay_table_find(&connection->rooms, name) != NULL;
    *limit = RELAY_LIMIT_ROOMS;
    if (room == NULL && relay->rooms.count >= options->max_rooms)
        return true;
    *limit = RELAY_LIMIT_ROOMS_PER_CONNECTION;
    if (!joined && connection->rooms.count >= options->max_rooms_per_connection)
        return true;
    *limit = RELAY_LIMIT_MEMBERS;
    return room != NULL && !joined && room->members.count >= options->max_members_per_room &&
           relay_room_member(room, origin) == NULL;
}

static bool answer_hello(struct relay_connection *connection, const struct message *message,
                         struct relay_text room_name, struct relay_text origin) {
    struct relay *relay = connection->relay;
    struct room *room = relay_room_find(relay, room_name);
    bool is_unread = room == NULL && relay->env.restore != NULL;
    struct refusal refusal = refusal_of(connection, room, message, is_unread);
    if (refusal.reason != NULL)
        return turn_away(connection, room, room_name, &refusal);
    size_t longest = relay->options.max_name_bytes;
    enum relay_limit limit;
    if (room_name.length > longest || origin.length > longest)
        return relay_limit_hit(relay, RELAY_LIMIT_NAME_BYTES);
    if (is_crowded(connection, room, room_name, origin, &limit))
        return relay_limit_hit(relay, limit);
    if (is_unread) {
        if (!relay_room_restored(relay, room_name, &room))
            return false;
        refusal = refusal_of(connection, room, message, false);
        if (refusal.reason != NULL)
            return turn_away(connection, room, room_name, &refusal);
    }
    if (room == NULL)
        room = relay_room_new(relay, room_name);
    return room != NULL && admit(connection, room, origin, &message->seq);
}

bool relay_join(struct relay_connection *connection, const struct message *message) {
    if (message->room.kind != JSON_STRING || message->origin.kind != JSON_STRING)
        return true; /* frame.garbage-isolated */
    struct characters room, origin;
    bool read_room = relay_characters_read(&room, &message->room);
    bool read_origin = relay_characters_read(&origin, &message->origin);
    bool done = read_room && read_origin && answer_hello(connection, message, room.text, origin.text);
    relay_characters_end(&origin);
    relay_characters_end(&room);
    return done;
}
