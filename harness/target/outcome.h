/*
 * How a target's function says no: the outcome and its sentence in one step.
 */
#ifndef MESHSPEC_TARGET_OUTCOME_H
#define MESHSPEC_TARGET_OUTCOME_H

#include "harness/target/target.h"

/* TARGET_NO with the reason (printf style): the case is skipped. */
enum target_outcome target_lacks(struct error *error, const char *reason, ...) __attribute__((format(printf, 2, 3)));

/* TARGET_BROKEN with what happened (printf style): the target could not be judged. */
enum target_outcome target_broke(struct error *error, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* TARGET_BROKEN for a caller that breaks the contract of target.h: a fault of the suite itself. */
enum target_outcome target_misused(struct error *error, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* The answers of a target that has no such thing; to stand in its table. */
enum target_outcome target_has_no_stall(struct target *target, int connection, bool stalled, struct error *error);
enum target_outcome target_has_no_hydrate(struct target *target, struct text room, struct text snapshot, bool *answer,
                                          struct error *error);
enum target_outcome target_has_no_room(struct target *target, struct text room, struct buffer *info,
                                       struct error *error);
enum target_outcome target_has_no_clock(struct target *target, int64_t ms, struct error *error);

/* Whether a message can be carried by a target that takes whole text messages only; else false and TARGET_NO's reason.
 */
bool target_plain_message(struct error *error, enum target_frame frame, int fragments);

#endif
