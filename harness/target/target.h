/*
 * A target: something under test, behind one table of functions. Nothing above this header knows which target it is.
 *
 * A target is used for one case after another: open, commands, close. Connections are named by small numbers that the
 * caller chooses, fresh within a case. Events that commands cause (messages, closes, what observers saw) come out of `next_event`, each
 * connection's in the order in which the relay sent them.
 *
 * There are two sorts, told apart by the capability "barrier": with it, every event that a command causes is there when the
 * command returns (memory, adapters); without it, events arrive when they arrive (sockets) and absence needs a fence.
 */
#ifndef MESHSPEC_TARGET_H
#define MESHSPEC_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/base/text.h"

/* The virtual clock's reading when a case opens, in milliseconds. */
#define TARGET_CLOCK_START INT64_C(1700000000000)

/* The writer of a connection that only asks whether the relay answers. A target that knows its writers by name takes one of them instead. */
#define TARGET_PROBE_WRITER "meshspec-probe"

struct target_principal {
    struct text writer; /* characters as in json_value: UTF-8, WTF-8 for lone surrogates */
    struct text kind;   /* bytes NULL: none */
    struct text claims; /* a JSON object as text; bytes NULL: none */
};

enum target_event_kind {
    TARGET_MESSAGE,  /* the relay sent a message: `text` */
    TARGET_CLOSED,   /* the relay, or the transport, closed the connection; nothing follows from it */
    TARGET_OBSERVED  /* an observer of the relay fired: `name` is "commit", "violation", "join", "reject", "drop", "stalled", …; `text` is its JSON object: {room, env, state}, {room, violation}, {room, origin, version, reason}, … */
};

struct target_event {
    enum target_event_kind kind;
    int connection;       /* TARGET_MESSAGE, TARGET_CLOSED */
    bool binary;          /* TARGET_MESSAGE: it came as a binary message */
    unsigned close_code;  /* TARGET_CLOSED: the WebSocket close code; 0 when there is none; 1006 when a socket ended without a close frame */
    struct text text;     /* valid until the next call of next_event or close; for TARGET_CLOSED the close reason */
    const char *name;     /* TARGET_OBSERVED; likewise valid */
};

enum target_outcome {
    TARGET_OK,
    TARGET_NO,    /* the target lacks it: the case is skipped; `error->text` is the reason */
    TARGET_BROKEN /* the target crashed, hung, could not be reached or spoke nonsense: the case is an error; `error->text` says what, with the evidence */
};

/* How a message travels. Adapters and memory take TARGET_FRAME_TEXT only. */
enum target_frame { TARGET_FRAME_TEXT, TARGET_FRAME_BINARY };

struct target;

struct target_table {
    /*
     * Whether the target has a capability: "barrier", "options", "policy.acl", "policy.validate", "clock", "hydrate", "room", "commit",
     * "violation", "restart" (open again within a case gives a new life of the relay), "fresh" (each open is a relay of its own, so names need
     * no suffix), "binary" (binary messages and bytes that are not UTF-8), "fragments", "abrupt" (a disconnect without closing handshake),
     * "stall" (stops reading a connection), "fixed-writers" (knows its writers by name, so these get no suffix), "fence.hello" (a fence must be a
     * hello, for a signal may overtake), "policy.canBump", "policy.verifyCitations", "hold" (the commands hold, unhold, release
     * and fail), "unload", "join", "reject", "drop" and "stalled" (observers), and others that an adapter declares.
     */
    bool (*can)(struct target *target, const char *capability);
    /*
     * Begins a case (or, within one, a new life of the relay) for a profile such as "0.2.0" with the given options (JSON object as in the adapter
     * protocol; "{}" for the defaults). `limit_ms` is the longest that any one command of the case may take.
     */
    enum target_outcome (*open)(struct target *target, const char *profile, struct text options, int limit_ms, struct error *error);
    enum target_outcome (*connect)(struct target *target, int connection, const struct target_principal *principal, struct error *error);
    /* Sends one message, cut into `fragments` WebSocket frames of about equal size (1: whole). Sending on a connection that is closed already is TARGET_OK and does nothing. */
    enum target_outcome (*send)(struct target *target, int connection, struct text message, enum target_frame frame, int fragments, struct error *error);
    /* Ends a connection from the client's side; `abrupt`: without closing handshake. What it received before stays in the queue; a TARGET_CLOSED does not follow. */
    enum target_outcome (*disconnect)(struct target *target, int connection, bool abrupt, struct error *error);
    enum target_outcome (*stall)(struct target *target, int connection, bool stalled, struct error *error);
    enum target_outcome (*hydrate)(struct target *target, struct text room, struct text snapshot, bool *answer, struct error *error);
    /* Appends the room's info as JSON ({"seq","members","journal"}), or "null" when there is none. */
    enum target_outcome (*room)(struct target *target, struct text room, struct buffer *info, struct error *error);
    /* Sets the virtual clock to `ms`. */
    enum target_outcome (*clock)(struct target *target, int64_t ms, struct error *error);
    /*
     * Puts a further command of the adapter protocol for the open relay: "hold", "unhold", "release", "fail", "unload", or whatever else there is. `fields` holds
     * its other members, a JSON object such as {"room":"r","seq":1}; the relay's name is added. Appends what the reply's `ok` holds, as JSON, to `answer`.
     * TARGET_NO: the target does not offer the command (its capability, see above, is missing), does not know it or says no to it.
     */
    enum target_outcome (*command)(struct target *target, const char *name, struct text fields, struct buffer *answer, struct error *error);
    /*
     * Takes the next event; waits up to `timeout_ms` for one (a barrier target never waits). False when there is none in that time. When the target as a whole broke
     * (a child that died), false with `error->code` set.
     */
    bool (*next_event)(struct target *target, int timeout_ms, struct target_event *event, struct error *error);
    /*
     * Fetches what observers saw up to now, which next_event then gives. May be NULL in a table: it comes by itself.
     */
    enum target_outcome (*observe)(struct target *target, struct error *error);
    /* Ends the case: drops every connection and event. The target can be opened again. */
    void (*close)(struct target *target);
    void (*free)(struct target *target);
    /*
     * What the target logged since the case was opened (the end of an adapter's standard error), as evidence to keep with the case; valid until the next
     * call of any function. May be NULL in a table: there is no log.
     */
    struct text (*log)(struct target *target);
};

struct target {
    const struct target_table *table;
    const char *name;  /* as reports show it: "memory", "ws://…", "exec:…" */
    const char *about; /* what it says of itself: "some-relay 1.2.0 (Erlang)"; NULL when it says nothing */
    const char *options; /* the options that it runs with and that cannot be chosen, as JSON; NULL: they can, or are the protocol's defaults */
};

/* ---- kinds of target; each is freed with its table's `free` ---- */

/* The reference relay in this process. */
struct target *target_memory_new(void);

/*
 * Any relay by URL (ws:// or wss://). The principal travels in the query: `writer`, `kind`, `claims` (JSON), percent-encoded, appended to what the URL has.
 * Does not connect yet. NULL with ERROR_USAGE when the URL is not one. websocket.h has more to say about such a relay.
 */
struct target *target_websocket_new(const char *url, struct error *error);

/* An adapter: COMMAND is run by /bin/sh and speaks the adapter protocol on its standard input and output. */
struct target *target_exec_new(const char *command, struct error *error);

/* By its name on the command line: memory, ws://…, wss://…, exec:COMMAND. NULL with ERROR_USAGE for any other. */
struct target *target_new(const char *name, struct error *error);

#endif
