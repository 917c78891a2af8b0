/*
 * Rooms in a file: what was ordered, and from time to time what all of it amounts to.
 *
 * A room in the file is its last checkpoint (a snapshot as text, opaque to the store), the envelopes ordered since, and
 * as many of those before as returning watermarks need. What is written between two commits is one transaction, the
 * batch: all of it is on disk, or nothing. The first write begins a batch by itself.
 *
 * Lifetime rules
 *   1. One store is used by one thread at a time, one file by one store: store_open takes a lock on it that ends
 *      with the process.
 *   2. Texts handed in are read during the call only. What store_load gives is the caller's, with store_room_free.
 *   3. When a batch cannot be committed everything in it is gone, ids that store_room_id gave in it included.
 *
 * A file is never emptied, replaced or repaired: what cannot be read is told and left as it is.
 */
#ifndef MESHSPEC_STORE_SQLITE_H
#define MESHSPEC_STORE_SQLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay-ref/core/relay.h"

/* Bytes of a sentence about an error, its NUL included. */
#define STORE_ERROR_CAPACITY 768

enum store_code {
    STORE_FINE,
    STORE_BUSY,    /* another process has locked the file; later it may go */
    STORE_FULL,    /* the disk takes no more, or a limit on the file's size is reached */
    STORE_DAMAGED, /* what stands in the file contradicts itself */
    STORE_FOREIGN, /* not a file of this program, of a newer version of it, or with rooms of another wire version */
    STORE_FAILED   /* anything else: memory, permissions, a device that fails */
};

struct store_error {
    enum store_code code;
    char text[STORE_ERROR_CAPACITY];
};

struct store_settings {
    const char *path;
    bool durable;  /* a commit returns when it is on the disk, not when the system has it */
    unsigned wire; /* the wire version whose rooms are in the file: their snapshots differ in form */
};

struct store;

/*
 * Opens the file, or makes it. NULL with the error: STORE_BUSY when another process serves it, STORE_FOREIGN when it is
 * another program's or a newer version's, STORE_FAILED when it can be neither read nor written (a read-only file too).
 *
 * A file whose last user was not durable and did not close it orderly may lack envelopes that clients have seen: each
 * room in it is marked to be given a new epoch when it is loaded.
 */
struct store *store_open(const struct store_settings *settings, struct store_error *error);

/* Closes the file; an open batch is lost. `orderly`: everything that was answered is in the file. NULL is allowed. */
void store_close(struct store *store, bool orderly);

/* True when the file holds no room. */
bool store_is_empty(struct store *store, bool *empty, struct store_error *error);

/* Takes all rooms out, in a batch of its own; the next ones are of this wire version. For tests' relays, which begin
   anew. */
bool store_forget_all(struct store *store, unsigned wire, struct store_error *error);

/* ---- the batch ---------------------------------------------------------------------------------- */

/* The id of the room named so, which is made with `epoch` when the file has none. */
bool store_room_id(struct store *store, struct relay_text name, struct relay_text epoch, int64_t *id,
                   struct store_error *error);

/* The room has another epoch from now on; ends the mark that it needs one. */
bool store_set_epoch(struct store *store, int64_t room, struct relay_text epoch, struct store_error *error);

/* One ordered envelope. False with STORE_DAMAGED when the file has that seq already; the rest of the batch is as before
   then. */
bool store_append(struct store *store, int64_t room, uint64_t seq, struct relay_text envelope,
                  struct store_error *error);

/* True when something was written that is not committed. */
bool store_has_batch(const struct store *store);

/* Ends the batch; without one it does nothing. False: nothing of it is in the file. */
bool store_commit(struct store *store, struct store_error *error);

/* Gives the batch up. */
void store_rollback(struct store *store);

/* ---- checkpoints -------------------------------------------------------------------------------- */

/* The most that one step of a checkpoint writes or takes away: bytes of the snapshot, journal rows. */
#define STORE_PIECE_BYTES ((size_t)256 << 10)
#define STORE_TRIM_ROWS 512

enum store_phase { STORE_CLEARS, STORE_WRITES, STORE_TURNS, STORE_CLEARS_OLD, STORE_TRIMS, STORE_DONE };

/* A checkpoint under way. Start it with the first four set and the rest zero. */
struct store_checkpoint {
    int64_t room;
    uint64_t seq;               /* the room's when the snapshot was taken */
    uint64_t floor;             /* the first seq of the room's journal then, seq + 1 when it was empty */
    struct relay_text snapshot; /* a JSON object, without the journal; must live until the phase is STORE_DONE */
    enum store_phase phase;
    size_t written;
    int64_t piece;
};

/*
 * Goes one small step on, in the present batch. The new checkpoint counts from the commit of its last piece on, the old
 * one until then; then the old one and the journal below `floor` go. When a batch fails, its checkpoints start again.
 */
bool store_checkpoint_step(struct store *store, struct store_checkpoint *checkpoint, struct store_error *error);

/* ---- loading ------------------------------------------------------------------------------------ */

struct store_room {
    int64_t id;
    bool renew;                 /* clients may know more of this life of the room than the file does */
    struct relay_text epoch;    /* the present one */
    struct relay_text snapshot; /* no value when there is no checkpoint: the room began with nothing, at seq 0 */
    uint64_t snapshot_seq;      /* 0 then */
    uint64_t floor;             /* the seq of the first envelope of the journal */
    struct relay_text *journal; /* envelopes, dense and ascending, up to the room's seq */
    size_t journal_count;
    size_t covered; /* so many of them, from the first, are in the snapshot already */
    char *memory;   /* owned: what the texts point into */
};

enum store_found { STORE_ABSENT, STORE_FOUND, STORE_UNREADABLE };

/* Reads the room named so. STORE_UNREADABLE with the error; STORE_DAMAGED in it when parts of the room are missing. */
enum store_found store_load(struct store *store, struct relay_text name, struct store_room *room,
                            struct store_error *error);

void store_room_free(struct store_room *room);

#endif
