#include "relay-ref/core/rate.h"

#include <stdlib.h>

#include "relay-ref/core/room.h"

/* rate.burst: twice the rate at once. */
static double most_tokens(const struct relay *relay) {
    return relay->options.max_envelopes_per_second * 2;
}

/* rate.refill: continuously, up to the burst. */
static double tokens_at(const struct relay *relay, const struct room_writer *writer, int64_t now) {
    double elapsed = (double)(now - writer->metered_at) / 1000;
    double tokens = writer->tokens + elapsed * relay->options.max_envelopes_per_second;
    return tokens < most_tokens(relay) ? tokens : most_tokens(relay);
}

enum rate_answer relay_rate_take(struct room *room, struct relay_text name) {
    struct relay *relay = room->relay;
    if (relay->options.max_envelopes_per_second <= 0)
        return RATE_ALLOWED;
    int64_t now = relay->env.now(relay->env.context);
    struct room_writer *writer = relay_room_writer_made(room, name);
    if (writer == NULL)
        return RATE_NO_MEMORY;
    writer->tokens = writer->metered ? tokens_at(relay, writer, now) : most_tokens(relay);
    writer->metered = true;
    writer->metered_at = now;
    if (writer->tokens < 1)
        return RATE_EXCEEDED;
    writer->tokens -= 1;
    return RATE_ALLOWED;
}

static bool forgettable(const struct relay *relay, const struct room_writer *writer, int64_t now) {
    return !writer->ejected && (!writer->metered || tokens_at(relay, writer, now) >= most_tokens(relay));
}

void relay_rate_sweep(struct room *room) {
    struct table *writers = &room->writers;
    if (!relay_table_is_full(writers))
        return;
    int64_t now = room->relay->env.now(room->relay->env.context);
    for (size_t slot = 0; slot < writers->capacity;) {
        struct room_writer *writer = CONTAINER_OF(writers->slots[slot].item, struct room_writer, item);
        if (writer == NULL || !forgettable(room->relay, writer, now)) {
            slot++;
            continue;
        }
        relay_table_take(writers, &writer->item); /* another may have moved up into this slot */
        room->writer_bytes -= sizeof *writer + writer->item.key.length;
        free(writer);
    }
    relay_room_weigh(room);
    if (writers->count > writers->capacity / 2)
        relay_table_grow(writers);
}
