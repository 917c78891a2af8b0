#include "relay-ref/core/fold.h"

#include <stdlib.h>

#include "relay-ref/core/fold_change.h"
#include "relay-ref/core/path.h"

/* No index is higher than this, whatever the option says (fold.array-index). */
#define ARRAY_LENGTH_CEILING ((size_t)4294967295)

/* An op on its way down. */
struct descent {
    struct fold *fold;
    const struct message_op *op;
    struct path_reader path;
    struct change *change;
};

void relay_fold_start(struct fold *fold, const struct table_seed *seed, size_t max_array_length) {
    size_t most = max_array_length < ARRAY_LENGTH_CEILING ? max_array_length : ARRAY_LENGTH_CEILING;
    *fold = (struct fold){.seed = seed, .max_array_length = most, .max_bytes = SIZE_MAX};
}

/* A value that goes into the tree, weighed; NULL when memory is out. */
static struct node *new_value(struct fold *fold, struct json_value value) {
    struct node *node = relay_node_raw(value);
    if (node != NULL)
        fold->bytes += value.length;
    return node;
}

static void forget_text(struct fold *fold) {
    relay_buffer_free(&fold->text);
    fold->text_fresh = false;
}

void relay_fold_free(struct fold *fold) {
    relay_fold_drop(fold, fold->root);
    fold->root = NULL;
    forget_text(fold);
}

bool relay_fold_replace(struct fold *fold, struct json_value value) {
    struct node *root = relay_node_raw(value);
    if (root == NULL)
        return false;
    relay_fold_free(fold);
    fold->root = root;
    fold->bytes = value.length;
    return true;
}

bool relay_fold_text(struct fold *fold, struct relay_text *text) {
    *text = (struct relay_text){NULL, 0};
    if (fold->root == NULL)
        return true;
    if (!fold->text_fresh) {
        relay_buffer_start(&fold->text, 0, 256);
        relay_node_print(fold->root, &fold->text);
        if (fold->text.failed) {
            relay_buffer_free(&fold->text);
            return false;
        }
        relay_buffer_trim(&fold->text);
        fold->text_fresh = true;
    }
    *text = (struct relay_text){fold->text.memory, fold->text.length};
    return true;
}

/* ---- going down ---------------------------------------------------------------------------------- */

/* The place of an existing child, NULL when nothing is there. */
static struct node **child_place(struct node *container, const struct path_segment *segment) {
    if (container->kind == NODE_OBJECT) {
        struct object_entry *entry = relay_object_find((struct object_node *)container, segment->key);
        return entry == NULL ? NULL : &entry->value;
    }
    struct array_node *array = (struct array_node *)container;
    size_t index;
    if (!relay_path_index(segment, &index) || index >= array->length || array->items[index] == NULL)
        return NULL;
    return &array->items[index];
}

/* fold.create-array, fold.create-object: what a missing container becomes is told by the segment below it. */
static struct node *new_container(struct fold *fold, const struct path_segment *below) {
    struct node *container = below->number ? relay_node_array() : relay_node_object();
    if (container != NULL)
        fold->bytes += NODE_CONTAINER_BYTES;
    return container;
}

/* Puts what the op carries at the last segment of its path. */
static enum step put_next(struct descent *descent, struct node *container, const struct path_segment *last) {
    struct node *value = new_value(descent->fold, descent->op->next);
    enum step step = value == NULL ? STEP_NO_MEMORY : relay_change_put(descent->fold, container, last, value, descent->change);
    if (step != STEP_DONE)
        relay_fold_drop(descent->fold, value);
    return step;
}

/*
 * Builds all that is missing below a place, apart from the tree: it is put in with one change at the end. `segment` is
 * the first segment below the place.
 */
static enum step build_chain(struct descent *descent, struct path_segment segment, struct node **chain) {
    struct path_segment below;
    struct node *container = *chain = new_container(descent->fold, &segment);
    if (container == NULL)
        return STEP_NO_MEMORY;
    while (relay_path_next(&descent->path, &below)) {
        struct node *inner = new_container(descent->fold, &below);
        enum step step =
            inner == NULL ? STEP_NO_MEMORY : relay_change_put(descent->fold, container, &segment, inner, descent->change);
        if (step != STEP_DONE) {
            relay_fold_drop(descent->fold, inner);
            return step;
        }
        container = inner;
        segment = below;
    }
    if (descent->path.failed)
        return STEP_NO_MEMORY;
    return descent->op->kind == OP_DELETE ? STEP_DONE : put_next(descent, container, &segment);
}

/* Drops a chain that did not come to be, and the changes inside it. */
static void drop_chain(struct descent *descent, struct node *chain) {
    relay_fold_drop(descent->fold, chain);
    descent->change->kind = CHANGE_NOTHING;
}

