/*
 * The harness' own fold: what the root is after a history of envelopes (fold.*). Written from the rules, without the
 * reference relay's code, so that it can judge any relay's snapshots.
 */
#ifndef MESHSPEC_HISTORY_FOLD_H
#define MESHSPEC_HISTORY_FOLD_H

#include "harness/json/value.h"

#define FOLD_ARRAY_CEILING 100000 /* the longest array that is folded; beyond it the outcome counts as free (fold.huge-index) */

struct fold {
    struct arena *arena;
    struct json_value *root; /* NULL: no value yet */
    bool is_free;            /* an op had an outcome that the protocol leaves open (fold.odd-segments): the root is not known any more */
};

/* Applies one op (`{kind, path, next?}`). Values are copied. */
void fold_op(struct fold *fold, const struct json_value *op);

/* Applies the `ops` of an envelope in order. */
void fold_envelope(struct fold *fold, const struct json_value *envelope);

#endif
