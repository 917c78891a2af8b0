/* Reading one room, and making sure that all of it is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/store_sqlite_state.h"
#include "relay-ref/core/buffer.h"

/* Texts are places in the buffer until all of it is read: it moves while it grows. */
struct loading {
    struct store *store;
    struct store_room *room;
    struct store_error *error;
    struct relay_buffer bytes;
    int64_t checkpoint;
    size_t capacity; /* of the journal */
};

static bool damaged(struct loading *loading, const char *what) {
    return store_say(loading->store, loading->error, STORE_DAMAGED, what);
}

static bool out_of_memory(struct loading *loading) {
    return store_say(loading->store, loading->error, STORE_FAILED, "cannot be read: out of memory");
}

/* Copies a column; the text's `bytes` is the place in the buffer, as yet without its memory. A NULL has no value. */
static bool keep_column(struct loading *loading, sqlite3_stmt *row, int column, struct relay_text *out) {
    bool null = sqlite3_column_type(row, column) == SQLITE_NULL;
    const char *bytes = sqlite3_column_blob(row, column);
    size_t length = (size_t)sqlite3_column_bytes(row, column), place = loading->bytes.length + 1;
    if (!null && bytes == NULL && length > 0)
        return out_of_memory(loading);
    *out = (struct relay_text){null ? NULL : (const char *)(uintptr_t)place, length};
    relay_buffer_add(&loading->bytes, bytes, length);
    return !loading->bytes.failed || out_of_memory(loading);
}

/* One more than the place, so that the first is no NULL. */
static void settle_text(struct relay_text *text, const char *memory) {
    if (text->bytes != NULL)
        text->bytes = memory + ((uintptr_t)text->bytes - 1);
}

/* ---- the parts ---------------------------------------------------------------------------------- */

static enum store_found read_room(struct loading *loading, struct relay_text name) {
    struct store_room *room = loading->room;
    sqlite3_stmt *find = store_statement(loading->store, STATEMENT_FIND_ROOM);
    if (find == NULL) {
        store_tell(loading->store, loading->error, "cannot be read");
        return STORE_UNREADABLE;
    }
    store_bind(find, 1, name);
    int step = sqlite3_step(find);
    if (step == SQLITE_DONE)
        return STORE_ABSENT;
    if (step != SQLITE_ROW) {
        store_tell(loading->store, loading->error, "cannot be read");
        return STORE_UNREADABLE;
    }
    room->id = sqlite3_column_int64(find, 0);
    room->renew = sqlite3_column_int(find, 2) != 0;
    loading->checkpoint = sqlite3_column_int64(find, 3);
    room->snapshot_seq = (uint64_t)sqlite3_column_int64(find, 4);
    room->floor = (uint64_t)sqlite3_column_int64(find, 5);
    bool kept = keep_column(loading, find, 1, &room->epoch);
    sqlite3_reset(find);
    return kept ? STORE_FOUND : STORE_UNREADABLE;
}

static bool read_pieces(struct loading *loading) {
    struct relay_text piece;
    size_t place = loading->bytes.length;
    int step;
    if (loading->checkpoint == 0)
        return true;
    sqlite3_stmt *pieces = store_statement(loading->store, STATEMENT_PIECES);
    if (pieces == NULL)
        return store_tell(loading->store, loading->error, "cannot be read");
    sqlite3_bind_int64(pieces, 1, loading->room->id);
    sqlite3_bind_int64(pieces, 2, loading->checkpoint);
    while ((step = sqlite3_step(pieces)) == SQLITE_ROW)
        if (!keep_column(loading, pieces, 0, &piece))
            return false;
    if (step != SQLITE_DONE)
        return store_tell(loading->store, loading->error, "cannot be read");
    if (loading->bytes.length == place)
        return damaged(loading, "is damaged: a room's checkpoint is missing");
    loading->room->snapshot = (struct relay_text){(const char *)(uintptr_t)(place + 1), loading->bytes.length - place};
    return true;
}

