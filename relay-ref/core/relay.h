/*
 * The reference relay: a pure core.
 *
 * The core knows no socket, clock, file or thread. Whoever owns it hands in a `relay_env` (time, a
 * source of fresh epochs, observers) when the relay is made, and a `relay_sink` (where frames go) with each
 * connection. Everything happens inside the call that causes it: when `relay_receive` returns, every
 * frame that it caused has been handed to a sink.
 *
 * Lifetime rules
 *   1. The relay owns rooms, connections and everything in them; `relay_free` frees them all.
 *   2. A connection lives from `relay_connect` until `relay_disconnect`. After the relay called the sink's
 *      `close`, it ignores what it still receives from that connection, and up to 0.2.0 it sends nothing more to it;
 *      from 0.9 on it sends what the connection's other rooms have for it until its end, which a transport that is
 *      closing drops. The owner must still call `relay_disconnect` exactly once.
 *   3. Texts handed to the core are copied where it keeps them; texts handed to an observer are
 *      valid during that call only.
 *   4. A sink or observer must not call back into the same relay, except `relay_frame_keep`,
 *      `relay_frame_release` and the relay_commit_… functions; `restore` may call `relay_restore` and `relay_hydrate`
 *      for the room that it is asked for. So a held commit is decided after on_commit returned.
 *   5. One relay is used by one thread at a time. Two relays share nothing.
 */
#ifndef MESHSPEC_RELAY_H
#define MESHSPEC_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text with its length; never assumed to end in NUL. `bytes` is NULL where there is no value. */
struct relay_text {
    const char *bytes;
    size_t length;
};

/* The protocol versions that the core speaks; 0.9 is wire version 3, the others are wire version 1. */
enum relay_protocol { RELAY_PROTOCOL_0_1_0, RELAY_PROTOCOL_0_1_1, RELAY_PROTOCOL_0_2_0, RELAY_PROTOCOL_0_9 };

/* Who a connection is, vouched for by its adapter. */
struct relay_principal {
    struct relay_text writer; /* decoded characters, UTF-8; never empty */
    struct relay_text kind;   /* "human", "agent", … ; no value allowed */
    struct relay_text claims; /* a JSON object as text; no value allowed */
};

/* ---- frames ------------------------------------------------------------------------------------ */

/* Writable bytes that stand before a frame's text, so that a transport can put its own header there. */
#define RELAY_FRAME_HEADROOM 64

/* One outgoing message, shared by all its receivers: reference counted, its text never changed. */
struct relay_frame {
    size_t references;
    size_t length; /* of the text */
    char *text;    /* UTF-8 JSON, preceded by RELAY_FRAME_HEADROOM writable bytes */
};

/* Keeps `frame` beyond the sink's `send`. Pair each call with one `relay_frame_release`. */
void relay_frame_keep(struct relay_frame *frame);

/* Gives one reference back; the last one frees the frame. */
void relay_frame_release(struct relay_frame *frame);

/* Where a connection's frames go. Both functions are called from inside relay calls only. */
struct relay_sink {
    void *context;
    /* `frame` is borrowed for the call; keep it to hold on to it. */
    void (*send)(void *context, struct relay_frame *frame);
    /* The relay is done with this connection (eject.all-connections, join.takeover). Called at most once. */
    void (*close)(void *context);
};

/* ---- what the owner hands in ------------------------------------------------------------------- */

struct relay_commit; /* valid during on_commit */

struct relay_commit_state {
    uint64_t seq;
    struct relay_text epoch;
    double schema_version; /* 0 before 0.2.0 */
};

/* What an observer says of a commit: decided, so that the envelope may be echoed, or still open (durable.hold). */
enum relay_committed { RELAY_COMMIT_DECIDED, RELAY_COMMIT_HELD };

struct relay_violation {
    struct relay_text writer; /* decoded characters */
    const char *reason;       /* "proto", "ops-limit", "rate", "writer-mismatch", "can-write", "validate"; from 0.9 on
                                 "malformed", "epoch-bump" and "unknown-citation" too */
    struct relay_text path;   /* JSON array as it came in; no value where no single op is at fault */
    const char *detail;       /* for "malformed" the row of valid.details, for others a remark; NULL for none */
};

