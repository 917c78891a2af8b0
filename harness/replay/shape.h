/*
 * The shape of a recorded session: what its steps must have, so that playing them can rely on it.
 */
#ifndef MESHSPEC_REPLAY_SHAPE_H
#define MESHSPEC_REPLAY_SHAPE_H

#include "harness/json/value.h"

/*
 * Whether `session` has the shape of one; else false with half a sentence in `error`, such as "step 3 has no `do`". A
 * command that is not known is no error of the shape: a recording of another wire version has them, and is skipped.
 */
bool session_check(const struct json_value *session, struct error *error);

/* Whether the step's command is known, and so has what it needs. */
bool shape_knows(const struct json_value *step);

#endif
