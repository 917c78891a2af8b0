#include "relay-ref/core/presence.h"

#include "relay-ref/core/connection.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/room.h"

static void begin_frame(struct relay_buffer *text, const struct room *room, size_t expected) {
    relay_frame_start(text, expected + room->item.key.length + 64);
    relay_buffer_add_words(text, "{\"t\":\"presence\",\"room\":");
    relay_buffer_add_string(text, room->item.key);
    relay_buffer_add_words(text, ",\"peer\":");
}

/* identity.adapter-writer: the writer is the principal's. presence.data-absent: no data in, no data out. */
static void add_peer(struct relay_buffer *text, const struct member *member, const struct json_value *data) {
    relay_buffer_add_words(text, "{\"origin\":");
    relay_buffer_add_string(text, member->by_origin.key);
    relay_buffer_add_words(text, ",\"writer\":");
    relay_buffer_add_string(text, member->connection->principal.writer);
    if (data->kind != JSON_ABSENT) {
        relay_buffer_add_words(text, ",\"data\":");
        relay_buffer_add(text, data->bytes, data->length);
    }
    relay_buffer_add_words(text, "}");
}

static size_t bytes_of(const struct member *member) {
    return member->presence != NULL ? member->peer_length : 0;
}

/* presence.replace: one entry an origin, at the place of its first one. */
static void keep_entry(struct member *member, struct relay_frame *frame, size_t at, size_t length) {
    if (member->presence == NULL)
        relay_list_append(&member->room->presences, &member->in_presences);
    else
        relay_frame_release(member->presence);
    member->room->presence_bytes += length - bytes_of(member);
    relay_frame_keep(frame);
    member->presence = frame;
    member->peer_at = at;
    member->peer_length = length;
    relay_room_weigh(member->room);
}

/* presence.fan-out: to every other member. */
bool relay_presence_receive(struct member *member, const struct message *message) {
    struct relay_buffer text;
    const struct relay *relay = member->room->relay;
    begin_frame(&text, member->room, message->data.length + member->by_origin.key.length + 128);
    size_t at = text.length;
    add_peer(&text, member, &message->data);
    size_t length = text.length - at;
    relay_buffer_add_words(&text, "}");
    struct relay_frame *frame = relay_frame_finish(&text);
    if (frame == NULL)
        return false;
    size_t others = member->room->presence_bytes - bytes_of(member);
    if (length > relay->options.max_presence_bytes || others > relay->options.max_presence_bytes - length) {
        relay_frame_release(frame);
        return relay_limit_hit(relay, RELAY_LIMIT_PRESENCE_BYTES);
    }
    keep_entry(member, frame, at, length);
    relay_room_broadcast(member->room, frame, member);
    relay_frame_release(frame);
    return true;
}

void relay_presence_forget(struct member *member) {
    if (member->presence == NULL)
        return;
    relay_list_remove(&member->room->presences, &member->in_presences);
    member->room->presence_bytes -= member->peer_length;
    relay_frame_release(member->presence);
    member->presence = NULL;
    relay_room_weigh(member->room);
}

/* presence.gone: with the last peer state. */
struct relay_frame *relay_presence_gone(const struct member *member) {
    struct relay_buffer text;
    begin_frame(&text, member->room, member->peer_length);
    relay_buffer_add(&text, member->presence->text + member->peer_at, member->peer_length);
    relay_buffer_add_words(&text, ",\"gone\":true}");
    return relay_frame_finish(&text);
}

void relay_presence_print(const struct room *room, struct relay_buffer *out) {
    relay_buffer_add(out, "[", 1);
    for (struct list_link *link = room->presences.first; link != NULL; link = link->next) {
        const struct member *member = CONTAINER_OF(link, struct member, in_presences);
        if (link != room->presences.first)
            relay_buffer_add(out, ",", 1);
        relay_buffer_add(out, member->presence->text + member->peer_at, member->peer_length);
    }
    relay_buffer_add(out, "]", 1);
}
