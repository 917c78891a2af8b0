/*
 * What a history adds up to while its events are read. Internal to harness/history.
 */
#ifndef MESHSPEC_HISTORY_STATE_H
#define MESHSPEC_HISTORY_STATE_H

#include "harness/history/fold.h"
#include "harness/history/history.h"

#define HISTORY_SEQ_CEILING 1000000 /* a room's seqs beyond it are not kept, and not judged */

/* An envelope that a connection sent. */
struct sent {
    int connection;
    const struct json_value *envelope;
    bool member;  /* its sender was a member of the room then */
    uint64_t seq; /* as which it came back; 0: it has not */
    size_t event;
    struct sent *next;
};

/* A snapshot that a welcome brought: held against the fold when the whole history is known. */
struct snapshot {
    uint64_t seq;
    const struct json_value *root; /* NULL: the welcome had none */
    size_t event;
    struct snapshot *next;
};

/* One life of one room. */
struct room {
    struct text name;
    uint64_t base;                        /* the seq that it was hydrated at; 0 */
    const struct json_value *base_root;   /* the root that it was hydrated with; NULL */
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

/* What can be said only at the end. */
void history_conclude(struct history *history, size_t count, const struct history_settings *settings);

#endif
