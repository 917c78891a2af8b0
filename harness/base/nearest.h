/*
 * The name that somebody probably meant.
 */
#ifndef MESHSPEC_NEAREST_H
#define MESHSPEC_NEAREST_H

#include "harness/base/text.h"

#define NEAREST_NAME_CEILING 64 /* bytes; for longer names nothing is suggested */

/*
 * The best of `count` names to suggest in place of `name`: the one that the fewest typing slips (a letter missing,
 * added, changed, or two letters swapped) turn it into, when those are few for its length. NULL when none is near.
 */
const char *nearest_name(struct text name, const char *const *names, size_t count);

/* Appends `; did you mean "NAME"?` when a name is near, else nothing. */
void nearest_suggest(struct buffer *out, struct text name, const char *const *names, size_t count);

#endif
