/*
 * What the store keeps, in SQLite: per app id, schemas, migrations between them, one chain of permission
 * bundles, and the rows of the data plane.
 *
 * Every function works inside the transaction that the caller opened with `store_begin`; a request opens one,
 * and its answer is sent only after `store_commit` succeeded. App ids, table names and user ids are any bytes (they
 * are bound as blobs, so names that differ never collapse). JSON goes in and comes out as text, unchanged.
 *
 * Functions that answer `enum store_result` answer STORE_ERROR when SQLite failed; `store_error` then says why.
 */
#ifndef SYNC_SERVER_STORE_H
#define SYNC_SERVER_STORE_H

#include "tools/sync-server/identity.h"

struct store;

enum store_result { STORE_OK, STORE_NOTHING, STORE_CONFLICT, STORE_ERROR };

/* What a committed request outlives (store.restart). */
enum store_sync {
    /* A crash of the process, kill -9 too: a commit has handed its log to the operating system. The usual choice for
     * a store on one's own machine; a commit costs no wait for the disk. */
    STORE_SYNC_PROCESS,
    /* A crash of the machine as well: a commit waits until its log is on the disk. */
    STORE_SYNC_MACHINE
};

/* Opens the database at `path` (NULL: in memory) and makes its tables. A file is kept in WAL mode. On failure answers
 * NULL and appends the reason to `why`. */
struct store *store_open(const char *path, enum store_sync sync, struct buffer *why);

/* Closes the database, its log folded back into the file. NULL is fine. */
void store_close(struct store *store);

/* SQLite's text for the last failure; valid until the next call. */
const char *store_error(struct store *store);

/* `writes` takes the write lock at once, so that two writers never both read the same head (store.perm-race). */
enum store_result store_begin(struct store *store, bool writes);
enum store_result store_commit(struct store *store);
void store_rollback(struct store *store);

/* ---- schemas (store_schemas.c) ------------------------------------------------------------------ */

/* Keeps a schema under its hash. A hash that is there already stays as it was (store.hash-stable). */
enum store_result store_schema_put(struct store *store, struct text app, struct text hash, struct text object_id,
                                   int64_t published_at, struct text schema);

/* Appends the schema's text; `*published_at` in milliseconds since 1970. STORE_NOTHING for an unknown hash. */
enum store_result store_schema_get(struct store *store, struct text app, struct text hash, struct buffer *schema,
                                   int64_t *published_at);

/* STORE_OK when the hash is known, STORE_NOTHING when not. */
enum store_result store_schema_known(struct store *store, struct text app, struct text hash);

/* Calls `each` for every hash in the order of publishing. */
enum store_result store_schema_hashes(struct store *store, struct text app,
                                      void (*each)(void *context, struct text hash), void *context);

/* ---- permission bundles (store_bundles.c) ------------------------------------------------------- */

struct bundle {
    struct hash schema_hash;
    int64_t version;
    bool has_parent;
    struct uuid parent; /* the bundle before, where there is one */
    struct uuid id;
    struct hash fingerprint; /* of the permissions' canonical spelling */
};

/* The newest bundle; STORE_NOTHING when there is none. `permissions` may be NULL when its text is not wanted. */
enum store_result store_head(struct store *store, struct text app, struct bundle *head, struct buffer *permissions);

/* Appends a bundle to the chain. STORE_CONFLICT when that version exists already. */
enum store_result store_bundle_put(struct store *store, struct text app, const struct bundle *bundle,
                                   struct text permissions);

/* ---- migrations (store_migrations.c) ------------------------------------------------------------ */

/* Keeps a migration; one that is there already under this id stays as it was. */
enum store_result store_migration_put(struct store *store, struct text app, struct text object_id, struct text from,
                                      struct text to, struct text forward);

/* STORE_OK when both hashes are known and `to` can be reached from `from` over migrations in either direction
 * (store.connectivity), STORE_NOTHING when not. */
enum store_result store_connected(struct store *store, struct text app, struct text from, struct text to);

/* ---- rows of the data plane (store_rows.c) ------------------------------------------------------ */

struct row {
    struct text id;
    struct text created_by;
    struct text values; /* a JSON object: column name -> value */
};

/* STORE_CONFLICT when the table has a row of that id. */
enum store_result store_row_insert(struct store *store, struct text app, struct text table, const struct row *row);

/* Appends the row's author and values; STORE_NOTHING when there is no such row. */
enum store_result store_row_get(struct store *store, struct text app, struct text table, struct text id,
                                struct buffer *created_by, struct buffer *values);
enum store_result store_row_update(struct store *store, struct text app, struct text table, struct text id,
                                   struct text values);
enum store_result store_row_delete(struct store *store, struct text app, struct text table, struct text id);

/* Calls `each` for the table's rows in the order of insertion until it answers false. May be called from inside
 * `each`. */
enum store_result store_rows(struct store *store, struct text app, struct text table,
                             bool (*each)(void *context, const struct row *row), void *context);

#endif
