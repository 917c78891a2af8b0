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

/*
 * Compares the events of one step in every stream: `out` is the recording's array. Returns true when they are alike;
 * else appends "STREAM: what differs" of the first difference. New names are bound. Adds the number of compared events
 * to `compared`.
 */
bool step_compare(struct names *names, const struct json_value *out, struct came_event *came, step_shows *shows,
                  void *context, size_t *compared, struct buffer *difference);

#endif
