#include "relay-ref/adapters/store_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "relay-ref/adapters/store_sqlite_state.h"

/* How long a write waits for another process that has the file locked, in milliseconds: nobody is served meanwhile. */
#define BUSY_MS 250

/* A log that has grown beyond this is cut back to it once it is empty, in bytes. */
#define LOG_BYTES_KEPT "67108864"

static const char *const statement_texts[STATEMENT_COUNT] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_BEGIN_READ] = "BEGIN",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_ROLLBACK] = "ROLLBACK",
    [STATEMENT_FIND_ROOM] = "SELECT id, epoch, renew, checkpoint, checkpoint_seq, floor FROM rooms WHERE name = ?1",
    [STATEMENT_MAKE_ROOM] = "INSERT INTO rooms (name, epoch) VALUES (?1, ?2)",
    [STATEMENT_SET_EPOCH] = "UPDATE rooms SET epoch = ?2, renew = 0 WHERE id = ?1",
    [STATEMENT_ANY_ROOM] = "SELECT 1 FROM rooms LIMIT 1",
    [STATEMENT_APPEND] = "INSERT INTO journal (room, seq, envelope) VALUES (?1, ?2, ?3)",
    [STATEMENT_PUT_PIECE] = "INSERT INTO pieces (room, checkpoint, piece, bytes) "
                            "VALUES (?1, (SELECT checkpoint + 1 FROM rooms WHERE id = ?1), ?2, ?3)",
    /* One piece of any checkpoint but the room's own. */
    [STATEMENT_DROP_PIECES] =
        "DELETE FROM pieces WHERE room = ?1 AND (checkpoint, piece) = (SELECT checkpoint, piece FROM pieces "
        "WHERE room = ?1 AND checkpoint <> (SELECT checkpoint FROM rooms WHERE id = ?1) LIMIT 1)",
    [STATEMENT_TURN] = "UPDATE rooms SET checkpoint = checkpoint + 1, checkpoint_seq = ?2, floor = ?3 WHERE id = ?1",
    [STATEMENT_TRIM] = "DELETE FROM journal WHERE room = ?1 AND seq < ?2 AND "
                       "seq < (SELECT min(seq) FROM journal WHERE room = ?1) + ?3",
    [STATEMENT_PIECES] = "SELECT bytes FROM pieces WHERE room = ?1 AND checkpoint = ?2 ORDER BY piece",
    [STATEMENT_JOURNAL] = "SELECT seq, envelope FROM journal WHERE room = ?1 AND seq >= ?2 ORDER BY seq",
};

/* ---- errors ------------------------------------------------------------------------------------- */

bool store_say(struct store *store, struct store_error *error, enum store_code code, const char *what) {
    error->code = code;
    snprintf(error->text, sizeof error->text, "%.400s %s", store->path, what);
    return false;
}

static enum store_code code_of(int result) {
    switch (result) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return STORE_BUSY;
    case SQLITE_FULL:
        return STORE_FULL;
    case SQLITE_CORRUPT:
    case SQLITE_CONSTRAINT:
        return STORE_DAMAGED;
    case SQLITE_NOTADB:
        return STORE_FOREIGN;
    default:
        return STORE_FAILED;
    }
}

bool store_tell(struct store *store, struct store_error *error, const char *what) {
    int result = sqlite3_errcode(store->database) & 0xff;
    int system_error = result == SQLITE_IOERR || result == SQLITE_CANTOPEN ? sqlite3_system_errno(store->database) : 0;
    error->code = code_of(result);
    snprintf(error->text, sizeof error->text, "%.400s %s: %.150s%s%s", store->path, what,
             sqlite3_errmsg(store->database), system_error != 0 ? ": " : "",
             system_error != 0 ? strerror(system_error) : "");
    return false;
}

/* ---- opening ------------------------------------------------------------------------------------ */

/* SQLite's own locks are record locks, which this one does not disturb as long as it is the last to be closed. */
static bool lock_file(struct store *store, struct store_error *error) {
    char text[256];
    store->lock = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock < 0) {
        snprintf(text, sizeof text, "cannot be opened for reading and writing: %s", strerror(errno));
        return store_say(store, error, STORE_FAILED, text);
    }
    if (flock(store->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    return store_say(store, error, STORE_BUSY, "is being served by another process");
}

static bool open_database(struct store *store, struct store_error *error) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    char *real = realpath(store->path, NULL); /* a link is followed once, so that the log lies beside the file itself */
    int result = real == NULL ? SQLITE_CANTOPEN : sqlite3_open_v2(real, &store->database, flags, NULL);
    free(real);
    if (result != SQLITE_OK)
        return store->database != NULL ? store_tell(store, error, "cannot be opened")
                                       : store_say(store, error, STORE_FAILED, "cannot be opened");
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, BUSY_MS);
    if (sqlite3_db_readonly(store->database, "main") == 1)
        return store_say(store, error, STORE_FAILED, "is read-only");
    return sqlite3_exec(store->database, "PRAGMA journal_size_limit = " LOG_BYTES_KEPT, NULL, NULL, NULL) ==
               SQLITE_OK ||
           store_tell(store, error, "cannot be used");
}

struct store *store_open(const struct store_settings *settings, struct store_error *error) {
    struct store *store = calloc(1, sizeof *store);
    *error = (struct store_error){STORE_FAILED, "out of memory"};
    if (store == NULL)
        return NULL;
    store->lock = -1;
    store->path = strdup(settings->path);
    if (store->path != NULL && lock_file(store, error) && open_database(store, error) &&
        store_prepare_file(store, settings, error)) {
        error->code = STORE_FINE;
        return store;
    }
    store_close(store, false);
    return NULL;
}

void store_close(struct store *store, bool orderly) {
    if (store == NULL)
        return;
    store_rollback(store);
    if (orderly)
        store_mark_orderly(store);
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close_v2(store->database);
    if (store->lock >= 0)
        close(store->lock);
    free(store->path);
    free(store);
}

/* ---- statements --------------------------------------------------------------------------------- */

sqlite3_stmt *store_statement(struct store *store, enum store_statement which) {
    sqlite3_stmt **statement = &store->statements[which];
    if (*statement == NULL && sqlite3_prepare_v3(store->database, statement_texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                                                 statement, NULL) != SQLITE_OK)
        return NULL;
    sqlite3_reset(*statement);
    return *statement;
}

void store_bind(sqlite3_stmt *statement, int index, struct relay_text text) {
    if (text.bytes == NULL)
        sqlite3_bind_null(statement, index);
    else
        sqlite3_bind_blob64(statement, index, text.length > 0 ? text.bytes : "", text.length, SQLITE_STATIC);
}

bool store_run(sqlite3_stmt *statement) {
    return statement != NULL && sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK;
}
