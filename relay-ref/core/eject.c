#include "relay-ref/core/eject.h"

#include <string.h>

#include "relay-ref/core/connection.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/leave.h"
#include "relay-ref/core/room.h"

static struct relay_frame *eject_frame(const struct room *room, struct relay_text writer, const char *reason) {
    struct relay_buffer text;
    relay_frame_start(&text, room->item.key.length + writer.length + 96);
    relay_buffer_add_words(&text, "{\"t\":\"eject\",\"room\":");
    relay_buffer_add_string(&text, room->item.key);
    relay_buffer_add_words(&text, ",\"writer\":");
    relay_buffer_add_string(&text, writer);
    relay_buffer_add_words(&text, ",\"reason\":\"");
    relay_buffer_add_words(&text, reason);
    relay_buffer_add_words(&text, "\"}");
    return relay_frame_finish(&text);
}

/* eject.observed: before anything is sent. */
static void observe(const struct room *room, struct relay_text writer, const struct violation *violation) {
    const struct relay_env *env = &room->relay->env;
    if (env->on_violation == NULL)
        return;
    struct relay_violation seen = {.writer = writer, .reason = violation->reason, .detail = violation->detail};
    if (violation->path.kind != JSON_ABSENT)
        seen.path = (struct relay_text){violation->path.bytes, violation->path.length};
    env->on_violation(env->context, room->item.key, &seen);
}

static bool same_text(struct relay_text left, struct relay_text right) {
    return left.length == right.length && memcmp(left.bytes, right.bytes, left.length) == 0;
}

/* Every member of the writer leaves, in the order of joining; gives their connections as a chain in that order. */
static struct relay_connection *dismiss(struct room *room, struct relay_text writer) {
    struct relay_connection *first = NULL, **last = &first;
    struct list_link *next;
    for (struct list_link *link = room->roster.first; link != NULL; link = next) {
        struct member *member = relay_member_in_roster(link);
        next = link->next;
        if (!same_text(member->connection->principal.writer, writer))
            continue;
        *last = member->connection;
        last = &member->connection->next_to_close;
        relay_leave(member);
    }
    *last = NULL;
    return first;
}

/* eject.connection: word to the offender alone; the writer's other connections stay, and it may come back on a new one.
 */
static bool eject_connection(struct member *offender, const struct violation *violation) {
    struct relay_connection *connection = offender->connection;
    struct relay_frame *frame = eject_frame(offender->room, connection->principal.writer, violation->reason);
    if (frame == NULL)
        return false;
    observe(offender->room, connection->principal.writer, violation);
    relay_connection_send(connection, frame);
    relay_frame_release(frame);
    relay_leave(offender);
    relay_connection_close(connection);
    return true;
}

/* eject.broadcast, eject.all-connections, eject.blacklist: word to all, then the leaving, then the closing. */
static bool eject_writer(struct member *offender, const struct violation *violation) {
    struct room *room = offender->room;
    struct relay_text writer = offender->connection->principal.writer;
    struct relay_frame *frame = eject_frame(room, writer, violation->reason);
    if (frame == NULL)
        return false;
    struct room_writer *record = relay_room_writer_made(room, writer);
    if (record == NULL) {
        relay_frame_release(frame);
        return false;
    }
    observe(room, writer, violation);
    room->ejected += record->ejected ? 0 : 1;
    record->ejected = true;
    relay_room_broadcast(room, frame, NULL);
    relay_frame_release(frame);
    struct relay_connection *next;
    for (struct relay_connection *at = dismiss(room, writer); at != NULL; at = next) {
        next = at->next_to_close;
        relay_connection_close(at);
    }
    return true;
}

bool relay_eject(struct member *offender, const struct violation *violation) {
    return offender->room->relay->options.ejection == RELAY_EJECT_CONNECTION ? eject_connection(offender, violation)
                                                                             : eject_writer(offender, violation);
}
