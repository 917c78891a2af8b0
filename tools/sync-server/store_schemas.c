#include "tools/sync-server/store_sqlite.h"

enum store_result store_schema_put(struct store *store, struct text app, struct text hash, struct text object_id,
                                   int64_t published_at, struct text schema) {
    sqlite3_stmt *put = store_statement(store, STATEMENT_SCHEMA_PUT);
    if (!put) {
        return STORE_ERROR;
    }
    store_bind_bytes(put, 1, app);
    store_bind_text(put, 2, hash);
    store_bind_text(put, 3, object_id);
    sqlite3_bind_int64(put, 4, published_at);
    store_bind_text(put, 5, schema);
    return store_run(put);
}

enum store_result store_schema_get(struct store *store, struct text app, struct text hash, struct buffer *schema,
                                   int64_t *published_at) {
    sqlite3_stmt *get = store_statement(store, STATEMENT_SCHEMA_GET);
    if (!get) {
        return STORE_ERROR;
    }
    store_bind_bytes(get, 1, app);
    store_bind_text(get, 2, hash);
    int step = sqlite3_step(get);
    if (step == SQLITE_ROW) {
        buffer_append_text(schema, store_column(get, 0));
        *published_at = sqlite3_column_int64(get, 1);
    }
    sqlite3_reset(get);
    return step == SQLITE_ROW ? STORE_OK : step == SQLITE_DONE ? STORE_NOTHING : STORE_ERROR;
}

enum store_result store_schema_known(struct store *store, struct text app, struct text hash) {
    sqlite3_stmt *known = store_statement(store, STATEMENT_SCHEMA_KNOWN);
    if (!known) {
        return STORE_ERROR;
    }
    store_bind_bytes(known, 1, app);
    store_bind_text(known, 2, hash);
    int step = sqlite3_step(known);
    sqlite3_reset(known);
    return step == SQLITE_ROW ? STORE_OK : step == SQLITE_DONE ? STORE_NOTHING : STORE_ERROR;
}

enum store_result store_schema_hashes(struct store *store, struct text app,
                                      void (*each)(void *context, struct text hash), void *context) {
    sqlite3_stmt *hashes = store_statement(store, STATEMENT_SCHEMA_HASHES);
    if (!hashes) {
        return STORE_ERROR;
    }
    store_bind_bytes(hashes, 1, app);
    int step;
    while ((step = sqlite3_step(hashes)) == SQLITE_ROW) {
        each(context, store_column(hashes, 0));
    }
    sqlite3_reset(hashes);
    return step == SQLITE_DONE ? STORE_OK : STORE_ERROR;
}
