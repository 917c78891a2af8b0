#include "tools/sync-server/store_sqlite.h"

#include <string.h>

/* Copies digits that the store itself wrote; a column of another length is left empty. */
static void copy_digits(char *digits, size_t length, struct text column) {
    bool fits = column.length == length;
    memcpy(digits, fits ? column.bytes : "", fits ? length : 0);
    digits[fits ? length : 0] = '\0';
}

static void read_bundle(sqlite3_stmt *row, struct bundle *bundle) {
    *bundle = (struct bundle){0};
    copy_digits(bundle->schema_hash.digits, HASH_LENGTH, store_column(row, 0));
    bundle->version = sqlite3_column_int64(row, 1);
    bundle->has_parent = sqlite3_column_type(row, 2) != SQLITE_NULL;
    if (bundle->has_parent) {
        copy_digits(bundle->parent.digits, UUID_LENGTH, store_column(row, 2));
    }
    copy_digits(bundle->id.digits, UUID_LENGTH, store_column(row, 3));
    copy_digits(bundle->fingerprint.digits, HASH_LENGTH, store_column(row, 4));
}

enum store_result store_head(struct store *store, struct text app, struct bundle *head, struct buffer *permissions) {
    sqlite3_stmt *get = store_statement(store, STATEMENT_HEAD);
    if (!get) {
        return STORE_ERROR;
    }
    store_bind_bytes(get, 1, app);
    int step = sqlite3_step(get);
    if (step == SQLITE_ROW) {
        read_bundle(get, head);
        if (permissions) {
            buffer_append_text(permissions, store_column(get, 5));
        }
    }
    sqlite3_reset(get);
    return step == SQLITE_ROW ? STORE_OK : step == SQLITE_DONE ? STORE_NOTHING : STORE_ERROR;
}

enum store_result store_bundle_put(struct store *store, struct text app, const struct bundle *bundle,
                                   struct text permissions) {
    sqlite3_stmt *put = store_statement(store, STATEMENT_BUNDLE_PUT);
    if (!put) {
        return STORE_ERROR;
    }
    store_bind_bytes(put, 1, app);
    sqlite3_bind_int64(put, 2, bundle->version);
    store_bind_text(put, 3, text_of(bundle->schema_hash.digits));
    if (bundle->has_parent) {
        store_bind_text(put, 4, text_of(bundle->parent.digits));
    } else {
        sqlite3_bind_null(put, 4);
    }
    store_bind_text(put, 5, text_of(bundle->id.digits));
    store_bind_text(put, 6, text_of(bundle->fingerprint.digits));
    store_bind_text(put, 7, permissions);
    return store_run(put);
}
