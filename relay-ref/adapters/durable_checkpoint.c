/*
 * When a room gets a checkpoint, and its steps. Taking the snapshot costs as much as the room is large, so a room that
 * is being written waits for a quiet moment; if none comes, until what a load would have to take in again costs as
 * much.
 */
#include <stdlib.h>

#include "relay-ref/adapters/durable_state.h"

/* A room counts as quiet when it was not written for so long, in milliseconds. */
#define QUIET_MS 100

/* A room that is never quiet gets its checkpoint at so many times what makes it due. */
#define PATIENCE 8

/* Rooms that one turn looks at for one whose time has come. */
#define LOOKS 16

/* After a checkpoint failed, in milliseconds. */
#define REST_MS 1000

static bool is_over(const struct durable_rooms *rooms, const struct durable_room *room, uint64_t times) {
    return room->envelopes >= times * rooms->settings.checkpoint_envelopes ||
           room->bytes >= times * rooms->settings.checkpoint_bytes;
}

void durable_consider(struct durable_rooms *rooms, struct durable_room *room) {
    if (room->is_due || rooms->job.room == room || !is_over(rooms, room, 1))
        return;
    room->is_due = true;
    relay_list_append(&rooms->due, &room->in_due);
}

static bool time_has_come(const struct durable_rooms *rooms, const struct durable_room *room, int64_t now) {
    if (now - room->written_at >= QUIET_MS)
        return true;
    return is_over(rooms, room, PATIENCE) && room->bytes >= room->snapshot_bytes / 2;
}

/* The first of the rooms that are due whose time has come; the others go to the end, so that all get their turn. */
static struct durable_room *choose(struct durable_rooms *rooms, int64_t now) {
    for (int looks = 0; looks < LOOKS && rooms->due.first != NULL; looks++) {
        struct durable_room *room = CONTAINER_OF(rooms->due.first, struct durable_room, in_due);
        relay_list_remove(&rooms->due, &room->in_due);
        if (time_has_come(rooms, room, now)) {
            room->is_due = false;
            return room;
        }
        relay_list_append(&rooms->due, &room->in_due);
    }
    return NULL;
}

void durable_begin_checkpoint(struct durable_rooms *rooms, int64_t now) {
    struct relay_room_info info;
    struct relay_text snapshot;
    if (rooms->job.room != NULL || now < rooms->rests_until)
        return;
    struct durable_room *room = choose(rooms, now);
    if (room == NULL || !relay_room(rooms->relay, durable_name(room), &info))
        return;
    if (!relay_snapshot(rooms->relay, durable_name(room), &snapshot)) {
        rooms->rests_until = now + REST_MS;
        durable_consider(rooms, room);
        return;
    }
    uint64_t floor = info.seq - info.journal + 1;
    rooms->job = (struct durable_job){.room = room,
                                      .checkpoint = {.room = room->id,
                                                     .seq = info.seq,
                                                     .floor = floor > room->floor ? floor : room->floor,
                                                     .snapshot = snapshot},
                                      .envelopes = room->envelopes,
                                      .bytes = room->bytes};
}

static void end(struct durable_rooms *rooms) {
    struct durable_room *room = rooms->job.room;
    free((char *)(uintptr_t)rooms->job.checkpoint.snapshot.bytes);
    rooms->job = (struct durable_job){.room = NULL};
    durable_consider(rooms, room);
}

void durable_give_up_checkpoint(struct durable_rooms *rooms, int64_t now) {
    if (rooms->job.room == NULL)
        return;
    rooms->rests_until = now + REST_MS;
    end(rooms);
}

static void complete(struct durable_rooms *rooms) {
    struct durable_job *job = &rooms->job;
    job->room->envelopes -= job->envelopes;
    job->room->bytes -= job->bytes;
    job->room->snapshot_bytes = job->checkpoint.snapshot.length;
    job->room->floor = job->checkpoint.floor;
    rooms->counts.checkpoints++;
    end(rooms);
}

void durable_step_checkpoint(struct durable_rooms *rooms, int64_t now) {
    struct durable_job *job = &rooms->job;
    struct store_error error;
    if (job->room == NULL)
        return;
    if (!store_checkpoint_step(rooms->store, &job->checkpoint, &error) || !store_commit(rooms->store, &error)) {
        store_rollback(rooms->store);
        durable_tell(rooms, error.text);
        durable_give_up_checkpoint(rooms, now);
    } else if (job->checkpoint.phase == STORE_DONE) {
        complete(rooms);
    }
}

int64_t durable_checkpoint_wait(const struct durable_rooms *rooms, int64_t now, int64_t most) {
    int64_t wait = rooms->job.room != NULL ? 0 : rooms->due.first != NULL ? QUIET_MS : most;
    if (rooms->job.room == NULL && now < rooms->rests_until && wait < rooms->rests_until - now)
        wait = rooms->rests_until - now;
    return wait < most ? wait : most;
}
