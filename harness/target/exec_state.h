/*
 * What the pieces of the target behind the adapter protocol share. Inside `exec*` only.
 */
#ifndef MESHSPEC_TARGET_EXEC_STATE_H
#define MESHSPEC_TARGET_EXEC_STATE_H

#include <inttypes.h>

#include "harness/target/adapter.h"
#include "harness/target/events.h"
#include "harness/target/target.h"

#define EXEC_CONNECTION_FORMAT "case%" PRIu64 "-%d"

struct exec_connection {
    int number;
    bool ended; /* by the client's side: nothing that the adapter still sends it is an event */
};

struct exec_target {
    struct target target;
    char *name; /* "exec:COMMAND" */
    struct adapter adapter;
    struct target_events events;
    bool opened;     /* a relay is open in the adapter */
    uint64_t relay;  /* the number in the open relay's name; never used twice */
    uint64_t serial; /* the number of the case in its connections' names */
    int limit_ms;
    int64_t now; /* of the virtual clock */
    struct exec_connection *connections;
    size_t count, capacity;
    struct buffer command; /* under construction */
};

/* The case's connection of that number; NULL when there is none. */
struct exec_connection *exec_find(struct exec_target *exec, int number);

/* The adapter's on_event, with the target as its context: an event goes to the events that wait, or is a breach of the protocol. */
bool exec_take_event(void *context, struct json_value *value, struct error *reason);

/* Begins a command for the open relay; what is put into it follows. */
struct buffer *exec_begin(struct exec_target *exec, const char *verb);

/* Begins a command for a connection, which belongs to a relay already. */
struct buffer *exec_begin_for(struct exec_target *exec, const char *verb, int number);

/* A member more of a command: a string, or what is JSON already. */
void exec_put_text(struct buffer *command, const char *key, struct text text);
void exec_put_json(struct buffer *command, const char *key, struct text json);

/* Sends the command that was begun and waits for its reply, as adapter_ask does; TARGET_BROKEN with a fault of the suite before a case is open. */
enum target_outcome exec_ask(struct exec_target *exec, struct json_value **ok, struct error *error);

#endif