/* An envelope that was refused without ejecting anybody (admit.*). */
struct relay_dropped {
    struct relay_text origin;  /* decoded characters */
    struct relay_text version; /* a JSON number, as it came in */
    const char *reason;        /* "generation", "schema", "duplicate" or "order" */
};

/* A hello that was turned away (join.reject-order). */
struct relay_rejection {
    struct relay_text writer; /* decoded characters */
    const char *reason;       /* "unauthorized", "proto", "policy-version" or "schema" */
    bool has_expected;
    double expected;
};

/* The ceilings of relay_options that a message can run into. */
enum relay_limit {
    RELAY_LIMIT_ROOMS,
    RELAY_LIMIT_ROOMS_PER_CONNECTION,
    RELAY_LIMIT_MEMBERS,
    RELAY_LIMIT_ROOT_BYTES,
    RELAY_LIMIT_DEPTH,
    RELAY_LIMIT_ARRAY,
    RELAY_LIMIT_NAME_BYTES,
    RELAY_LIMIT_PRESENCE_BYTES,
    RELAY_LIMIT_KEPT_BYTES
};

#define RELAY_LIMITS 9

/* What `restore` found: no such room is kept, it is restored, or it is kept but cannot be restored now. Then the
   hello's connection is closed: a blank room in its place would be another room. */
enum relay_kept { RELAY_KEPT_NONE, RELAY_KEPT_RESTORED, RELAY_KEPT_UNREADABLE };

/* The core's only door to the world. `now` and `mint` are required, the observers may be NULL. */
struct relay_env {
    void *context;
    /* Milliseconds since any fixed point; may stand still, never goes back. */
    int64_t (*now)(void *context);
    /* Writes a fresh epoch of at most `capacity` bytes of plain ASCII (no quote, no backslash) and returns its
       length, at least 1. Two calls never give the same (epoch.unique). relay_new takes two of them for itself, to seed
       its hash tables: what nobody can foretell here protects those as well. */
    size_t (*mint)(void *context, char *out, size_t capacity);
    /*
     * commit.each: once per ordered envelope. `room` is decoded, `envelope` is the JSON text as broadcast. Up to 0.2.0
     * it comes after the broadcast and what it returns counts for nothing; never for RELAY_PROTOCOL_0_1_0. For 0.9, and
     * for every version with the option `hold_commits`, it comes first: RELAY_COMMIT_HELD keeps the echo and every
     * later answer of the room back until relay_release or relay_fail names this seq (durable.hold).
     */
    enum relay_committed (*on_commit)(void *context, struct relay_text room, struct relay_text envelope,
                                      const struct relay_commit_state *state, struct relay_commit *commit);
    /* eject.observed: once per ejection, before anything is sent. */
    void (*on_violation)(void *context, struct relay_text room, const struct relay_violation *violation);
    /* A message ran into a ceiling of relay_options. After any but RELAY_LIMIT_ARRAY nothing comes of the message and
       its connection is closed. */
    void (*on_limit)(void *context, enum relay_limit limit);
    /* Asked when a hello that nothing speaks against names a room that the relay does not know: whoever keeps rooms
       restores it now. `room` is decoded. NULL: nobody keeps rooms. */
    enum relay_kept (*restore)(void *context, struct relay_text room);
    /* Once per accepted hello, before anybody is told; `writer` and `origin` are decoded. */
    void (*on_join)(void *context, struct relay_text room, struct relay_text writer, struct relay_text origin);
    /* Once per hello that was turned away. */
    void (*on_reject)(void *context, struct relay_text room, const struct relay_rejection *rejection);
    /* Once per dropped envelope; from 0.9 on. */
    void (*on_drop)(void *context, struct relay_text room, const struct relay_dropped *dropped);
    /* durable.stall: once per room, with the seq of the commit that failed. */
    void (*on_durability_failed)(void *context, struct relay_text room, uint64_t seq);
};

