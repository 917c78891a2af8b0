/*
 * One session of a recording: its steps put to a target, one after another, until something differs.
 */
#ifndef MESHSPEC_REPLAY_SESSION_H
#define MESHSPEC_REPLAY_SESSION_H

#include "harness/json/value.h"
#include "harness/target/target.h"

enum session_outcome {
    SESSION_ALIKE,
    SESSION_DIFFERENT, /* `text` is the first difference */
    SESSION_SKIPPED,   /* `text` is what the target lacks */
    SESSION_BROKEN     /* `text` is the evidence */
};

struct session_result {
    enum session_outcome outcome;
    size_t step;      /* the step where it ended, counted from 1 */
    size_t compared;  /* events */
    const char *text; /* in the arena; NULL when alike */
};

/* Plays a checked session, whose values it may change, and closes the target. */
struct session_result session_play(struct target *target, struct arena *arena, struct json_value *session,
                                   int limit_ms);

#endif
