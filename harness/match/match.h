/*
 * The matcher: a pattern held against a JSON value. Pure: it knows nothing of actors, targets or files.
 *
 * An object pattern must be contained in the value, arrays must match in length and order, scalars must be equal.
 * Operators are objects with one key that starts with `$`:
 *   {$bind: name}      matches anything and binds it; bound already: must be equal to what is bound
 *   {$is: name}        must be equal to what is bound (an unbound name is an error of the scenario)
 *   {$any: true}       any value, but there must be one
 *   {$absent: true}    the member must not be there
 *   {$exactly: P}      matches P with no further keys, at every object level of P that is not itself an operator
 *   {$unordered: [P…]} an array whose elements match the patterns one to one in some order
 *   {$contains: P}     an array with an element that matches P; a string that contains P
 *   {$type: name}      null, boolean, number, string, array, object
 *   {$gt|$gte|$lt|$lte: n}  a number so compared
 *   {$regex: R}        a string that POSIX extended regex R finds a match in
 *   {$not: P}          a value that does not match P; there must be one
 *   {$one-of: [P…]}    matches at least one
 *   {$length: P}       the length of a string (in UTF-16 code units) or array, or the number of an object's keys,
 *       matches P
 *   {$all: [P…]}       matches each
 *   {$json: "text"}    equal to this JSON text (for what YAML cannot write: lone surrogates)
 *   {$literal: V}      equal to V, operators in it not read
 *   {$repeat: {text: T, times: N}}, {$nested: {in: array|object, levels: N}}, {$concat: …}, {$plus: …}  equal to this
 *       generated value (see template.h)
 *
 * Plain JSON may be nested to any depth; operators stand in each other at most 64 deep. $one-of and $contains take
 * the first choice that fits. Patterns of one $unordered that bind names are tried in the order in which they are
 * written.
 */
#ifndef MESHSPEC_MATCH_H
#define MESHSPEC_MATCH_H

#include "harness/json/value.h"

/* Names bound to values, in an arena of the caller's. */
struct bindings {
    struct arena *arena;
    struct binding *first;
};

struct binding {
    struct text name;
    struct json_value *value;
    struct binding *next;
};

/* NULL when the name is not bound. */
const struct json_value *bindings_get(const struct bindings *bindings, struct text name);

/* Binds or rebinds a deep copy of `value`. */
void bindings_set(struct bindings *bindings, struct text name, const struct json_value *value);

/* One place where the value is not as the pattern wants. */
struct difference {
    struct text path;      /* like `env.ops[0].path`; empty for the whole */
    struct text wanted;    /* readable, at most DIFFERENCE_TEXT_CEILING bytes */
    struct text came;      /* likewise; "nothing" for an absent member */
    uint32_t line, column; /* of the pattern's place in its file; 0 when it has none */
    struct difference *next;
};

#define DIFFERENCE_TEXT_CEILING 400 /* bytes of wanted and came; longer ones are cut with their full length named */
#define DIFFERENCE_COUNT_CEILING 20 /* differences that are listed */

struct match_result {
    bool matched;
    struct difference *first; /* in order of the pattern; allocated in the bindings' arena */
    /* NULL; else the scenario's own mistake ("12:5: nothing has bound the name …"): `matched` is false. */
    const char *fault;
};

/*
 * Holds `value` (NULL: no value) against `pattern`. New bindings are kept only when the whole matches. `pattern` must
 * have passed match_check.
 */
struct match_result match(const struct json_value *pattern, const struct json_value *value, struct bindings *bindings);

/*
 * Holds an array of values against an array of patterns, one to one in some order, as $unordered does
 * (gets-in-any-order). At most 2000 of them.
 */
struct match_result match_in_any_order(const struct json_value *patterns, const struct json_value *values,
                                       struct bindings *bindings);

/* A difference as one readable sentence: "env.seq: wanted 2, came 3". */
void difference_print(struct buffer *out, const struct difference *difference);

/*
 * Checks a pattern once, when it is loaded: operators known, alone in their object, their argument of the right type,
 * regexes compile. Returns false with ERROR_USAGE naming line, column and what was expected.
 */
bool match_check(const struct json_value *pattern, struct error *error);

#endif
