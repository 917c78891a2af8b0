/*
 * The rooms of one relay and their file (store_sqlite.h). Rooms are loaded when somebody first says hello to them, what
 * is ordered goes into the file turn by turn, checkpoints are taken beside the traffic, and rooms that nobody is in
 * leave the memory after a while.
 *
 * A turn is one round of its owner's event loop: all that came in during it is one transaction
 * (`durable_turn_over`). Where an echo must not go out before it is on the disk (durable.hold), the owner sends nothing
 * of a turn until then.
 *
 * Lifetime rules
 *   1. Its owner makes it first, then the relay, whose `relay_env` has to call durable_restore and durable_commit.
 *   2. durable_close comes before relay_free.
 *   3. All calls are from the relay's thread; durable_turn_over is never called from inside a relay call.
 */
#ifndef MESHSPEC_DURABLE_ROOMS_H
#define MESHSPEC_DURABLE_ROOMS_H

#include "relay-ref/adapters/store_sqlite.h"

struct durable_settings {
    struct store_settings store;
    uint64_t checkpoint_envelopes; /* so many since the last one make a room due for a checkpoint */
    uint64_t checkpoint_bytes;     /* likewise, of envelopes */
    int64_t idle_ms;               /* rooms that nobody is in are unloaded after about this; 0: never */
};

/* What the owner hands in. */
struct durable_host {
    void *context;
    /* Milliseconds; never goes back. */
    int64_t (*now)(void *context);
    /* As in relay_env. */
    size_t (*mint)(void *context, char *out, size_t capacity);
    /* One sentence about a fault. The same one comes at most every ten seconds. */
    void (*tell)(void *context, const char *sentence);
};

/* Why the relay is closing connections, while it does so on account of the file. */
enum durable_trouble {
    DURABLE_NO_TROUBLE,
    DURABLE_UNREADABLE, /* the room is in the file but cannot be loaded */
    DURABLE_UNWRITTEN,  /* what was ordered in the room could not be written: the room went back to what is in the file
                         */
    DURABLE_LOCKED      /* either of them because somebody else has locked the file */
};

struct durable_rooms;

/* Opens the file (store_open). NULL with the error. */
struct durable_rooms *durable_open(const struct durable_settings *settings, const struct durable_host *host,
                                   struct store_error *error);

/* Commits what is left and closes the file; calls no relay. NULL is allowed. */
void durable_close(struct durable_rooms *rooms);

/* From now on the rooms are those of `relay`, which has none yet. */
void durable_serve(struct durable_rooms *rooms, struct relay *relay);

/* True when the file holds no room. */
bool durable_is_empty(struct durable_rooms *rooms, bool *empty, struct store_error *error);

/* Takes all rooms out of the file, for a relay of this wire version that is to begin anew. */
bool durable_forget_all(struct durable_rooms *rooms, unsigned wire, struct store_error *error);

/* relay_env.restore: loads the room. */
enum relay_kept durable_restore(struct durable_rooms *rooms, struct relay_text room);

/* relay_env.on_commit: puts the envelope into the turn's transaction. */
void durable_commit(struct durable_rooms *rooms, struct relay_text room, struct relay_text envelope,
                    const struct relay_commit_state *state);

/* The room was hydrated by somebody else: it goes into the file as it is. To be called right after relay_hydrate, for
   which durable_restore said RELAY_KEPT_NONE before. A room at seq 0 goes there with its first envelope: the relay may
   forget it before that (room.evict-empty), and the file must not bring it back. */
void durable_adopt(struct durable_rooms *rooms, struct relay_text room);

struct durable_turn {
    int64_t wait; /* it wants to be called again after at most so many milliseconds; 0: at once */
    bool lost;    /* some of what was ordered in the turn is not in the file, nor in the relay any more */
};

/* The turn is over: commits, and goes one step on with what there is to do beside. Rooms whose transaction failed are
   discarded (relay_discard), so their members' connections close. */
struct durable_turn durable_turn_over(struct durable_rooms *rooms);

/* What happened since durable_open. */
struct durable_counts {
    uint64_t transactions; /* that were committed */
    uint64_t envelopes;    /* in them */
    uint64_t loads, checkpoints;
    uint64_t failures; /* transactions that failed, rooms that could not be read */
};

struct durable_counts durable_count(const struct durable_rooms *rooms);

/* For a sink's `close`: why, when it is on account of the file. */
enum durable_trouble durable_trouble(const struct durable_rooms *rooms);

/* To be called after each call into the relay: what it closes from now on has other reasons. */
void durable_calm(struct durable_rooms *rooms);

#endif
