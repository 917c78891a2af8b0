/*
 * The first place where two JSON values differ.
 */
#ifndef MESHSPEC_REPLAY_DIFFERENCE_H
#define MESHSPEC_REPLAY_DIFFERENCE_H

#include "harness/json/value.h"

#define DIFFERENCE_SHOWN 300 /* bytes of a value that are shown */

/*
 * Goes from two values that are not equal (NULL: nothing) to the first place where they differ, and appends its path, such as `.envs[2].seq`, to `path`.
 */
void difference_place(struct buffer *path, const struct json_value **wanted, const struct json_value **came);

/*
 * Appends "PATH: wanted X, came Y" for the first difference below `path`, such as `msg.envs[2].seq`; returns whether
 * there is one. `came` may be NULL: nothing.
 */
bool difference_find(struct buffer *out, const char *path, const struct json_value *wanted,
                     const struct json_value *came);

/* Appends the value as JSON, cut at DIFFERENCE_SHOWN; "nothing" for NULL. */
void difference_show(struct buffer *out, const struct json_value *value);

#endif
