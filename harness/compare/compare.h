/*
 * Differential mode: the same random traffic for two relays, and everything that they let be seen held against each other. The first difference ends the
 * run and is made small.
 *
 * Round k of seed S is what round 1 of seed S + k − 1 is, so that any round can be had alone.
 */
#ifndef MESHSPEC_COMPARE_H
#define MESHSPEC_COMPARE_H

#include "harness/compare/play.h"

#define COMPARE_SHRINK_PLAYS 500      /* plays that making a difference small may take */
#define COMPARE_SHRINK_STEPS 60000    /* steps of all of these together */
#define COMPARE_SHRINK_BREAKS 60      /* plays for a relay that breaks */
#define COMPARE_BREAK_LIMIT_MS 2000   /* for each command of those */

struct compare_settings {
    struct play_settings play;
    uint64_t seed;
    size_t rounds; /* lives of a relay, each with options and traffic of its own */
    size_t steps;  /* of a round */
    const char *const *without; /* sorts of traffic that are left out (traffic.h), ended by NULL; NULL: none */
    /* Called before each round; may be NULL. */
    void (*progress)(void *context, size_t round, size_t steps);
    void *context;
};

enum compare_outcome {
    COMPARE_ALIKE,
    COMPARE_DIFFERENT,
    COMPARE_UNABLE /* a side does not offer what is needed, or broke: `error` says what */
};

struct compare_result {
    enum compare_outcome outcome;
    size_t rounds;  /* that were played to their end, or to the difference */
    size_t refused; /* whose options a side does not take */
    size_t steps, heard;
    /* of the difference, or of what a side broke at */
    uint64_t seed;
    size_t at, of;                    /* the step, counted from 1, and how many the round had */
    size_t plays;                     /* that making it small took */
    const struct json_value *options; /* of the relays */
    struct play_result play;          /* the shortest one; its last step is the one that differs, or that a side breaks at */
    struct arena *arena;              /* owns these; NULL when there was neither */
    struct error error;
};

/* Both targets must have "barrier". Free the result with compare_free. */
struct compare_result compare_run(const struct compare_settings *settings);
void compare_free(struct compare_result *result);

/* A traffic and the difference that it leads to. */
struct compare_case {
    struct json_value *options;
    const struct json_value **steps;
    size_t count;
    struct play_result play;
};

/* Leaves out of a case whatever the difference does not need; returns the number of plays. What is made lives in the arena. */
size_t compare_shrink(struct arena *arena, const struct play_settings *settings, struct compare_case *found);

/* Appends what was sent, what A said and what B said, readable. */
void compare_print(struct buffer *out, const struct compare_result *result, const struct compare_settings *settings);

/*
 * Appends the difference as a scenario (scenarios/FORMAT.md): what was sent, and what A said as what is expected. False when it cannot be one: a part of it
 * has no words in that format, which `error` names.
 */
bool compare_scenario(struct buffer *out, const struct compare_result *result, const struct compare_settings *settings, struct error *error);

#endif
