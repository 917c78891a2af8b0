/*
 * Replays a recording of a published relay against a target: the same commands, and every event held against what the
 * published relay did. A recording is JSON Lines, one session a line: {seed, profile, steps}; a step is a command of
 * the adapter protocol
 * (`open`, `connect`, `receive` with `msg` as JSON, `disconnect`, `hydrate`, `room`, `clock`; with wire version 3 also
 * `hold`, `unhold`, `release`, `fail`, `unload`) with what it caused: `out`, the events in order (`send` with `msg`,
 * `close`, and what observers saw: `commit`, `violation`, `join`, `reject`, `drop`, `stalled`), and `ok`, its answer,
 * where it has one.
 *
 * Each connection's stream is compared in order, and what each observer saw among itself; across those, order means
 * nothing. Epochs and instances are `$1`, `$2`, …: each is bound to what the target minted in that place, the same for
 * every further one, and goes into later messages and hydrates as what it was bound to. Registers and their siblings
 * have no order, a violation's detail counts for `malformed` only, and what is sent to a connection that the relay has
 * closed counts for nothing.
 */
#ifndef MESHSPEC_REPLAY_H
#define MESHSPEC_REPLAY_H

#include "harness/target/target.h"

#define REPLAY_FILE_CEILING ((size_t)256 << 20) /* bytes of a recording */

/* What became of the sessions; all but the first are counts of them. */
struct replay_summary {
    size_t sessions;
    size_t alike;     /* every event and answer was as recorded */
    size_t different; /* left at their first difference */
    size_t skipped;   /* the target lacks something that they need */
    size_t broken;    /* the target broke */
    size_t steps;     /* that were taken, over all sessions */
    size_t events;    /* that were compared, over all sessions */
};

/*
 * Plays `file` against `target`, which is left closed; `limit_ms` is for each command. Everything that a reader should
 * know goes to `report`, one line a call without line feed: the first difference of each session (file and line, seed,
 * step, stream, path, wanted, came), each skipped session's reason, each broken one's evidence.
 *
 * Returns true when the file was played, whatever came out: see `summary`. False with ERROR_USAGE when the file cannot
 * be read or is no recording (file, line, what was expected), or with ERROR_TARGET when the target has no "barrier": on
 * a socket nobody can say which events a step caused.
 */
bool replay_file(struct target *target, const char *file, int limit_ms, struct replay_summary *summary,
                 void (*report)(void *context, const char *line), void *context, struct error *error);

#endif
