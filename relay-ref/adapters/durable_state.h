/* What the files of the durable rooms share. Inside `durable_*` only. */
#ifndef MESHSPEC_DURABLE_STATE_H
#define MESHSPEC_DURABLE_STATE_H

#include "relay-ref/adapters/durable_rooms.h"
#include "relay-ref/core/list.h"
#include "relay-ref/core/table.h"

/* A room of the relay, as the file knows it. */
struct durable_room {
    struct table_item item; /* the name; its characters follow the struct */
    struct list_link in_turn, in_due, in_leaving;
    bool is_in_turn; /* something of it is in the present transaction */
    bool is_due;     /* for a checkpoint */
    bool failed;     /* something of it could not be put into the present transaction */
    bool renew;      /* clients may have seen more of it than the file holds: it comes back with another epoch */
    int64_t id;      /* in the file; 0 while it has never been written */
    uint64_t floor;  /* its journal in the file begins there */
    struct relay_text epoch;      /* as in the file; owned */
    struct relay_text unwritten;  /* the snapshot of a room that was hydrated at seq 0, for its first envelope; owned */
    uint64_t envelopes, bytes;    /* since the last checkpoint */
    uint64_t snapshot_bytes;      /* of that one */
    int64_t written_at, empty_at; /* empty_at: 0 while somebody is in it */
    char name[];
};

/* The checkpoint under way; there is at most one. */
struct durable_job {
    struct durable_room *room; /* NULL when there is none */
    struct store_checkpoint checkpoint;
    uint64_t envelopes, bytes; /* that it covers */
};

struct durable_rooms {
    struct durable_settings settings;
    struct durable_host host;
    struct store *store;
    struct relay *relay;
    struct table_seed seed;
    struct table rooms;  /* struct durable_room */
    struct list in_turn; /* of the present transaction */
    struct list due;
    struct durable_job job;
    struct durable_counts counts;
    uint64_t turn_envelopes; /* of the present transaction */
    bool turn_failed;        /* the present transaction cannot be committed, because of `error` */
    struct store_error error;
    enum durable_trouble trouble;
    size_t sweep_position;         /* in `rooms`; 0: no sweep is under way */
    int64_t swept_at, rests_until; /* rests_until: no checkpoint before, after one failed */
    char told[STORE_ERROR_CAPACITY];
    int64_t told_at;
};

/* ---- records (durable_records.c) ---------------------------------------------------------------- */

struct durable_room *durable_find(const struct durable_rooms *rooms, struct relay_text name);

/* NULL when memory is out. */
struct durable_room *durable_find_or_make(struct durable_rooms *rooms, struct relay_text name);

/* Takes the room out of every list and frees it. A checkpoint of it that is under way is given up. */
void durable_drop(struct durable_rooms *rooms, struct durable_room *room);

void durable_drop_all(struct durable_rooms *rooms);

/* Something of the room is in the present transaction. */
void durable_note(struct durable_rooms *rooms, struct durable_room *room);

/* Back to knowing nothing but the name. */
void durable_blank(struct durable_rooms *rooms, struct durable_room *room);

/* `snapshot` is what goes into the file with the room's first envelope; it is the room's from here on. No value: nothing. */
void durable_set_unwritten(struct durable_room *room, struct relay_text snapshot);

/* False when memory is out. */
bool durable_set_epoch(struct durable_room *room, struct relay_text epoch);

static inline struct relay_text durable_name(const struct durable_room *room) {
    return room->item.key;
}

/* Tells the host, unless it was told the same just now. */
void durable_tell(struct durable_rooms *rooms, const char *sentence);

enum durable_trouble durable_trouble_of(const struct store_error *error, enum durable_trouble usual);

/* ---- checkpoints (durable_checkpoint.c) --------------------------------------------------------- */

/* Puts the room among those that are due, when it is. */
void durable_consider(struct durable_rooms *rooms, struct durable_room *room);

/* Begins the next checkpoint when none is under way and a room's time has come. */
void durable_begin_checkpoint(struct durable_rooms *rooms, int64_t now);

/* One step of the checkpoint under way, in a transaction of its own: when it fails, nothing else does. */
void durable_step_checkpoint(struct durable_rooms *rooms, int64_t now);

/* Gives the checkpoint under way up; its room is due again. */
void durable_give_up_checkpoint(struct durable_rooms *rooms, int64_t now);

/* Milliseconds until a checkpoint wants to go on or to begin; `most` when that is later or none does. */
int64_t durable_checkpoint_wait(const struct durable_rooms *rooms, int64_t now, int64_t most);

/* ---- rooms that nobody is in (durable_sweep.c) -------------------------------------------------- */

/* Looks at some of the rooms, and has those leave that nobody was in for long enough. */
void durable_sweep(struct durable_rooms *rooms, int64_t now);

/* Milliseconds until it wants to look again. */
int64_t durable_sweep_wait(const struct durable_rooms *rooms);

#endif
