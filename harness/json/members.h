/*
 * Finding members of large objects: an object's members sorted by key, so that 10,000 keys cost no 10,000 walks.
 */
#ifndef MESHSPEC_JSON_MEMBERS_H
#define MESHSPEC_JSON_MEMBERS_H

#include "harness/json/value.h"

/* Objects of up to this many members are walked; sorting them costs more than it saves. */
#define JSON_WALKED_MEMBERS 12

struct json_members {
    struct json_value **sorted; /* by key, equal keys in order of appearance; NULL: the object is small and is walked */
    const struct json_value *object;
};

/* Free with json_members_free; the object must not change meanwhile. */
struct json_members json_members_of(const struct json_value *object);
void json_members_free(struct json_members *members);

/* NULL when there is no such key. */
struct json_value *json_members_find(const struct json_members *members, struct text key);

/* All members sorted by key, whatever their number; `object->count` pointers, free with free(). */
struct json_value **json_members_sorted(const struct json_value *object);

/* Orders keys: shorter ones first, then by bytes. */
int json_key_compare(struct text a, struct text b);

#endif
