#include "relay-ref/core/fold.h"

#include <stdlib.h>

#include "relay-ref/core/path.h"

/* One op changes one place; this is how to put it back. */
enum change_kind { CHANGE_NOTHING, CHANGE_ROOT, CHANGE_ADDED, CHANGE_REPLACED, CHANGE_REMOVED, CHANGE_ITEM };

struct change {
    enum change_kind kind;
    struct node *container;
    struct object_entry *entry;
    struct node *old;
    size_t index, old_length, old_gaps;
};

enum step { STEP_DONE, STEP_IGNORED, STEP_NO_MEMORY };

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

static void drop(struct fold *fold, struct node *node) {
    struct node_weight weight = relay_node_free(node);
    fold->bytes -= weight.bytes;
    fold->gaps -= weight.gaps;
}

static void forget_text(struct fold *fold) {
    relay_buffer_free(&fold->text);
    fold->text_fresh = false;
}

void relay_fold_free(struct fold *fold) {
    drop(fold, fold->root);
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

/* ---- writing into one container, with the old state noted ---------------------------------------- */

static enum step put_key(struct fold *fold, struct object_node *object, struct relay_text key, struct node *value,
                         struct change *change) {
    struct object_entry *entry = relay_object_find(object, key);
    if (entry != NULL) {
        *change = (struct change){CHANGE_REPLACED, .container = &object->base, .entry = entry, .old = entry->value};
        entry->value = value;
        return STEP_DONE;
    }
    entry = relay_object_add(object, fold->seed, key, value);
    if (entry == NULL)
        return STEP_NO_MEMORY;
    fold->bytes += key.length + NODE_KEY_BYTES;
    *change = (struct change){CHANGE_ADDED, .container = &object->base, .entry = entry};
    return STEP_DONE;
}

/* fold.huge-index: neither one array nor all holes of a room together may grow without bound. */
#define GAP_FACTOR 4

static bool index_allowed(const struct fold *fold, const struct array_node *array, size_t index) {
    if (index < array->length)
        return true;
    size_t gap = index - array->length, most = fold->max_array_length;
    return index < most && fold->gaps + gap <= most * GAP_FACTOR;
}

/* An array has become longer, gaps and all. */
static void grown(struct fold *fold, const struct array_node *array, size_t old_length, size_t old_gaps) {
    size_t gaps = array->gaps - old_gaps;
    fold->gaps += gaps;
    fold->bytes += (array->length - old_length) * NODE_ITEM_BYTES + gaps * NODE_GAP_BYTES;
}

static enum step put_item(struct fold *fold, struct array_node *array, const struct path_segment *segment,
                          struct node *value, struct change *change) {
    size_t index;
    if (!relay_path_index(segment, &index))
        return STEP_IGNORED; /* fold.odd-segments */
    if (!index_allowed(fold, array, index)) {
        fold->left_out++;
        return STEP_IGNORED;
    }
    struct change made = {CHANGE_ITEM, .container = &array->base, .index = index, .old_length = array->length,
                          .old_gaps = array->gaps};
    if (!relay_array_extend(array, index))
        return STEP_NO_MEMORY;
    grown(fold, array, made.old_length, made.old_gaps);
    made.old = array->items[index];
    array->items[index] = value;
    *change = made;
    return STEP_DONE;
}

/* fold.object-number-key, fold.array-index. Takes over `value` when done. */
static enum step put(struct descent *descent, struct node *container, const struct path_segment *segment,
                     struct node *value) {
    if (container->kind == NODE_OBJECT)
        return put_key(descent->fold, (struct object_node *)container, segment->key, value, descent->change);
    return put_item(descent->fold, (struct array_node *)container, segment, value, descent->change);
}

/* fold.delete, fold.array-delete: a hole stays, nothing shifts. */
static enum step take(struct descent *descent, struct node *container, const struct path_segment *segment) {
    if (container->kind == NODE_OBJECT) {
        struct object_node *object = (struct object_node *)container;
        struct object_entry *entry = relay_object_find(object, segment->key);
        if (entry == NULL)
            return STEP_DONE;
        relay_object_remove(object, entry);
        *descent->change = (struct change){CHANGE_REMOVED, .container = container, .entry = entry};
        return STEP_DONE;
    }
    struct array_node *array = (struct array_node *)container;
    size_t index;
    if (!relay_path_index(segment, &index))
        return STEP_IGNORED;
    if (index < array->length && array->items[index] != NULL) {
        *descent->change = (struct change){CHANGE_ITEM,
                                           .container = container,
                                           .index = index,
                                           .old = array->items[index],
                                           .old_length = array->length,
                                           .old_gaps = array->gaps};
        array->items[index] = NULL;
    }
    return STEP_DONE;
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

/* Puts the op's own value, or nothing for a delete, at the last segment of a container that is new. */
static enum step finish_chain(struct descent *descent, struct node *container, const struct path_segment *last) {
    if (descent->op->kind == OP_DELETE)
        return STEP_DONE;
    struct node *value = new_value(descent->fold, descent->op->next);
    enum step step = value == NULL ? STEP_NO_MEMORY : put(descent, container, last, value);
    if (step != STEP_DONE)
        drop(descent->fold, value);
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
        enum step step = inner == NULL ? STEP_NO_MEMORY : put(descent, container, &segment, inner);
        if (step != STEP_DONE) {
            drop(descent->fold, inner);
            return step;
        }
        container = inner;
        segment = below;
    }
    return descent->path.failed ? STEP_NO_MEMORY : finish_chain(descent, container, &segment);
}

/* Drops a chain that did not come to be, and the changes inside it. */
static void drop_chain(struct descent *descent, struct node *chain) {
    drop(descent->fold, chain);
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
        step = put(descent, container, &own, chain);
    if (step != STEP_DONE)
        drop_chain(descent, chain);
    free(kept);
    return step;
}

static enum step write_last(struct descent *descent, struct node *container, const struct path_segment *last) {
    if (descent->op->kind == OP_DELETE)
        return take(descent, container, last);
    struct node *value = new_value(descent->fold, descent->op->next);
    enum step step = value == NULL ? STEP_NO_MEMORY : put(descent, container, last, value);
    if (step != STEP_DONE)
        drop(descent->fold, value);
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
    return descent->path.failed ? STEP_NO_MEMORY : write_last(descent, container, &segment);
}

static enum step replace_root(struct descent *descent, struct node *root) {
    *descent->change = (struct change){CHANGE_ROOT, .old = descent->fold->root};
    descent->fold->root = root;
    return STEP_DONE;
}

/* fold.root-set, fold.root-delete */
static enum step write_root(struct descent *descent) {
    if (descent->op->kind == OP_DELETE)
        return STEP_DONE;
    struct node *value = new_value(descent->fold, descent->op->next);
    return value == NULL ? STEP_NO_MEMORY : replace_root(descent, value);
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
        return replace_root(descent, chain);
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

static void undo_item(struct fold *fold, const struct change *change) {
    struct array_node *array = (struct array_node *)change->container;
    size_t gaps = array->gaps - change->old_gaps;
    drop(fold, array->items[change->index]);
    fold->gaps -= gaps;
    fold->bytes -= (array->length - change->old_length) * NODE_ITEM_BYTES + gaps * NODE_GAP_BYTES;
    array->items[change->index] = change->old;
    array->length = change->old_length;
    array->gaps = change->old_gaps;
}

static void drop_entry(struct fold *fold, struct object_entry *entry) {
    fold->bytes -= entry->item.key.length + NODE_KEY_BYTES;
    free(entry);
}

static void undo(struct fold *fold, const struct change *change) {
    switch (change->kind) {
    case CHANGE_NOTHING:
        break;
    case CHANGE_ROOT:
        drop(fold, fold->root);
        fold->root = change->old;
        break;
    case CHANGE_ADDED:
        relay_object_remove((struct object_node *)change->container, change->entry);
        drop(fold, change->entry->value);
        drop_entry(fold, change->entry);
        break;
    case CHANGE_REPLACED:
        drop(fold, change->entry->value);
        change->entry->value = change->old;
        break;
    case CHANGE_REMOVED:
        relay_object_restore((struct object_node *)change->container, change->entry);
        break;
    case CHANGE_ITEM:
        undo_item(fold, change);
        break;
    }
}

/* What a change put aside is not needed any more. */
static void settle(struct fold *fold, const struct change *change) {
    drop(fold, change->kind == CHANGE_REMOVED ? change->entry->value : change->old);
    if (change->kind == CHANGE_REMOVED)
        drop_entry(fold, change->entry);
}

/* What goes away when the change is settled. */
static size_t weight_put_aside(const struct change *change) {
    if (change->kind == CHANGE_NOTHING)
        return 0;
    if (change->kind == CHANGE_REMOVED)
        return change->entry->item.key.length + NODE_KEY_BYTES + relay_node_weigh(change->entry->value);
    return relay_node_weigh(change->old);
}

/* A root that is over its ceiling, as a restored one may be, can still shrink. */
static bool is_too_large(const struct fold *fold, const struct change *changes, size_t count, size_t before) {
    if (fold->bytes <= fold->max_bytes)
        return false;
    size_t bytes = fold->bytes;
    for (size_t i = 0; i < count; i++)
        bytes -= weight_put_aside(&changes[i]);
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
            settle(fold, &changes[i]);
    for (size_t i = done; !stays && i-- > 0;)
        undo(fold, &changes[i]);
    if (stays && count > 0)
        forget_text(fold);
    if (changes != few)
        free(changes);
    return stays;
}
