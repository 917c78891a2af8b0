/* The batch: everything that is written between two commits is one transaction. */
#include "relay-ref/adapters/store_sqlite_state.h"

bool store_begin(struct store *store, struct store_error *error) {
    if (store->has_batch) {
        if (store->batch_failed)
            *error = store->first;
        return !store->batch_failed;
    }
    if (!store_run(store_statement(store, STATEMENT_BEGIN)))
        return store_tell(store, error, "cannot be written");
    store->has_batch = true;
    store->batch_failed = false;
    return true;
}

bool store_write_failed(struct store *store, struct store_error *error, const char *what) {
    store_tell(store, error, what);
    if (store->has_batch && sqlite3_get_autocommit(store->database) && !store->batch_failed) {
        store->batch_failed = true;
        store->first = *error;
    }
    return false;
}

bool store_has_batch(const struct store *store) {
    return store->has_batch;
}

bool store_commit(struct store *store, struct store_error *error) {
    if (!store->has_batch)
        return true;
    if (store->batch_failed)
        *error = store->first;
    else if (store_run(store_statement(store, STATEMENT_COMMIT)))
        store->has_batch = false;
    else
        store_tell(store, error, "cannot be written");
    if (!store->has_batch)
        return true;
    store_rollback(store);
    return false;
}

void store_rollback(struct store *store) {
    if (store->database != NULL && !sqlite3_get_autocommit(store->database))
        store_run(store_statement(store, STATEMENT_ROLLBACK));
    store->has_batch = false;
    store->batch_failed = false;
}

/* ---- what goes into a batch --------------------------------------------------------------------- */

/* Sets `*id` to 0 when there is no such room. */
static bool find_room(struct store *store, struct relay_text name, int64_t *id, struct store_error *error) {
    sqlite3_stmt *find = store_statement(store, STATEMENT_FIND_ROOM);
    if (find == NULL)
        return store_tell(store, error, "cannot be read");
    store_bind(find, 1, name);
    int step = sqlite3_step(find);
    *id = step == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_write_failed(store, error, "cannot be read");
    sqlite3_reset(find);
    return true;
}

bool store_room_id(struct store *store, struct relay_text name, struct relay_text epoch, int64_t *id,
                   struct store_error *error) {
    if (!store_begin(store, error) || !find_room(store, name, id, error))
        return false;
    if (*id != 0)
        return true;
    sqlite3_stmt *make = store_statement(store, STATEMENT_MAKE_ROOM);
    if (make != NULL) {
        store_bind(make, 1, name);
        store_bind(make, 2, epoch);
    }
    if (!store_run(make))
        return store_write_failed(store, error, "cannot be written");
    *id = sqlite3_last_insert_rowid(store->database);
    return true;
}

bool store_set_epoch(struct store *store, int64_t room, struct relay_text epoch, struct store_error *error) {
    if (!store_begin(store, error))
        return false;
    sqlite3_stmt *set = store_statement(store, STATEMENT_SET_EPOCH);
    if (set != NULL) {
        sqlite3_bind_int64(set, 1, room);
        store_bind(set, 2, epoch);
    }
    return store_run(set) || store_write_failed(store, error, "cannot be written");
}

bool store_append(struct store *store, int64_t room, uint64_t seq, struct relay_text envelope,
                  struct store_error *error) {
    if (!store_begin(store, error))
        return false;
    sqlite3_stmt *append = store_statement(store, STATEMENT_APPEND);
    if (append != NULL) {
        sqlite3_bind_int64(append, 1, room);
        sqlite3_bind_int64(append, 2, (int64_t)seq);
        store_bind(append, 3, envelope);
    }
    return store_run(append) || store_write_failed(store, error, "cannot be written");
}

/* ---- all rooms ---------------------------------------------------------------------------------- */

bool store_is_empty(struct store *store, bool *empty, struct store_error *error) {
    sqlite3_stmt *any = store_statement(store, STATEMENT_ANY_ROOM);
    int step = any != NULL ? sqlite3_step(any) : SQLITE_ERROR;
    *empty = step == SQLITE_DONE;
    if (step != SQLITE_DONE && step != SQLITE_ROW)
        return store_tell(store, error, "cannot be read");
    sqlite3_reset(any);
    return true;
}

bool store_forget_all(struct store *store, unsigned wire, struct store_error *error) {
    static const char tables[] = "DELETE FROM rooms; DELETE FROM journal; DELETE FROM pieces";
    if (!store_begin(store, error))
        return false;
    if (sqlite3_exec(store->database, tables, NULL, NULL, NULL) == SQLITE_OK && store_set_wire(store, wire, error))
        return store_commit(store, error);
    store_tell(store, error, "cannot be written");
    store_rollback(store);
    return false;
}
