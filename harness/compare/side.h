/*
 * Inside a play: one step put to one side.
 */
#ifndef MESHSPEC_COMPARE_SIDE_H
#define MESHSPEC_COMPARE_SIDE_H

#include "harness/compare/memory.h"
#include "harness/compare/play.h"

struct play {
    struct arena *arena;
    const struct play_settings *settings;
    struct text options;
    struct memory memory;
    struct shared_names names[SIDES];
    int64_t clock;
    struct heard *heard[SIDES], **end[SIDES];
    struct play_result result;
};

/* A value as JSON text, in the arena. */
struct text play_printed(struct arena *arena, const struct json_value *value);

/*
 * One side's whole step: the command and all that follows from it, into `heard` of that side, with shared names. False when the side broke: `result.error` says how.
 * `connection` is the step's; NULL when it has none.
 */
bool play_put(struct play *play, int side, const struct json_value *step, struct linked *connection);

#endif
