/*
 * What a history adds up to while its events are read. Internal to harness/history.
 */
#ifndef MESHSPEC_HISTORY_STATE_H
#define MESHSPEC_HISTORY_STATE_H

#include "harness/history/fold.h"
#include "harness/history/history.h"
#include "harness/history/registers.h"

#define HISTORY_SEQ_CEILING 1000000 /* a room's seqs beyond it are not kept, and not judged */

/* An envelope that a connection sent. */
struct sent {
    int connection;
    const struct json_value *envelope;
    bool member;  /* its sender was a member of the room then */
    uint64_t seq; /* as which it came back; 0: it has not */
    bool dropped; /* it was refused instead (history_match_drops) */
    size_t event;
    struct sent *next;
};

/* A snapshot that a welcome (or, in wire version 3, a commit) brought: held against the fold, or the registers, when the whole history is known. */
struct snapshot {
    uint64_t seq;
    const struct json_value *root;      /* NULL: the welcome had none */
    const struct json_value *registers; /* of wire version 3 */
    const struct json_value *wm;        /* likewise: the highest admitted versions; NULL: not told */
    size_t event;
    struct snapshot *next;
};

/* What the relay said of the settled stamps behind an envelope. */
struct settlement {
    uint64_t seq;
    const struct json_value *settled; /* {origin: hlc} */
    size_t event;
    struct settlement *next;
};

/* An envelope that the relay has refused without ejecting anybody. */
struct drop {
    int connection;
    struct text origin;
    double version;
    bool duplicate; /* its reason: the room has that envelope already */
    bool used;      /* it is the answer to one that was sent */
    size_t event;
    struct drop *next;
};

/* One life of one room. */
struct room {
    struct text name;
    uint64_t base;                        /* the seq that it was hydrated at; 0 */
    const struct json_value *base_root;   /* the root that it was hydrated with; NULL */
    const struct json_value *base_registers; /* likewise, in wire version 3 */
    double base_schema;                   /* the schemaVersion that it was hydrated with; 0 */
    bool hydrated;
    struct settlement *settlements; /* newest first */
    struct drop *drops;             /* newest first */
    const struct json_value **envelopes;  /* by seq; NULL where nobody saw it */
    uint64_t capacity, highest;
    struct sent *sent, *sent_last;
    struct snapshot *snapshots;
    bool ended; /* the relay's life that it belongs to is over */
    struct room *next;
};

/* A set of origins, each with what was last said of it. */
struct names_seen {
    struct text origin;
    const struct json_value *peer; /* NULL for members */
    struct names_seen *next;
};

struct ejected {
    struct text writer;
    struct ejected *next;
};

/* What one member sees of one room. */
struct view {
    int connection;
    struct room *room;
    struct text origin;
    uint64_t expected; /* the seq of the next envelope */
    struct names_seen *members, *peers;
    struct ejected *ejected;
    const struct json_value *presence; /* what it last announced; NULL: nothing */
    bool ended;
    struct view *next;
};

/* A hello that is not answered yet. */
struct hello {
    int connection;
    struct text room;
    struct text origin;
    const struct json_value *message;
    const struct json_value *presence; /* announced behind it */
    uint64_t seen; /* the highest seq that anybody had seen of the room when it was sent */
    struct hello *next;
};

struct history {
    struct arena *arena;
    const struct history_settings *settings;
    struct room *rooms;
    struct view *views;
    struct hello *hellos; /* oldest first */
    struct history_breach breach;
};

/* Notes the first breach; later ones change nothing. Returns false. */
bool history_breaks(struct history *history, const char *rule, size_t event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The string member of that key; bytes NULL when there is none. */
struct text history_string(const struct json_value *object, const char *key);

/* The whole number of that key; false when there is none that a double holds exactly. */
bool history_seq(const struct json_value *object, const char *key, uint64_t *out);

/* Takes in one event, checking what can be checked at once. */
void history_take(struct history *history, const struct history_event *event, size_t index);

/* Notes that the room has `envelope` as `seq`: once known, every member must see the same there (history.same-order), and somebody must have sent it (history.isolation). */
void history_order(struct history *history, struct room *room, uint64_t seq, const struct json_value *envelope, size_t event);

/* Whether two envelopes are equal but for `seq`. */
bool history_same_envelope(const struct json_value *a, const struct json_value *b);

/* Notes a snapshot that is held against the history at its end: the members `root`, `registers` and `wm` of `holder`. */
void history_add_snapshot(struct history *history, struct room *room, uint64_t seq, const struct json_value *holder, size_t event);

/* The life of that room that goes on now, begun if need be. */
struct room *history_room(struct history *history, struct text name);

/* The connection's membership in that room, or NULL. */
struct view *history_view(const struct history *history, int connection, struct text room);

/* The connection's oldest hello to that room that is not answered yet, or NULL. */
struct hello *history_hello(const struct history *history, int connection, struct text room);

/* Puts an origin into a set, with what was last said of it, or takes it out. */
void history_learn(struct history *history, struct names_seen **list, struct text origin, const struct json_value *peer);
void history_forget(struct names_seen **list, struct text origin);

/* Takes in a welcome to the room `name` (welcome.c). */
void history_take_welcome(struct history *history, const struct history_event *event, struct text name, size_t index);

/* ---- wire version 3: drops.c, settle.c, evidence.c ---- */

/* A drop is the answer to an envelope, to the connection that sent it alone. */
void history_take_drop(struct history *history, struct room *room, const struct history_event *event, size_t index);

/* Finds out for every drop which envelope it refused, of those that did not come back. */
void history_match_drops(struct room *room);

/* Drops that answer nothing, and duplicates of what the room never ordered. Needs history_match_drops. */
void history_check_drops(struct history *history, const struct room *room);

/* Every member is told the same behind the same envelope. */
void history_take_settled(struct history *history, struct room *room, uint64_t seq, const struct json_value *settled, size_t index);

/* What was told to be settled behind the envelope `seq`, or NULL. */
const struct settlement *history_settlement(const struct room *room, uint64_t seq);

/* Whether the envelope begins a generation in a room of that schemaVersion, which then rises (generation.cut). */
bool history_begins_generation(const struct json_value *envelope, double *schema);

/* No version is ordered twice or late, marks are the highest admitted versions, and settled stamps end each first run. */
void history_check_evidence(struct history *history, const struct room *room);

/* history.registers: every snapshot shows what the envelopes before it leave. */
void history_check_registers(struct history *history, const struct room *room);

/* What can be said only at the end. */
void history_conclude(struct history *history, size_t count, const struct history_settings *settings);

#endif
