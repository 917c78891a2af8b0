/*
 * The folded root of a room: ops go in, the snapshot's bytes come out. An op costs its path's depth, whatever the
 * width of the objects on it; the bytes are built when somebody asks and kept until the next write.
 */
#ifndef MESHSPEC_RELAY_FOLD_H
#define MESHSPEC_RELAY_FOLD_H

#include "relay-ref/core/buffer.h"
#include "relay-ref/core/message.h"
#include "relay-ref/core/tree.h"

struct fold {
    struct node *root; /* owned; NULL while the fold has no value (join.snapshot-rootless) */
    const struct table_seed *seed;
    size_t max_array_length;
    size_t max_bytes;  /* ceiling on `bytes`; SIZE_MAX after the start */
    size_t bytes;      /* what the root weighs (tree.h): about the length of its text */
    size_t gaps;       /* holes that extended arrays below the root */
    size_t left_out;   /* ops that were left out because of max_array_length, since the start */
    bool full;         /* the last relay_fold_apply said false because of max_bytes */
    struct relay_buffer text;
    bool text_fresh;
};

/* A fold without a value. `seed` must outlive it. */
void relay_fold_start(struct fold *fold, const struct table_seed *seed, size_t max_array_length);

void relay_fold_free(struct fold *fold);

/* Makes `value` (well-formed JSON, copied) the root, in place of whatever it was. False when memory is out. */
bool relay_fold_replace(struct fold *fold, struct json_value value);

/*
 * Applies the ops of one envelope in order (fold.*). An op that cannot be taken in (a path through an array that is no
 * index, an index past the ceiling, a set without next) is left out. False when memory is out, or with `full` when the
 * root would have grown past its ceiling: the fold is then as before.
 */
bool relay_fold_apply(struct fold *fold, const struct message_op *ops, size_t count);

/* The root as JSON text, valid until the next write; without bytes when there is no value. False when memory is out. */
bool relay_fold_text(struct fold *fold, struct relay_text *text);

#endif
