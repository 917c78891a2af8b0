/* What the files of the store share: the connection and its prepared statements. Nobody else includes this. */
#ifndef SYNC_SERVER_STORE_SQLITE_H
#define SYNC_SERVER_STORE_SQLITE_H

#include "tools/sync-server/store.h"

#include <sqlite3.h>

enum statement {
    STATEMENT_SCHEMA_PUT,
    STATEMENT_SCHEMA_GET,
    STATEMENT_SCHEMA_KNOWN,
    STATEMENT_SCHEMA_HASHES,
    STATEMENT_HEAD,
    STATEMENT_BUNDLE_PUT,
    STATEMENT_MIGRATION_PUT,
    STATEMENT_CONNECTED,
    STATEMENT_ROW_INSERT,
    STATEMENT_ROW_GET,
    STATEMENT_ROW_UPDATE,
    STATEMENT_ROW_DELETE,
    STATEMENT_COUNT
};

struct store {
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENT_COUNT];
};

/* The prepared statement, fresh to bind, or NULL when SQLite cannot prepare it. */
sqlite3_stmt *store_statement(struct store *store, enum statement which);

/* Binds are remembered only until the statement's next reset; the texts must live until then. */
void store_bind_bytes(sqlite3_stmt *statement, int index, struct text bytes);
void store_bind_text(sqlite3_stmt *statement, int index, struct text text);

/* Runs a statement that answers no rows, and resets it. A broken constraint is STORE_CONFLICT. */
enum store_result store_run(sqlite3_stmt *statement);

/* A column of the current row; valid until the next step or reset. */
struct text store_column(sqlite3_stmt *statement, int index);

#endif
