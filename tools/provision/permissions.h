/* An app's permission bundle: {table: {select|insert|update|delete: {using?, with_check?}}}, with raw literals. */
#ifndef PROVISION_PERMISSIONS_H
#define PROVISION_PERMISSIONS_H

#include "tools/provision/slice.h"

/*
 * Whether the bundle is an object of objects and names tables of the app's namespaces only. False with
 * PROBLEM_OUTSIDE_NAMESPACE (naming all such tables) or PROBLEM_BAD_INPUT. Looks at no literal.
 */
bool permissions_check(struct run *run, struct input permissions, const struct slice *slice);

/*
 * Adds the encoded bundle's members (`"table":{…}`, commas between, no braces around) to `out`. What is no operation, and
 * policies that are no objects, are left out. False with PROBLEM_POLICY_LITERAL or PROBLEM_BAD_INPUT.
 */
bool permissions_encode(struct run *run, struct input permissions, struct builder *out);

#endif
