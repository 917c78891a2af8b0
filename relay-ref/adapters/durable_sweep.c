/* Rooms that nobody is in leave the memory. */
#include "relay-ref/adapters/durable_state.h"

/* The longest that it wants to sleep, and how often it looks, in milliseconds. */
#define LONGEST_SLEEP_MS 60000
#define SWEEP_MS 1000

/* Rooms that one turn looks at. */
#define SWEEP_LOOKS 256

/* Whether the room can leave the memory: nobody is in it, and nothing of it is only there. Ejected writers are
   (eject.blacklist holds for the relay's life). */
static bool is_idle(const struct durable_rooms *rooms, const struct durable_room *room,
                    const struct relay_room_info *info) {
    return info->members == 0 && info->ejected == 0 && room->id != 0 && !room->is_in_turn && rooms->job.room != room;
}

/* Whether nothing is to be remembered of the room any more, now that it leaves the memory or has left it. */
static bool leaves(const struct durable_rooms *rooms, struct durable_room *room, int64_t now) {
    struct relay_room_info info;
    if (!relay_room(rooms->relay, durable_name(room), &info))
        return !room->renew; /* the relay forgot it by itself (room.evict-empty) */
    if (!is_idle(rooms, room, &info))
        room->empty_at = 0;
    else if (room->empty_at == 0)
        room->empty_at = now;
    return room->empty_at != 0 && rooms->settings.idle_ms > 0 && now - room->empty_at >= rooms->settings.idle_ms;
}

/* Whoever waits for a commit's decision keeps the room (room.unload). */
static void let_go(struct durable_rooms *rooms, struct durable_room *room) {
    struct relay_room_info info;
    if (relay_unload(rooms->relay, durable_name(room), false) || !relay_room(rooms->relay, durable_name(room), &info))
        durable_drop(rooms, room);
}

/* Some rooms a turn, until all were looked at. A room that goes may have another skipped, which is for the next time.
 */
void durable_sweep(struct durable_rooms *rooms, int64_t now) {
    struct list leaving = {NULL, NULL};
    if (rooms->sweep_position == 0 && now - rooms->swept_at < SWEEP_MS)
        return;
    for (int looks = 0; looks < SWEEP_LOOKS; looks++) {
        struct table_item *item = relay_table_next(&rooms->rooms, &rooms->sweep_position);
        struct durable_room *room = CONTAINER_OF(item, struct durable_room, item);
        if (room == NULL) {
            rooms->sweep_position = 0;
            rooms->swept_at = now;
            break;
        }
        if (leaves(rooms, room, now))
            relay_list_append(&leaving, &room->in_leaving);
    }
    while (leaving.first != NULL) {
        struct durable_room *room = CONTAINER_OF(leaving.first, struct durable_room, in_leaving);
        relay_list_remove(&leaving, &room->in_leaving);
        let_go(rooms, room);
    }
}

int64_t durable_sweep_wait(const struct durable_rooms *rooms) {
    return rooms->sweep_position > 0 ? 1 : rooms->rooms.count > 0 ? SWEEP_MS : LONGEST_SLEEP_MS;
}
