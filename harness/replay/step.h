/*
 * What one step of a recording wanted, held against what came.
 */
#ifndef MESHSPEC_REPLAY_STEP_H
#define MESHSPEC_REPLAY_STEP_H

#include "harness/json/value.h"
#include "harness/replay/names.h"
#include "harness/target/target.h"

/* One event of the target. */
struct came_event {
    enum target_event_kind kind;
    struct text stream; /* the connection's name in the recording, or the observer's name */
    struct json_value
        *value;       /* the message or what the observer saw; NULL for a close, and for a text that is not JSON */
    struct text text; /* as it came */
    bool taken;       /* it has been compared */
    struct came_event *next;
};

/* Whether the target shows what this observer saw; events of others are not compared. */
typedef bool step_shows(void *context, const struct json_value *observer);

/* A connection that the relay has closed. */
struct ended_stream {
    struct text name;
    struct ended_stream *next;
};

/* One session's comparison, step by step. Zero-initialise it with the names' arena, which owns all that is kept. */
struct comparison {
    struct names names;
    struct ended_stream *ended;
    step_shows *shows;
    void *context;            /* of `shows` */
    size_t compared;          /* events so far */
    struct buffer difference; /* free it */
};

/*
 * Compares the events of one step in every stream: `out` is the recording's array. Returns true when they are alike;
 * else appends "STREAM: what differs" of the first difference to `difference`. New names are bound. What is sent to a
 * connection that the relay has closed counts for nothing: some transports deliver it, and some do not.
 */
bool step_compare(struct comparison *comparison, const struct json_value *out, struct came_event *came);

/* A new connection has this name. */
void step_connect(struct comparison *comparison, struct text name);

#endif