static struct relay_text *next_entry(struct loading *loading) {
    struct store_room *room = loading->room;
    if (room->journal_count == loading->capacity) {
        size_t capacity = loading->capacity == 0 ? 64 : loading->capacity * 2;
        struct relay_text *journal = realloc(room->journal, capacity * sizeof *journal);
        if (journal == NULL) {
            out_of_memory(loading);
            return NULL;
        }
        room->journal = journal;
        loading->capacity = capacity;
    }
    return &room->journal[room->journal_count];
}

/* Dense from the floor on: an envelope that is missing would be a hole in the room's history. */
static bool read_entry(struct loading *loading, sqlite3_stmt *row) {
    struct store_room *room = loading->room;
    struct relay_text *entry = next_entry(loading);
    if (entry == NULL)
        return false;
    uint64_t seq = (uint64_t)sqlite3_column_int64(row, 0);
    if (seq != room->floor + room->journal_count)
        return damaged(loading, "is damaged: a room's journal has a hole");
    room->journal_count++;
    if (seq <= room->snapshot_seq)
        room->covered++;
    return keep_column(loading, row, 1, entry);
}

static bool read_journal(struct loading *loading) {
    const struct store_room *room = loading->room;
    int step;
    sqlite3_stmt *rows = store_statement(loading->store, STATEMENT_JOURNAL);
    if (rows == NULL)
        return store_tell(loading->store, loading->error, "cannot be read");
    sqlite3_bind_int64(rows, 1, room->id);
    sqlite3_bind_int64(rows, 2, (int64_t)room->floor);
    while ((step = sqlite3_step(rows)) == SQLITE_ROW)
        if (!read_entry(loading, rows))
            return false;
    if (step != SQLITE_DONE)
        return store_tell(loading->store, loading->error, "cannot be read");
    if (room->floor > room->snapshot_seq + 1 || room->floor + room->journal_count <= room->snapshot_seq)
        return damaged(loading, "is damaged: a room's journal does not reach its checkpoint");
    if (room->snapshot_seq == 0 && room->journal_count == 0 && loading->checkpoint == 0)
        return damaged(loading, "is damaged: a room has neither checkpoint nor journal");
    return true;
}

static void settle_room(struct loading *loading) {
    struct store_room *room = loading->room;
    room->memory = loading->bytes.memory;
    settle_text(&room->epoch, room->memory);
    settle_text(&room->snapshot, room->memory);
    for (size_t i = 0; i < room->journal_count; i++)
        settle_text(&room->journal[i], room->memory);
}

static enum store_found load(struct loading *loading, struct relay_text name) {
    enum store_found found = read_room(loading, name);
    if (found == STORE_FOUND && !(read_pieces(loading) && read_journal(loading)))
        found = STORE_UNREADABLE;
    return found;
}

/* ---- one room at one moment --------------------------------------------------------------------- */

/* Leaves no statement in the middle of its rows: that would keep the file from being tidied up. */
static void reset_readers(struct store *store) {
    static const enum store_statement readers[] = {STATEMENT_FIND_ROOM, STATEMENT_PIECES, STATEMENT_JOURNAL};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        sqlite3_reset(store->statements[readers[i]]);
}

enum store_found store_load(struct store *store, struct relay_text name, struct store_room *room,
                            struct store_error *error) {
    struct loading loading = {.store = store, .room = room, .error = error};
    bool own = !store->has_batch; /* a transaction around all that is read */
    *room = (struct store_room){.id = 0};
    if (own && !store_run(store_statement(store, STATEMENT_BEGIN_READ))) {
        store_tell(store, error, "cannot be read");
        return STORE_UNREADABLE;
    }
    relay_buffer_start(&loading.bytes, 0, 4096);
    enum store_found found = load(&loading, name);
    reset_readers(store);
    if (own)
        store_rollback(store);
    if (found == STORE_FOUND) {
        settle_room(&loading);
        return found;
    }
    relay_buffer_free(&loading.bytes);
    store_room_free(room);
    return found;
}

void store_room_free(struct store_room *room) {
    free(room->journal);
    free(room->memory);
    *room = (struct store_room){.id = 0};
}
