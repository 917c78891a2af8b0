/*
 * One case: a scenario played against a target in a profile.
 */
#ifndef MESHSPEC_CASE_H
#define MESHSPEC_CASE_H

#include "harness/run/result.h"
#include "harness/target/target.h"

/* Where the engine gets the time from: microseconds since any fixed point. */
struct run_clock {
    void *context;
    int64_t (*now_us)(void *context);
};

struct case_settings {
    const char *profile;
    struct run_clock clock;
    uint64_t seed;        /* for the order of racing steps on sockets */
    unsigned race_rounds; /* of a race on a target where interleavings cannot be forced */
    bool real_time;       /* without a virtual clock, `advance` waits for the time to pass */
    const char *suffix;   /* put behind rooms and writers (see names.h) on a shared target; unique for each case */
};

#define CASE_RACE_ROUNDS 10
#define CASE_RACE_CYCLE 3 /* on sockets, each round but every third plays the drawn order exactly; the third lets the steps really race */
#define CASE_REAL_TIME_CEILING_MS 5000 /* the longest `advance` that real time is waited for */

/*
 * Plays the scenario and judges it. Never fails itself: what goes wrong with the target is VERDICT_ERROR with the
 * reason. The scenario must outlive the result. Free the result's contents with case_result_free.
 */
struct case_result case_run(struct scenario *scenario, struct target *target, const struct case_settings *settings);

#endif
