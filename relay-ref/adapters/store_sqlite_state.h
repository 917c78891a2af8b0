/* What the files of the store share: the connection and its prepared statements. Inside `store_sqlite*` only. */
#ifndef MESHSPEC_STORE_SQLITE_STATE_H
#define MESHSPEC_STORE_SQLITE_STATE_H

#include <sqlite3.h>

#include "relay-ref/adapters/store_sqlite.h"

enum store_statement {
    STATEMENT_BEGIN,
    STATEMENT_BEGIN_READ,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_FIND_ROOM,
    STATEMENT_MAKE_ROOM,
    STATEMENT_SET_EPOCH,
    STATEMENT_ANY_ROOM,
    STATEMENT_APPEND,
    STATEMENT_PUT_PIECE,
    STATEMENT_DROP_PIECES,
    STATEMENT_TURN,
    STATEMENT_TRIM,
    STATEMENT_PIECES,
    STATEMENT_JOURNAL,
    STATEMENT_COUNT
};

struct store {
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    char *path; /* owned; for messages */
    int lock;   /* the file, open for its lock */
    bool has_batch;
    bool batch_failed;        /* SQLite gave the whole batch up */
    struct store_error first; /* why */
};

/* The prepared statement, fresh to bind, or NULL when SQLite cannot prepare it. */
sqlite3_stmt *store_statement(struct store *store, enum store_statement which);

/* Binds are remembered until the statement's next run; the bytes must live until then. A text without a value is NULL.
 */
void store_bind(sqlite3_stmt *statement, int index, struct relay_text text);

/* Runs a statement that gives no rows, and resets it. False when it failed, which store_tell then explains. */
bool store_run(sqlite3_stmt *statement);

/* Puts what SQLite says about the last failure into `error`, behind `what` and the file's name. Always false. */
bool store_tell(struct store *store, struct store_error *error, const char *what);

/* The same for a fault that SQLite knows nothing of. */
bool store_say(struct store *store, struct store_error *error, enum store_code code, const char *what);

/* Begins a batch unless there is one. */
bool store_begin(struct store *store, struct store_error *error);

/* As store_tell, for a write: notes when SQLite gave the whole batch up with it. */
bool store_write_failed(struct store *store, struct store_error *error, const char *what);

/* Brings the file's tables up to this version, or says why that cannot be (store_sqlite_schema.c). */
bool store_prepare_file(struct store *store, const struct store_settings *settings, struct store_error *error);

/* The file's rooms are of this wire version from now on. */
bool store_set_wire(struct store *store, unsigned wire, struct store_error *error);

/* Remembers that the file was closed orderly. */
void store_mark_orderly(struct store *store);

#endif
