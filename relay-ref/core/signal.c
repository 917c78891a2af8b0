#include "relay-ref/core/signal.h"

#include "relay-ref/core/characters.h"
#include "relay-ref/core/connection.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/room.h"

/* signal.addressed: `from` is the sender's own origin, whatever it may claim. */
static struct relay_frame *signal_frame(const struct member *sender, const struct json_value *data) {
    struct relay_buffer text;
    relay_frame_start(&text, sender->room->item.key.length + sender->by_origin.key.length + data->length + 64);
    relay_buffer_add_words(&text, "{\"t\":\"signal\",\"room\":");
    relay_buffer_add_string(&text, sender->room->item.key);
    relay_buffer_add_words(&text, ",\"from\":");
    relay_buffer_add_string(&text, sender->by_origin.key);
    if (data->kind != JSON_ABSENT) {
        relay_buffer_add_words(&text, ",\"data\":");
        relay_buffer_add(&text, data->bytes, data->length);
    }
    relay_buffer_add_words(&text, "}");
    return relay_frame_finish(&text);
}

/* signal.self, signal.unknown, signal.room-scoped */
bool relay_signal_receive(struct member *member, const struct message *message) {
    if (message->to.kind != JSON_STRING)
        return true; /* frame.garbage-isolated */
    struct characters to;
    if (!relay_characters_read(&to, &message->to)) {
        relay_characters_end(&to);
        return false;
    }
    struct member *addressee = relay_room_member(member->room, to.text);
    relay_characters_end(&to);
    if (addressee == NULL)
        return true;
    struct relay_frame *frame = signal_frame(member, &message->data);
    if (frame == NULL)
        return false;
    relay_connection_send(addressee->connection, frame);
    relay_frame_release(frame);
    return true;
}
