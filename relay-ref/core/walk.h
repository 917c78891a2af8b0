/* Walking JSON objects and arrays whose parts are taken one by one. */
#ifndef MESHSPEC_RELAY_WALK_H
#define MESHSPEC_RELAY_WALK_H

#include "relay-ref/core/relay.h"
#include "relay-ref/json/scanner.h"

/* RELAY_HYDRATED when all is well, RELAY_HYDRATE_REFUSED when memory is out. */
typedef enum relay_hydrated outcome;

/* Calls `each` for every member of an object with its decoded name, or for every element of an array, until it says
   something else than RELAY_HYDRATED; what is absent has none. */
outcome relay_walk_object(struct json_value object, outcome (*each)(void *, struct relay_text, struct json_value),
                          void *context);
outcome relay_walk_array(struct json_value array, outcome (*each)(void *, struct json_value), void *context);

/* A member that is looked for, and where its value goes. */
struct wanted {
    const char *name;
    struct json_value *value;
};

/* Finds members of an object; those that it lacks are JSON_ABSENT. False when memory is out or `object` is none. */
bool relay_find_members(struct json_value object, const struct wanted *wanted, size_t count);

#endif
