#include "tools/sync-server/store_sqlite.h"

enum store_result store_migration_put(struct store *store, struct text app, struct text object_id, struct text from,
                                      struct text to, struct text forward) {
    sqlite3_stmt *put = store_statement(store, STATEMENT_MIGRATION_PUT);
    if (!put) {
        return STORE_ERROR;
    }
    store_bind_bytes(put, 1, app);
    store_bind_text(put, 2, object_id);
    store_bind_text(put, 3, from);
    store_bind_text(put, 4, to);
    store_bind_text(put, 5, forward);
    return store_run(put);
}

/* store.connectivity: a known hash is connected to itself, an unknown one to nothing. */
enum store_result store_connected(struct store *store, struct text app, struct text from, struct text to) {
    sqlite3_stmt *walk = store_statement(store, STATEMENT_CONNECTED);
    if (!walk) {
        return STORE_ERROR;
    }
    store_bind_bytes(walk, 1, app);
    store_bind_text(walk, 2, from);
    store_bind_text(walk, 3, to);
    int step = sqlite3_step(walk);
    sqlite3_reset(walk);
    return step == SQLITE_ROW ? STORE_OK : step == SQLITE_DONE ? STORE_NOTHING : STORE_ERROR;
}
