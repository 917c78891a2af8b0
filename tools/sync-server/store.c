#include "tools/sync-server/store_sqlite.h"

#include <stdlib.h>

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS schemas ("
    "  position INTEGER PRIMARY KEY, app BLOB NOT NULL, hash TEXT NOT NULL, object_id TEXT NOT NULL,"
    "  published_at INTEGER NOT NULL, schema TEXT NOT NULL, UNIQUE (app, hash));"
    "CREATE TABLE IF NOT EXISTS bundles ("
    "  position INTEGER PRIMARY KEY, app BLOB NOT NULL, version INTEGER NOT NULL, schema_hash TEXT NOT NULL,"
    "  parent TEXT, object_id TEXT NOT NULL, fingerprint TEXT NOT NULL, permissions TEXT NOT NULL,"
    "  UNIQUE (app, version));"
    "CREATE TABLE IF NOT EXISTS migrations ("
    "  position INTEGER PRIMARY KEY, app BLOB NOT NULL, object_id TEXT NOT NULL, from_hash TEXT NOT NULL,"
    "  to_hash TEXT NOT NULL, forward TEXT NOT NULL, UNIQUE (app, object_id));"
    "CREATE INDEX IF NOT EXISTS migrations_from ON migrations (app, from_hash, to_hash);"
    "CREATE INDEX IF NOT EXISTS migrations_to ON migrations (app, to_hash, from_hash);"
    "CREATE TABLE IF NOT EXISTS data_rows ("
    "  position INTEGER PRIMARY KEY, app BLOB NOT NULL, table_name BLOB NOT NULL, id TEXT NOT NULL,"
    "  created_by BLOB NOT NULL, row_values TEXT NOT NULL, UNIQUE (app, table_name, id));"
    "CREATE INDEX IF NOT EXISTS data_rows_in_order ON data_rows (app, table_name, position);";

static const char *const statement_texts[STATEMENT_COUNT] = {
    [STATEMENT_SCHEMA_PUT] = "INSERT OR IGNORE INTO schemas (app, hash, object_id, published_at, schema) "
                             "VALUES (?1, ?2, ?3, ?4, ?5)",
    [STATEMENT_SCHEMA_GET] = "SELECT schema, published_at FROM schemas WHERE app = ?1 AND hash = ?2",
    [STATEMENT_SCHEMA_KNOWN] = "SELECT 1 FROM schemas WHERE app = ?1 AND hash = ?2",
    [STATEMENT_SCHEMA_HASHES] = "SELECT hash FROM schemas WHERE app = ?1 ORDER BY position",
    [STATEMENT_HEAD] = "SELECT schema_hash, version, parent, object_id, fingerprint, permissions FROM bundles "
                       "WHERE app = ?1 ORDER BY version DESC LIMIT 1",
    [STATEMENT_BUNDLE_PUT] = "INSERT INTO bundles (app, version, schema_hash, parent, object_id, fingerprint, "
                             "permissions) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [STATEMENT_MIGRATION_PUT] = "INSERT OR IGNORE INTO migrations (app, object_id, from_hash, to_hash, forward) "
                                "VALUES (?1, ?2, ?3, ?4, ?5)",
    /* A breadth-first walk: UNION keeps each hash once, each step uses one of the two indexes. */
    [STATEMENT_CONNECTED] = "WITH RECURSIVE reached (hash) AS ("
                            "  SELECT hash FROM schemas WHERE app = ?1 AND hash = ?2"
                            "  UNION SELECT to_hash FROM reached JOIN migrations ON app = ?1 AND from_hash = hash"
                            "  UNION SELECT from_hash FROM reached JOIN migrations ON app = ?1 AND to_hash = hash) "
                            "SELECT 1 FROM reached WHERE hash = ?3 LIMIT 1",
    [STATEMENT_ROW_INSERT] = "INSERT INTO data_rows (app, table_name, id, created_by, row_values) "
                             "VALUES (?1, ?2, ?3, ?4, ?5)",
    [STATEMENT_ROW_GET] = "SELECT created_by, row_values FROM data_rows "
                          "WHERE app = ?1 AND table_name = ?2 AND id = ?3",
    [STATEMENT_ROW_UPDATE] = "UPDATE data_rows SET row_values = ?4 WHERE app = ?1 AND table_name = ?2 AND id = ?3",
    [STATEMENT_ROW_DELETE] = "DELETE FROM data_rows WHERE app = ?1 AND table_name = ?2 AND id = ?3",
};

/* How long a writer waits for another process that has the same file open, in milliseconds. */
#define BUSY_TIMEOUT_MS 5000

static bool prepare_database(struct store *store, const char *path, enum store_sync sync) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path ? path : ":memory:", &store->database, flags, NULL) != SQLITE_OK) {
        return false;
    }
    sqlite3_busy_timeout(store->database, BUSY_TIMEOUT_MS);
    /* store.restart: in WAL mode a commit is written to the log before its 201 is sent; NORMAL leaves it to the
     * operating system when that reaches the disk, FULL waits for it. Neither can tear the database. */
    const char *synchronous = sync == STORE_SYNC_MACHINE ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL";
    return sqlite3_exec(store->database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_exec(store->database, synchronous, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_exec(store->database, tables, NULL, NULL, NULL) == SQLITE_OK;
}

struct store *store_open(const char *path, enum store_sync sync, struct buffer *why) {
    struct store *store = calloc(1, sizeof *store);
    if (!store) {
        buffer_append_string(why, "there is not enough memory");
        return NULL;
    }
    if (!prepare_database(store, path, sync)) {
        buffer_format(why, "the database %.500s cannot be used: %.400s", path ? path : "in memory",
                      sqlite3_errmsg(store->database));
        store_close(store);
        return NULL;
    }
    return store;
}

void store_close(struct store *store) {
    if (!store) {
        return;
    }
    for (int at = 0; at < STATEMENT_COUNT; at++) {
        sqlite3_finalize(store->statements[at]);
    }
    sqlite3_close_v2(store->database);
    free(store);
}

const char *store_error(struct store *store) {
    return sqlite3_errmsg(store->database);
}

enum store_result store_begin(struct store *store, bool writes) {
    const char *text = writes ? "BEGIN IMMEDIATE" : "BEGIN";
    store_rollback(store); /* of a transaction that could not even be rolled back when it failed */
    return sqlite3_exec(store->database, text, NULL, NULL, NULL) == SQLITE_OK ? STORE_OK : STORE_ERROR;
}

enum store_result store_commit(struct store *store) {
    return sqlite3_exec(store->database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ? STORE_OK : STORE_ERROR;
}

void store_rollback(struct store *store) {
    if (!sqlite3_get_autocommit(store->database)) {
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    }
}

sqlite3_stmt *store_statement(struct store *store, enum statement which) {
    sqlite3_stmt **statement = &store->statements[which];
    if (!*statement && sqlite3_prepare_v3(store->database, statement_texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                                          statement, NULL) != SQLITE_OK) {
        return NULL;
    }
    sqlite3_reset(*statement);
    return *statement;
}

void store_bind_bytes(sqlite3_stmt *statement, int index, struct text bytes) {
    sqlite3_bind_blob64(statement, index, bytes.length ? bytes.bytes : "", bytes.length, SQLITE_STATIC);
}

void store_bind_text(sqlite3_stmt *statement, int index, struct text text) {
    sqlite3_bind_text64(statement, index, text.length ? text.bytes : "", text.length, SQLITE_STATIC, SQLITE_UTF8);
}

enum store_result store_run(sqlite3_stmt *statement) {
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    if (result == SQLITE_DONE) {
        return STORE_OK;
    }
    return result == SQLITE_CONSTRAINT ? STORE_CONFLICT : STORE_ERROR;
}

struct text store_column(sqlite3_stmt *statement, int index) {
    const void *bytes = sqlite3_column_blob(statement, index);
    return (struct text){bytes ? bytes : "", (size_t)sqlite3_column_bytes(statement, index)};
}
