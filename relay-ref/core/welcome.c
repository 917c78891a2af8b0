#include "relay-ref/core/welcome.h"

#include "relay-ref/core/connection.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/presence.h"
#include "relay-ref/core/room.h"
#include "relay-ref/core/rules.h"
#include "relay-ref/json/number.h"

/* join.welcome-fields */
void relay_welcome_head(struct relay_buffer *text, const struct room *room, const struct welcome_life *life) {
    const struct relay_version *version = room->relay->version;
    relay_buffer_add_words(text, "{\"t\":\"welcome\",\"room\":");
    relay_buffer_add_string(text, room->item.key);
    relay_buffer_add_words(text, ",\"seq\":");
    relay_buffer_add_count(text, life->seq);
    relay_buffer_add_words(text, ",\"");
    relay_buffer_add_words(text, version->life);
    relay_buffer_add_words(text, "\":");
    relay_buffer_add_string(text, life->epoch);
    if (version->schema) {
        relay_buffer_add_words(text, ",\"schemaVersion\":");
        relay_buffer_add_number(text, life->schema_version);
    }
}

/* join.roster: the other members' origins, in join order. */
static void add_roster(struct relay_buffer *text, const struct room *room, const struct member *joiner) {
    bool first = true;
    relay_buffer_add_words(text, "[");
    for (struct list_link *link = room->roster.first; link != NULL; link = link->next) {
        const struct member *member = relay_member_in_roster(link);
        if (member == joiner)
            continue;
        if (!first)
            relay_buffer_add_words(text, ",");
        relay_buffer_add_string(text, member->by_origin.key);
        first = false;
    }
    relay_buffer_add_words(text, "]");
}

void relay_welcome_people(struct relay_buffer *text, const struct room *room, const struct member *joiner) {
    relay_buffer_add_words(text, ",\"peers\":");
    relay_presence_print(room, text);
    relay_buffer_add_words(text, ",\"members\":");
    add_roster(text, room, joiner);
}

/* join.fresh, join.up-to-date, join.delta, join.snapshot, join.ahead */
static bool add_mode(struct relay_buffer *text, struct room *room, const struct json_value *seq) {
    double watermark;
    bool known = relay_number_read(seq, &watermark);
    relay_buffer_add_words(text, ",\"mode\":");
    if (room->seq == 0 || (known && watermark == (double)room->seq)) {
        relay_buffer_add_words(text, "\"up-to-date\"");
        return true;
    }
    if (!known || !relay_journal_covers(&room->journal, watermark)) {
        relay_buffer_add_words(text, "\"snapshot\"");
        return room->relay->version->rules->print_snapshot(room, text, false);
    }
    relay_buffer_add_words(text, "\"delta\",\"envs\":");
    relay_journal_print_above(&room->journal, watermark, text);
    return true;
}

static bool send(struct member *joiner, struct relay_buffer *text) {
    struct relay_frame *frame = relay_frame_finish(text);
    if (frame == NULL)
        return false;
    relay_connection_send(joiner->connection, frame);
    relay_frame_release(frame);
    return true;
}

static bool wait_in_line(struct member *joiner, struct relay_buffer *text, size_t head) {
    struct room *room = joiner->room;
    struct relay_frame *frame = relay_frame_finish(text);
    if (frame == NULL)
        return false;
    bool ready = relay_durability_ready(room->relay, room);
    struct answer answer = {
        .audience = joiner->joined_as, .joiner = joiner->joined_as, .welcome = frame, .welcome_head = head};
    if (ready)
        relay_durability_submit(room, &answer, 0, false);
    relay_frame_release(frame);
    return ready;
}

bool relay_welcome(struct member *joiner, const struct json_value *seq) {
    struct room *room = joiner->room;
    bool waits = relay_durability_waits(room);
    struct relay_buffer text;
    relay_frame_start(&text, 512);
    relay_welcome_head(&text, room, &(struct welcome_life){room->seq, room->epoch, room->schema_version});
    size_t head = text.length;
    if (!waits)
        relay_welcome_people(&text, room, joiner);
    if (!add_mode(&text, room, seq)) {
        relay_buffer_free(&text);
        return false;
    }
    if (waits)
        return wait_in_line(joiner, &text, head);
    relay_buffer_add_words(&text, "}");
    return send(joiner, &text);
}

void relay_welcome_send(struct member *joiner, const struct relay_frame *frame, size_t head) {
    struct relay_buffer text;
    relay_frame_start(&text, frame->length + 256);
    relay_buffer_add(&text, frame->text, head);
    relay_welcome_people(&text, joiner->room, joiner);
    relay_buffer_add(&text, frame->text + head, frame->length - head);
    relay_buffer_add_words(&text, "}");
    if (!send(joiner, &text))
        relay_connection_close(joiner->connection);
}