/* The folded root after this commit as JSON text, built on first use and kept until the next write; no value
   when the fold has none yet, and for 0.9. Valid during on_commit. */
struct relay_text relay_commit_root(struct relay_commit *commit);

/* True when the last relay_commit_root gave no value because memory was out, not because there is none. */
bool relay_commit_root_failed(const struct relay_commit *commit);

/* The parts of a 0.9 room's state (register.snapshot, hydrate.registers). */
enum relay_commit_part { RELAY_COMMIT_REGISTERS, RELAY_COMMIT_WM, RELAY_COMMIT_RANGES, RELAY_COMMIT_SETTLED };

/* The room's part after this commit as JSON text: registers as an array, per origin the highest version, the ranges of
   versions and the settled stamps as objects. It costs the part's size. No value before 0.9 and when memory is out.
   Valid during on_commit. */
struct relay_text relay_commit_part(struct relay_commit *commit, enum relay_commit_part part);

/* Who leaves the room when a rule was broken (eject.all-connections, eject.connection). */
enum relay_ejection { RELAY_EJECT_WRITER, RELAY_EJECT_CONNECTION };

/* One rule of the path-prefix ACL. */
struct relay_policy; /* see policy.h: made from its JSON form */

struct relay_options {
    enum relay_protocol protocol;
    double policy_version;             /* what hello and every envelope must carry; compared as a double */
    size_t journal_limit;              /* envelopes kept per room; default 1000 */
    size_t max_ops_per_envelope;       /* default 1024 */
    double max_envelopes_per_second;   /* 0 = no limit (the default) */
    const struct relay_policy *policy; /* NULL = none; borrowed, must outlive the relay */
    enum relay_ejection ejection;      /* default RELAY_EJECT_WRITER; the other one is for 0.9 */
    bool hold_commits;                 /* on_commit comes before the broadcast in every protocol version, also in
                                          RELAY_PROTOCOL_0_1_0, and can hold it. Default false */
    size_t max_rooms;                  /* ceiling on rooms that exist at once; a hello past it is ignored and its
                                          connection closed. Default 100,000 */
    size_t max_array_length;           /* ceiling on one folded array's length (fold.huge-index): a write past it is
                                          ordered and broadcast, but not folded. All arrays of a room together may be extended
                                          by four times as many holes. Default 1,000,000 */
    size_t max_rooms_per_connection;   /* rooms that one connection may be a member of. Default 1000 */
    size_t max_members_per_room;       /* members that a room may have. Default 10,000 */
    size_t max_name_bytes;             /* of a room's name and of an origin, in UTF-8. Default 16 KiB */
    size_t max_presence_bytes;         /* of all presence entries of a room. Default 4 MiB */
    size_t max_kept_bytes;             /* roots, registers, journals, presence and ejected writers of all rooms
                                          together; past it no room takes an envelope, and none ejects for one: its
                                          connection is closed. Default 1 GiB */
    size_t max_root_bytes;             /* about the length of a folded root as JSON text; in 0.9 about the memory of a
                                          room's registers and evidence. A write that would let it grow past that is not
                                          ordered. Default 64 MiB */
    size_t max_journal_bytes; /* per room; past it the oldest envelopes leave the journal, though not the newest
                                 one. What waits for a commit has the same
                                 ceiling. Default 64 MiB */
    size_t max_depth;         /* levels of a value, and of an op's path and value together. 0, the default:
                                 no ceiling */
};

/* The defaults of the protocol's option table for `protocol`. */
struct relay_options relay_options_default(enum relay_protocol protocol);

/* ---- the relay --------------------------------------------------------------------------------- */

struct relay;
struct relay_connection;

/* Makes an empty relay. `env` and `options` are copied. Returns NULL when memory is out. */
struct relay *relay_new(const struct relay_env *env, const struct relay_options *options);

/* Frees the relay, its rooms and its connections; calls no sink. NULL is allowed. */
void relay_free(struct relay *relay);

