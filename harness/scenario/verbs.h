/*
 * The verbs by name. Inside harness/scenario only.
 */
#ifndef MESHSPEC_VERBS_H
#define MESHSPEC_VERBS_H

#include "harness/scenario/scenario.h"

/* The member that is the verb: the first one of `map` that is a verb of a client or of the relay; NULL: there is
   none. */
const struct json_value *verb_in(const struct json_value *map, enum verb *verb);

/* The member that is a verb of the store or, `of_provisioner`, of the provisioner; NULL: there is none. */
const struct json_value *verb_of_store_in(const struct json_value *map, bool of_provisioner, enum verb *verb);

/* False when there is no such verb of a client, the relay, the clock or of steps themselves. */
bool verb_named(struct text name, enum verb *verb);

const char *verb_name(enum verb verb); /* "gets-in-any-order" */

bool verb_may_race(enum verb verb);      /* sending steps and hydrate */
bool verb_may_be_either(enum verb verb); /* steps that only look */

#endif
