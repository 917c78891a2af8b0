/* Whose file it is, which version, and what its last user left. Nothing is written before all of that is known. */
#include <stdio.h>

#include "relay-ref/adapters/store_sqlite_state.h"

/* "mesh" in ASCII; `file` shows it. */
#define APPLICATION_ID 0x6d657368
#define FILE_VERSION 1

static const char tables[] =
    "CREATE TABLE about (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE rooms ("
    "  id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, epoch BLOB NOT NULL, renew INTEGER NOT NULL DEFAULT 0,"
    "  checkpoint INTEGER NOT NULL DEFAULT 0, checkpoint_seq INTEGER NOT NULL DEFAULT 0,"
    "  floor INTEGER NOT NULL DEFAULT 1);"
    /* In the order of room and seq, so that a room's newest envelopes share a page. */
    "CREATE TABLE journal ("
    "  room INTEGER NOT NULL, seq INTEGER NOT NULL, envelope BLOB NOT NULL,"
    "  PRIMARY KEY (room, seq)) WITHOUT ROWID;"
    "CREATE TABLE pieces ("
    "  room INTEGER NOT NULL, checkpoint INTEGER NOT NULL, piece INTEGER NOT NULL, bytes BLOB NOT NULL,"
    "  PRIMARY KEY (room, checkpoint, piece)) WITHOUT ROWID;";

static bool execute(struct store *store, const char *text, struct store_error *error) {
    return sqlite3_exec(store->database, text, NULL, NULL, NULL) == SQLITE_OK ||
           store_tell(store, error, "cannot be prepared");
}

/* The one number that the query gives; `absent` when it gives no row. */
static bool read_number(struct store *store, const char *query, int64_t absent, int64_t *out,
                        struct store_error *error) {
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(store->database, query, -1, &statement, NULL) == SQLITE_OK)
        step = sqlite3_step(statement);
    *out = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : absent;
    bool fine = step == SQLITE_ROW || step == SQLITE_DONE || store_tell(store, error, "cannot be read");
    sqlite3_finalize(statement);
    return fine;
}

static bool set_about(struct store *store, const char *name, int64_t value, struct store_error *error) {
    char text[128];
    snprintf(text, sizeof text, "INSERT OR REPLACE INTO about (name, value) VALUES ('%s', %lld)", name,
             (long long)value);
    return execute(store, text, error);
}

/* A new file has none of these; another program's has its own. */
static bool check_kind(struct store *store, bool *fresh, struct store_error *error) {
    int64_t application, version, tables_there;
    char text[160];
    if (!read_number(store, "PRAGMA application_id", 0, &application, error) ||
        !read_number(store, "PRAGMA user_version", 0, &version, error) ||
        !read_number(store, "SELECT count(*) FROM sqlite_schema", 0, &tables_there, error))
        return false;
    *fresh = application == 0 && version == 0 && tables_there == 0;
    if (!*fresh && application != APPLICATION_ID)
        return store_say(store, error, STORE_FOREIGN, "is an SQLite database of another program");
    if (version <= FILE_VERSION)
        return true;
    snprintf(text, sizeof text, "has version %lld; this program knows versions up to %d: use a newer one",
             (long long)version, FILE_VERSION);
    return store_say(store, error, STORE_FOREIGN, text);
}

bool store_set_wire(struct store *store, unsigned wire, struct store_error *error) {
    return set_about(store, "wire", wire, error);
}

static bool make_tables(struct store *store, const struct store_settings *settings, struct store_error *error) {
    char text[96];
    snprintf(text, sizeof text, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID, FILE_VERSION);
    return execute(store, tables, error) && execute(store, text, error) && store_set_wire(store, settings->wire, error);
}

static bool check_wire(struct store *store, const struct store_settings *settings, struct store_error *error) {
    int64_t wire;
    char text[160];
    if (!read_number(store, "SELECT value FROM about WHERE name = 'wire'", 0, &wire, error))
        return false;
    if (wire == settings->wire)
        return true;
    snprintf(text, sizeof text, "holds rooms of wire version %lld; this relay speaks wire version %u", (long long)wire,
             settings->wire);
    return store_say(store, error, STORE_FOREIGN, text);
}

/* Whoever was not durable and did not end orderly may have shown clients what the file does not have. */
static bool take_over(struct store *store, const struct store_settings *settings, struct store_error *error) {
    int64_t orderly, durable;
    if (!read_number(store, "SELECT value FROM about WHERE name = 'orderly'", 1, &orderly, error) ||
        !read_number(store, "SELECT value FROM about WHERE name = 'durable'", 1, &durable, error))
        return false;
    if (!orderly && !durable && !execute(store, "UPDATE rooms SET renew = 1", error))
        return false;
    return set_about(store, "orderly", 0, error) && set_about(store, "durable", settings->durable, error);
}

static bool prepare_tables(struct store *store, const struct store_settings *settings, struct store_error *error) {
    bool fresh;
    if (!check_kind(store, &fresh, error))
        return false;
    if (fresh ? !make_tables(store, settings, error) : !check_wire(store, settings, error))
        return false;
    return take_over(store, settings, error);
}

bool store_prepare_file(struct store *store, const struct store_settings *settings, struct store_error *error) {
    bool fresh;
    if (!check_kind(store, &fresh, error)) /* before the mode is written into the file's head */
        return false;
    if (!execute(store, "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA journal_mode = WAL", error) ||
        !execute(store, settings->durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", error) ||
        !execute(store, "BEGIN IMMEDIATE", error))
        return false;
    if (prepare_tables(store, settings, error) && execute(store, "COMMIT", error))
        return true;
    sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

void store_mark_orderly(struct store *store) {
    struct store_error error;
    set_about(store, "orderly", 1, &error);
}