/* A new connection of `principal` (copied). `sink` is copied. Returns NULL when memory is out. */
struct relay_connection *relay_connect(struct relay *relay, const struct relay_sink *sink,
                                       const struct relay_principal *principal);

/*
 * One text message from the connection: `bytes` is any bytes at all (frame.garbage-isolated); bytes that are
 * not UTF-8 or not a JSON object are garbage, which closes the connection.
 */
void relay_receive(struct relay_connection *connection, const char *bytes, size_t length);

/* The transport is gone (leave.member-gone, leave.abrupt). Frees the connection. */
void relay_disconnect(struct relay_connection *connection);

/* A hydrate was accepted, refused by a rule of the hydrate area, or its snapshot is not well formed. */
enum relay_hydrated { RELAY_HYDRATED, RELAY_HYDRATE_REFUSED, RELAY_HYDRATE_MALFORMED };

/* Restores a persisted room from `{seq, root?, epoch?, schemaVersion?, journal?}` as JSON text, for 0.9 from
   `{seq, registers?, wm?, ranges?, settled?, instance?, schemaVersion?, journal?}` (hydrate.*; 0.1.1 on;
   RELAY_PROTOCOL_0_1_0 always refuses). Whatever the answer, a room that was not restored is as it was. `room` is
   decoded characters. */
enum relay_hydrated relay_hydrate(struct relay *relay, struct relay_text room, struct relay_text snapshot);

/* A room as its keeper has it. */
struct relay_kept_room {
    struct relay_text snapshot;     /* as relay_hydrate takes it; no value: the room began with nothing, at seq 0 */
    const struct relay_text *later; /* envelopes as they were broadcast, without a gap from the snapshot's seq on */
    size_t later_count;
    struct relay_text epoch; /* the room's at the end; no value: it keeps the one it was minted with */
};

/* Restores a room whose snapshot is older than the room (hydrate.round-trip): hydrates it and takes in what was ordered
   later, which nobody is told of. Ceilings do not count: all of this was ordered before. All or nothing. */
enum relay_hydrated relay_restore(struct relay *relay, struct relay_text room, const struct relay_kept_room *kept);

/* Gives the room's snapshot as relay_hydrate takes it, without its journal, which is what on_commit reported. The
   text's `bytes` are the caller's, with free. False when there is no such room or memory is out. */
bool relay_snapshot(struct relay *relay, struct relay_text room, struct relay_text *snapshot);

/* Forgets the room as if it had never been there: closes its members' connections, sends nothing. */
void relay_discard(struct relay *relay, struct relay_text room);

struct relay_room_info {
    uint64_t seq;
    size_t members;
    size_t journal;
    size_t ejected;          /* writers */
    struct relay_text epoch; /* the instance, in 0.9; decoded; valid until the next call into the relay */
    bool stalled;            /* a commit failed: no answer of this room goes out any more (durable.stall) */
};

/* What a relay holds at this moment. */
struct relay_counts {
    size_t rooms;
    size_t members;    /* of all rooms */
    size_t kept_bytes; /* as in max_kept_bytes */
};

struct relay_counts relay_count(const struct relay *relay);

/* Looks a room up without making it; false when there is none. */
bool relay_room(const struct relay *relay, struct relay_text room, struct relay_room_info *info);

/* ---- held commits and unloading ------------------------------------------------------------------ */

/* Decides a commit that on_commit held: its answers go out now, or when all before it were decided (durable.order).
   False when no commit of that seq is held in that room. */
bool relay_release(struct relay *relay, struct relay_text room, uint64_t seq);

/* A held commit failed: when its turn comes the room stalls, and nothing that waits behind it is ever sent
   (durable.stall). False when no commit of that seq is held in that room. */
bool relay_fail(struct relay *relay, struct relay_text room, uint64_t seq);

/* Forgets a room without members in which nothing waits to be sent; with `discard` also a stalled one (room.unload).
   False when it does not, or there is no such room. */
bool relay_unload(struct relay *relay, struct relay_text room, bool discard);

#endif
