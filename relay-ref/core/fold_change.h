/*
 * What one op changes in a fold, one place at a time, with the old state kept: a change is undone, or settled and not to be
 * had back any more. Inside `fold*` only.
 */
#ifndef MESHSPEC_RELAY_FOLD_CHANGE_H
#define MESHSPEC_RELAY_FOLD_CHANGE_H

#include "relay-ref/core/fold.h"
#include "relay-ref/core/path.h"

enum change_kind { CHANGE_NOTHING, CHANGE_ROOT, CHANGE_ADDED, CHANGE_REPLACED, CHANGE_REMOVED, CHANGE_ITEM };

/* Borrows from the fold, apart from what it put aside. */
struct change {
    enum change_kind kind;
    struct node *container;
    struct object_entry *entry;
    struct node *old;
    size_t index, old_length, old_gaps;
};

enum step { STEP_DONE, STEP_IGNORED, STEP_NO_MEMORY };

/* Frees a subtree (NULL: nothing) that stands in the fold no more; it weighs nothing from then on. */
void relay_fold_drop(struct fold *fold, struct node *node);

/*
 * Puts a value into a container (fold.object-number-key, fold.array-index). Takes over `value` when done; STEP_IGNORED when the
 * segment is no index, or one past the ceiling.
 */
enum step relay_change_put(struct fold *fold, struct node *container, const struct path_segment *segment, struct node *value,
                           struct change *change);

/* Takes out what is there, if anything (fold.delete, fold.array-delete). Never out of memory. */
enum step relay_change_take(struct node *container, const struct path_segment *segment, struct change *change);

/* Makes `root`, which it takes over, the fold's root. */
void relay_change_root(struct fold *fold, struct node *root, struct change *change);

/* Puts all back, once the changes that came after it are undone. */
void relay_change_undo(struct fold *fold, const struct change *change);

/* What it put aside is not needed any more. */
void relay_change_settle(struct fold *fold, const struct change *change);

/* What goes away when it is settled, as the fold's `bytes` count it. */
size_t relay_change_weight(const struct change *change);

#endif
