/*
 * Playing one traffic against two relays, step by step, until they differ.
 *
 * A step whose connection is not there, or for which nothing is there yet (no commit to restore from, none that is held), is left out on both sides: any
 * part of a traffic can be played.
 */
#ifndef MESHSPEC_COMPARE_PLAY_H
#define MESHSPEC_COMPARE_PLAY_H

#include "harness/compare/stream.h"

enum { SIDE_A, SIDE_B, SIDES };

enum play_outcome {
    PLAY_ALIKE,
    PLAY_DIFFERENT,
    PLAY_REFUSED, /* a side does not take the options: nothing was played */
    PLAY_BROKEN   /* a side broke */
};

/* A step that was put to both sides. */
struct played {
    struct json_value *step; /* as it was put, with shared names; NULL: left out */
    struct heard *heard[SIDES];
    int64_t clock; /* of both, before the step */
};

struct play_result {
    enum play_outcome outcome;
    struct played *played; /* one for each step up to the last that was taken; in the arena */
    size_t count;
    size_t heard; /* events that were compared */
    struct stream_difference difference;
    int side;           /* the one that refused or broke */
    struct error error; /* its reason or the evidence */
};

struct play_settings {
    struct target *sides[SIDES];
    const char *profile;
    int limit_ms; /* for each command */
};

/*
 * Plays `count` steps (see traffic.h); none of them is changed. Both targets are left closed. Everything in the result lives in the arena.
 */
struct play_result compare_play(struct arena *arena, const struct play_settings *settings, const struct json_value *options,
                                const struct json_value *const *steps, size_t count);

#endif
