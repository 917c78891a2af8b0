/*
 * Further commands of the adapter protocol: those that a case puts by their name (`command` in target.h's table), and
 * what the targets that speak the protocol share of them.
 */
#ifndef MESHSPEC_TARGET_FURTHER_H
#define MESHSPEC_TARGET_FURTHER_H

#include "harness/target/target.h"

/*
 * The capability that a target lists when it offers the command: "hold" stands for hold, unhold, release and fail,
 * every other command for itself.
 */
const char *further_capability(const char *name);

/* Appends the members of `fields`, a JSON object, to a command that is begun, each behind a comma. False when it is none. */
bool further_put(struct buffer *command, struct text fields);

/* TARGET_NO: the target does not offer the command. */
enum target_outcome further_missing(const struct target *target, const char *name, struct error *error);

#endif
