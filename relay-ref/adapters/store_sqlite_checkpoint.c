/* Checkpoints, in steps so small that nobody waits long for one. */
#include "relay-ref/adapters/store_sqlite_state.h"

/* What is left of a checkpoint that a crash cut short, or of the one before; one piece a step. */
static bool clear(struct store *store, struct store_checkpoint *checkpoint) {
    sqlite3_stmt *drop = store_statement(store, STATEMENT_DROP_PIECES);
    if (drop != NULL)
        sqlite3_bind_int64(drop, 1, checkpoint->room);
    if (!store_run(drop))
        return false;
    if (sqlite3_changes(store->database) == 0)
        checkpoint->phase++;
    return true;
}

static bool write_piece(struct store *store, struct store_checkpoint *checkpoint) {
    size_t left = checkpoint->snapshot.length - checkpoint->written;
    size_t length = left < STORE_PIECE_BYTES ? left : STORE_PIECE_BYTES;
    sqlite3_stmt *put = store_statement(store, STATEMENT_PUT_PIECE);
    if (put != NULL) {
        sqlite3_bind_int64(put, 1, checkpoint->room);
        sqlite3_bind_int64(put, 2, checkpoint->piece);
        store_bind(put, 3, (struct relay_text){checkpoint->snapshot.bytes + checkpoint->written, length});
    }
    if (!store_run(put))
        return false;
    checkpoint->piece++;
    checkpoint->written += length;
    if (checkpoint->written == checkpoint->snapshot.length)
        checkpoint->phase = STORE_TURNS;
    return true;
}

/* From here on the new checkpoint is the room's. */
static bool turn(struct store *store, struct store_checkpoint *checkpoint) {
    sqlite3_stmt *turns = store_statement(store, STATEMENT_TURN);
    if (turns != NULL) {
        sqlite3_bind_int64(turns, 1, checkpoint->room);
        sqlite3_bind_int64(turns, 2, (int64_t)checkpoint->seq);
        sqlite3_bind_int64(turns, 3, (int64_t)checkpoint->floor);
    }
    if (!store_run(turns))
        return false;
    checkpoint->phase = STORE_CLEARS_OLD;
    return true;
}

static bool trim(struct store *store, struct store_checkpoint *checkpoint) {
    sqlite3_stmt *trims = store_statement(store, STATEMENT_TRIM);
    if (trims != NULL) {
        sqlite3_bind_int64(trims, 1, checkpoint->room);
        sqlite3_bind_int64(trims, 2, (int64_t)checkpoint->floor);
        sqlite3_bind_int64(trims, 3, STORE_TRIM_ROWS);
    }
    if (!store_run(trims))
        return false;
    if (sqlite3_changes(store->database) == 0)
        checkpoint->phase = STORE_DONE;
    return true;
}

static bool step(struct store *store, struct store_checkpoint *checkpoint) {
    switch (checkpoint->phase) {
    case STORE_CLEARS:
    case STORE_CLEARS_OLD:
        return clear(store, checkpoint);
    case STORE_WRITES:
        return write_piece(store, checkpoint);
    case STORE_TURNS:
        return turn(store, checkpoint);
    case STORE_TRIMS:
        return trim(store, checkpoint);
    default:
        return true;
    }
}

bool store_checkpoint_step(struct store *store, struct store_checkpoint *checkpoint, struct store_error *error) {
    if (!store_begin(store, error))
        return false;
    return step(store, checkpoint) || store_write_failed(store, error, "cannot be written");
}
