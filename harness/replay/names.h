/*
 * What relays mint, and the names that a recording gives to it: epochs (wire version 1) and the instances of rooms
 * (wire version 3) are `$1`, `$2`, … there. Each name is bound to what the target minted in its place.
 */
#ifndef MESHSPEC_REPLAY_NAMES_H
#define MESHSPEC_REPLAY_NAMES_H

#include "harness/json/value.h"

struct bound_name {
    struct text name, minted;
    struct bound_name *next;
};

/* Zero-initialise it with an arena, which owns all that is bound. */
struct names {
    struct arena *arena;
    struct bound_name *first;
};

/*
 * Put into an input, a client's message or a hydrate's snapshot, what its names are bound to. A name that no output ever
 * showed stands for itself. A snapshot has it restored, so it is bound to itself from then on; a message changes nothing.
 */
void names_fill_message(struct names *names, struct json_value *message);
void names_fill_snapshot(struct names *names, struct json_value *snapshot);

/*
 * Puts into a wanted output (a message, what an observer saw, an answer) what its names are bound to, having bound new
 * ones to what came in their place. What came and has another name already is not new (epoch.unique): the name stays,
 * and differs. Either may be NULL.
 */
void names_settle(struct names *names, struct json_value *wanted, const struct json_value *came);

#endif
