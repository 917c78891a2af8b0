/*
 * Value templates: what a scenario sends, with the parts that only the run knows filled in.
 *   {$is: name}       the bound value
 *   {$json: "text"}   this JSON text (for what YAML cannot write)
 *   {$literal: V}     V as it is, operators in it not read
 *   {$repeat: {text: T, times: N}}          the string T repeated N times
 *   {$nested: {in: array|object, levels: N, with: V}}  V (default 1) wrapped N times in [ ] or {"n": }
 *   {$concat: [V…]}   strings joined
 *   {$plus: [V…]}     numbers added
 *   {$absent: true}   as a member's value: the member is left out (to take away a field that is filled in by default)
 */
#ifndef MESHSPEC_TEMPLATE_H
#define MESHSPEC_TEMPLATE_H

#include "harness/match/match.h"

#define TEMPLATE_BYTES_CEILING ((size_t)256 << 20) /* of a generated value */

/* A new value in the bindings' arena. NULL with ERROR_USAGE (line, column) for an unbound name or a value past the
   ceiling. */
struct json_value *template_fill(const struct json_value *value, struct bindings *bindings, struct error *error);

/* Checks a template once, when it is loaded, like match_check. */
bool template_check(const struct json_value *value, struct error *error);

#endif
