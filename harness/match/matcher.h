/*
 * The parts of the matcher that its files share. Inside harness/match only.
 */
#ifndef MESHSPEC_MATCHER_H
#define MESHSPEC_MATCHER_H

#include "harness/match/match.h"
#include "harness/match/operators.h"

/* Pairs of pattern and element that are tried for one $unordered whose patterns bind names. */
#define UNORDERED_TRIALS_CEILING 200000

/* One call of `match`. */
struct matcher {
    struct bindings *bindings; /* those made on trial are in front, their values borrowed */
    struct difference *first, *last;
    size_t difference_count;
    const char *fault; /* once set, nothing matches any more */
};

/* A container pattern whose children are being held against those of a value. */
struct frame {
    const struct json_value *pattern;
    const struct json_value *value;
    const struct json_value *child;   /* of the pattern: the one at work */
    const struct json_value *element; /* of the value: the next one, when it is an array */
    size_t index;                     /* of `child` */
    bool exact;
    struct json_value **sorted; /* the value's members, when that pays; else NULL */
};

#define FIRST_FRAMES 8

/* The way down through one pattern without operators; an operator's own patterns are walked by a walk of their own. */
struct walk {
    struct matcher *matcher;
    const struct walk *outer; /* the walk that stands at the operator; NULL */
    bool quiet;               /* a trial: differences are not noted, the first one ends it */
    struct frame *frames;     /* outermost first */
    size_t depth, capacity;
    struct frame own[FIRST_FRAMES]; /* what `frames` is until it grows */
};

/*
 * Holds `value` (NULL: none) against `pattern`, down to the last level. `outer` gives the place and the matcher; a
 * quiet outer walk makes this one quiet too. On false, bindings made on the way are still there: the caller takes
 * them back.
 */
bool walk_part(const struct walk *outer, const struct json_value *pattern, const struct json_value *value, bool exact,
               bool quiet);

/* Takes back all bindings since `mark` (what `bindings->first` was). */
void walk_unbind(const struct walk *walk, struct binding *mark);

/* Holds a value against an operator. */
bool match_operator(struct walk *walk, enum operator kind, const struct json_value *pattern,
                    const struct json_value *value, bool exact);

/* Holds the elements of an array against a list of patterns, one to one in some order. */
bool match_unordered(struct walk *walk, const struct json_value *patterns, const struct json_value *array, bool exact);

/* ---- differences; all return false --------------------------------------------------------------- */

/* `wanted` is readable text; `value` is what came, NULL for nothing. */
bool differ(const struct walk *walk, const struct json_value *pattern, const char *wanted,
            const struct json_value *value);

/* The pattern's own JSON is what was wanted. */
bool differ_plain(const struct walk *walk, const struct json_value *pattern, const struct json_value *value);

/* Both texts are given. `extra`: a member of the value at the frame's level, for which the pattern has no place; else
   NULL. */
bool differ_texts(const struct walk *walk, const struct json_value *pattern, const struct json_value *extra,
                  struct text wanted, struct text came);

/* The scenario itself is at fault: nothing matches. Noted as a difference too. */
bool differ_fault(const struct walk *walk, const struct json_value *pattern, const char *fault);

/* Appends a value as JSON, cut with its full length named where `out` would pass DIFFERENCE_TEXT_CEILING. "nothing" for
   NULL. */
void describe_value(struct buffer *out, const struct json_value *value);

#endif
