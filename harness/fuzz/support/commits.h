/* Commits held against the harness' own fold, as they come (commit.each, commit.fold). */
#ifndef MESHSPEC_FUZZ_COMMITS_H
#define MESHSPEC_FUZZ_COMMITS_H

#include "harness/history/fold.h"

/* Zero-initialise it but for the arena. */
struct commits {
    struct arena *arena;
    struct committed_room *first;
};

/* Takes {room, env, state} as an observer of the relay saw it. Ends the process (see found) when it is not what follows
   from the commits before. */
void commits_take(struct commits *commits, const struct json_value *commit);

/* The room goes on from a snapshot that the relay accepted. */
void commits_hydrated(struct commits *commits, struct text room, const struct json_value *snapshot);

/* The relay began a new life, without rooms. */
void commits_restarted(struct commits *commits);

#endif
