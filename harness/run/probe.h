/*
 * Whether a target answers at all.
 */
#ifndef MESHSPEC_PROBE_H
#define MESHSPEC_PROBE_H

#include "harness/target/target.h"

/*
 * Makes one connection under `number` (fresh within the open case) and ends it again. TARGET_OK when that worked; otherwise what `connect` said,
 * the reason in `error`.
 */
enum target_outcome target_probe(struct target *target, int number, struct error *error);

/* The same before any case: opens the target for `profile` with default options, probes it, and closes it. */
enum target_outcome target_preflight(struct target *target, const char *profile, int limit_ms, struct error *error);

#endif
