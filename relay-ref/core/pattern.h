/*
 * The small pattern language of validate rules and ACL conditions. An object pattern is contained in the value, arrays
 * match in length and order, scalars are equal. Operators are objects of one key: $type, $lt, $lte, $gt, $gte, $any,
 * $absent, $not, $one-of, $all.
 */
#ifndef MESHSPEC_RELAY_PATTERN_H
#define MESHSPEC_RELAY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "relay-ref/json/scanner.h"

/* Patterns nest no deeper than this: matching one recurses over the pattern, never over the value. */
#define PATTERN_DEPTH 64

/* True when `pattern` (well-formed JSON) has only known operators, with operands that fit. Else a sentence in `reason`.
 */
bool relay_pattern_check(struct json_value pattern, char *reason, size_t capacity);

/* True when `value` (JSON_ABSENT for none) matches the checked pattern. Sets `*failed` when memory is out. */
bool relay_pattern_matches(struct json_value pattern, struct json_value value, bool *failed);

#endif
