/*
 * One running adapter: the adapter protocol's commands and replies over a child process. What the commands mean for a
 * case is exec.c's; here is how one is put, and how its reply is told from nonsense.
 */
#ifndef MESHSPEC_TARGET_ADAPTER_H
#define MESHSPEC_TARGET_ADAPTER_H

#include <stdint.h>

#include "harness/json/value.h"
#include "harness/target/child.h"
#include "harness/target/introduction.h"
#include "harness/target/target.h"

#define ADAPTER_START_LIMIT_MS 20000 /* for a child to come up and answer the handshake */
#define ADAPTER_STOP_LIMIT_MS 1000   /* for it to go after `stop` */

/*
 * Takes an event, whose values are valid during the call. False when it is nonsense, or one too many, with the rest of
 * a sentence that begins with "the adapter" in `reason`.
 */
typedef bool adapter_event(void *context, struct json_value *event, struct error *reason);

struct adapter {
    const char *command; /* borrowed */
    adapter_event *on_event;
    void *context;
    struct child *child; /* NULL: not running */
    uint64_t last_id;
    struct arena *reply_arena; /* of the reply handed out last; NULL: none */
    struct buffer log;         /* of the child before, while none is running */
    struct introduction said;  /* in the handshake; kept when it ends */
};

/*
 * Starts the child unless it runs, and shakes hands: `start`, then a command that nobody knows, which must be answered
 * `unsupported`. TARGET_OK, or TARGET_BROKEN with what went wrong and the end of the child's standard error.
 */
enum target_outcome adapter_start(struct adapter *adapter, struct error *error);

/* Appends JSON text as it may stand in a line: a line break, which is but white space there, becomes a blank. */
void adapter_put_json(struct buffer *command, struct text json);

/*
 * Puts one command, given as its members without `id`, such as `"do":"close","relay":"r1"`. Every event goes to
 * `on_event`, then the reply's `ok` to the caller, valid until the next command (`ok` may be NULL). Every command takes
 * `limit_ms` at most. TARGET_NO: it was answered `no` or `unsupported`. TARGET_BROKEN: the adapter crashed, hung or
 * spoke nonsense; it has been ended, and starts anew with adapter_start.
 */
enum target_outcome adapter_ask(struct adapter *adapter, struct text command, int limit_ms, struct json_value **ok,
                                struct error *error);

/* The adapter answered well-formed nonsense: ends it. `what` is the rest of a sentence that begins with "the adapter".
 */
enum target_outcome adapter_broke(struct adapter *adapter, struct error *error, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* The end of its standard error since adapter_forget_log; valid until the next call of any function here. */
struct text adapter_log(struct adapter *adapter);
void adapter_forget_log(struct adapter *adapter);

/* Ends the child, if one runs: with `stop`, by force when it does not go. Frees everything. */
void adapter_free(struct adapter *adapter);

#endif
