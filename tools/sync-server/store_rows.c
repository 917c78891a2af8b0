#include "tools/sync-server/store_sqlite.h"

enum store_result store_row_insert(struct store *store, struct text app, struct text table, const struct row *row) {
    sqlite3_stmt *insert = store_statement(store, STATEMENT_ROW_INSERT);
    if (!insert) {
        return STORE_ERROR;
    }
    store_bind_bytes(insert, 1, app);
    store_bind_bytes(insert, 2, table);
    store_bind_text(insert, 3, row->id);
    store_bind_bytes(insert, 4, row->created_by);
    store_bind_text(insert, 5, row->values);
    return store_run(insert);
}

/* Binds what names a row: app, table, id. */
static sqlite3_stmt *row_statement(struct store *store, enum statement which, struct text app, struct text table,
                                   struct text id) {
    sqlite3_stmt *statement = store_statement(store, which);
    if (statement) {
        store_bind_bytes(statement, 1, app);
        store_bind_bytes(statement, 2, table);
        store_bind_text(statement, 3, id);
    }
    return statement;
}

enum store_result store_row_get(struct store *store, struct text app, struct text table, struct text id,
                                struct buffer *created_by, struct buffer *values) {
    sqlite3_stmt *get = row_statement(store, STATEMENT_ROW_GET, app, table, id);
    if (!get) {
        return STORE_ERROR;
    }
    int step = sqlite3_step(get);
    if (step == SQLITE_ROW) {
        buffer_append_text(created_by, store_column(get, 0));
        buffer_append_text(values, store_column(get, 1));
    }
    sqlite3_reset(get);
    return step == SQLITE_ROW ? STORE_OK : step == SQLITE_DONE ? STORE_NOTHING : STORE_ERROR;
}

static enum store_result run_on_row(struct store *store, sqlite3_stmt *statement) {
    if (!statement) {
        return STORE_ERROR;
    }
    enum store_result result = store_run(statement);
    return result == STORE_OK && sqlite3_changes(store->database) == 0 ? STORE_NOTHING : result;
}

enum store_result store_row_update(struct store *store, struct text app, struct text table, struct text id,
                                   struct text values) {
    sqlite3_stmt *update = row_statement(store, STATEMENT_ROW_UPDATE, app, table, id);
    if (update) {
        store_bind_text(update, 4, values);
    }
    return run_on_row(store, update);
}

enum store_result store_row_delete(struct store *store, struct text app, struct text table, struct text id) {
    return run_on_row(store, row_statement(store, STATEMENT_ROW_DELETE, app, table, id));
}

/* A statement of its own for each call: a policy walks one table while a listing walks another. */
enum store_result store_rows(struct store *store, struct text app, struct text table,
                             bool (*each)(void *context, const struct row *row), void *context) {
    static const char text[] = "SELECT id, created_by, row_values FROM data_rows "
                               "WHERE app = ?1 AND table_name = ?2 ORDER BY position";
    sqlite3_stmt *walk = NULL;
    if (sqlite3_prepare_v2(store->database, text, sizeof text, &walk, NULL) != SQLITE_OK) {
        return STORE_ERROR;
    }
    store_bind_bytes(walk, 1, app);
    store_bind_bytes(walk, 2, table);
    int step;
    bool more = true;
    while (more && (step = sqlite3_step(walk)) == SQLITE_ROW) {
        struct row row = {store_column(walk, 0), store_column(walk, 1), store_column(walk, 2)};
        more = each(context, &row);
    }
    sqlite3_finalize(walk);
    return !more || step == SQLITE_DONE ? STORE_OK : STORE_ERROR;
}
