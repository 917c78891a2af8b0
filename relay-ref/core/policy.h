/*
 * Policies as data: a path-prefix ACL and patterns that an op's value must not match.
 *
 *   {"acl":[{"prefix":[…],"allow":true|{"kind":…}|{"writer":…}|{"claims":{…}}}],
 *    "validate":[{"prefix":[…],"deny":PATTERN}],
 *    "canBump":{"allow":…},"verifyCitations":true|false}
 *
 * A prefix matches a path that is no shorter and equal to it segment by segment, as strings; "*" matches any one
 * segment. With an acl, what no rule grants is denied. `deny` is a pattern (see pattern.h) over the op's `next`. The
 * last two are for protocol version 0.9: who may raise a path's epoch, and whether cites are looked up (admit.bump,
 * admit.citations).
 */
#ifndef MESHSPEC_RELAY_POLICY_H
#define MESHSPEC_RELAY_POLICY_H

#include "relay-ref/core/relay.h"
#include "relay-ref/json/scanner.h"

/* Reads a policy (copied). NULL and a sentence in `reason` (at most `capacity` bytes, NUL included) when it is not well
   formed, has a part that this relay does not know, or memory is out. Free with relay_policy_free. */
struct relay_policy *relay_policy_read(struct relay_text json, char *reason, size_t capacity);

/* NULL is allowed. */
void relay_policy_free(struct relay_policy *policy);

enum policy_answer { POLICY_YES, POLICY_NO, POLICY_NO_MEMORY };

/* May `principal` write to `path` (an array of strings and numbers)? */
enum policy_answer relay_policy_can_write(const struct relay_policy *policy, const struct relay_principal *principal,
                                          struct json_value path);

/* Is an op on `path` with the value `next` (JSON_ABSENT for none) valid? */
enum policy_answer relay_policy_validate(const struct relay_policy *policy, struct json_value path,
                                         struct json_value next);

/* True when the policy says who may raise epochs; NULL says nothing. */
bool relay_policy_guards_bumps(const struct relay_policy *policy);

/* May `principal` raise a path's epoch? Only for a policy that guards bumps. */
enum policy_answer relay_policy_can_bump(const struct relay_policy *policy, const struct relay_principal *principal);

/* True when cites are to be looked up; NULL says no. */
bool relay_policy_verifies_citations(const struct relay_policy *policy);

#endif