/* From `segment` in `container` on nothing is there that the op could go into; `below` is the segment after it. */
static enum step grow_below(struct descent *descent, struct node *container, const struct path_segment *segment,
                            struct path_segment below) {
    struct path_segment own = *segment;
    char *kept = malloc(segment->key.length + 1); /* the reader goes on and would overwrite a decoded key */
    if (kept == NULL)
        return STEP_NO_MEMORY;
    for (size_t i = 0; i < segment->key.length; i++)
        kept[i] = segment->key.bytes[i];
    own.key.bytes = kept;
    struct node *chain = NULL;
    enum step step = build_chain(descent, below, &chain);
    descent->change->kind = CHANGE_NOTHING;
    if (step == STEP_DONE)
        step = relay_change_put(descent->fold, container, &own, chain, descent->change);
    if (step != STEP_DONE)
        drop_chain(descent, chain);
    free(kept);
    return step;
}

/* Follows the path through what is there. `container` is a tree node. */
static enum step walk(struct descent *descent, struct node *container, struct path_segment segment) {
    struct path_segment below;
    while (relay_path_next(&descent->path, &below)) {
        struct node **place = child_place(container, &segment);
        if (place == NULL || !relay_node_is_container(*place))
            return grow_below(descent, container, &segment, below);
        if (!relay_node_expand(place, descent->fold->seed, &descent->fold->bytes))
            return STEP_NO_MEMORY;
        container = *place;
        segment = below;
    }
    if (descent->path.failed)
        return STEP_NO_MEMORY;
    return descent->op->kind == OP_DELETE ? relay_change_take(container, &segment, descent->change)
                                          : put_next(descent, container, &segment);
}

/* fold.root-set, fold.root-delete */
static enum step write_root(struct descent *descent) {
    if (descent->op->kind == OP_DELETE)
        return STEP_DONE;
    struct node *value = new_value(descent->fold, descent->op->next);
    if (value == NULL)
        return STEP_NO_MEMORY;
    relay_change_root(descent->fold, value, descent->change);
    return STEP_DONE;
}

static enum step start_at_root(struct descent *descent, const struct path_segment *first) {
    struct fold *fold = descent->fold;
    if (fold->root != NULL && relay_node_is_container(fold->root)) {
        if (!relay_node_expand(&fold->root, fold->seed, &fold->bytes))
            return STEP_NO_MEMORY;
        return walk(descent, fold->root, *first);
    }
    struct node *chain = NULL;
    enum step step = build_chain(descent, *first, &chain);
    if (step == STEP_DONE)
        relay_change_root(fold, chain, descent->change);
    else
        drop_chain(descent, chain);
    return step;
}

static enum step apply_op(struct fold *fold, const struct message_op *op, struct change *change) {
    struct descent descent; /* large, and relay_path_start sets what it needs of `path` */
    struct path_segment first;
    descent.fold = fold;
    descent.op = op;
    descent.change = change;
    change->kind = CHANGE_NOTHING;
    if (op->kind == OP_SET && op->next.kind == JSON_ABSENT)
        return STEP_IGNORED; /* fold.odd-segments: a set without next */
    relay_path_start(&descent.path, op->path);
    enum step step;
    if (relay_path_next(&descent.path, &first))
        step = start_at_root(&descent, &first);
    else
        step = descent.path.failed ? STEP_NO_MEMORY : write_root(&descent);
    relay_path_end(&descent.path);
    return step;
}

/* ---- all or nothing ------------------------------------------------------------------------------ */

/* A root that is over its ceiling, as a restored one may be, can still shrink. */
static bool is_too_large(const struct fold *fold, const struct change *changes, size_t count, size_t before) {
    if (fold->bytes <= fold->max_bytes)
        return false;
    size_t bytes = fold->bytes;
    for (size_t i = 0; i < count; i++)
        bytes -= relay_change_weight(&changes[i]);
    return bytes > fold->max_bytes && bytes > before;
}

#define CHANGES_ON_STACK 8

bool relay_fold_apply(struct fold *fold, const struct message_op *ops, size_t count) {
    struct change few[CHANGES_ON_STACK], *changes = few;
    if (count > CHANGES_ON_STACK && (changes = malloc(count * sizeof *changes)) == NULL)
        return fold->full = false;
    size_t done = 0, before = fold->bytes;
    while (done < count && apply_op(fold, &ops[done], &changes[done]) != STEP_NO_MEMORY)
        done++;
    fold->full = done == count && is_too_large(fold, changes, count, before);
    bool stays = done == count && !fold->full;
    for (size_t i = 0; stays && i < count; i++)
        if (changes[i].kind != CHANGE_NOTHING)
            relay_change_settle(fold, &changes[i]);
    for (size_t i = done; !stays && i-- > 0;)
        relay_change_undo(fold, &changes[i]);
    if (stays && count > 0)
        forget_text(fold);
    if (changes != few)
        free(changes);
    return stays;
}
