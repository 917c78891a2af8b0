/*
 * Playing the columns of a matrix, one after another, with the suite that `meshspec run` uses.
 */
#ifndef MESHSPEC_MATRIX_PLAY_H
#define MESHSPEC_MATRIX_PLAY_H

#include "harness/command/judged.h"
#include "harness/matrix/columns.h"
#include "harness/matrix/matrix.h"

struct matrix_play_settings {
    const char *profiles[COLUMNS_PROFILES_CEILING]; /* of the columns that name none themselves */
    size_t profile_count;
    const char *only;
    bool strict;
    uint64_t seed;
    unsigned race_rounds;
    const char *started;
    bool progress; /* standard output is a terminal: the case at hand is shown on a line of its own */
    bool quiet;    /* nothing is printed */
};

/* One entry on its way to a run. */
struct matrix_side {
    const struct columns_entry *entry;
    struct judged_options options;
    struct judged judged;
    const char *profiles[COLUMNS_PROFILES_CEILING];
    size_t profile_count;
    const char *known_failing; /* NULL: none */
    bool real_time;
    struct known known;
    struct buffer arguments; /* for the lines that repeat a case */
};

/*
 * Reads all that an entry names, and checks it; nothing is started. False with ERROR_USAGE. End with matrix_side_end in either case.
 */
bool matrix_side_read(struct matrix_side *side, const struct columns_entry *entry, const struct matrix_play_settings *settings,
                      struct error *error);

/*
 * Starts what the side names, plays, and ends it. What is not there gives a run that is not available, with the reason in `arena`.
 * False with ERROR_USAGE when the target is none. The run borrows from the side, the set and the arena.
 */
bool matrix_side_play(struct matrix_side *side, const struct scenario_set *set, const struct matrix_play_settings *settings,
                      struct arena *arena, struct matrix_run *run, struct error *error);

void matrix_side_end(struct matrix_side *side);

#endif
