#include "relay-ref/core/fold_change.h"

#include <stdlib.h>

void relay_fold_drop(struct fold *fold, struct node *node) {
    struct node_weight weight = relay_node_free(node);
    fold->bytes -= weight.bytes;
    fold->gaps -= weight.gaps;
}

/* ---- changing --------------------------------------------------------------------------------------- */

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

enum step relay_change_put(struct fold *fold, struct node *container, const struct path_segment *segment, struct node *value,
                           struct change *change) {
    if (container->kind == NODE_OBJECT)
        return put_key(fold, (struct object_node *)container, segment->key, value, change);
    return put_item(fold, (struct array_node *)container, segment, value, change);
}

/* A hole stays in an array, nothing shifts. */
enum step relay_change_take(struct node *container, const struct path_segment *segment, struct change *change) {
    if (container->kind == NODE_OBJECT) {
        struct object_node *object = (struct object_node *)container;
        struct object_entry *entry = relay_object_find(object, segment->key);
        if (entry == NULL)
            return STEP_DONE;
        relay_object_remove(object, entry);
        *change = (struct change){CHANGE_REMOVED, .container = container, .entry = entry};
        return STEP_DONE;
    }
    struct array_node *array = (struct array_node *)container;
    size_t index;
    if (!relay_path_index(segment, &index))
        return STEP_IGNORED;
    if (index < array->length && array->items[index] != NULL) {
        *change = (struct change){CHANGE_ITEM,
                                           .container = container,
                                           .index = index,
                                           .old = array->items[index],
                                           .old_length = array->length,
                                           .old_gaps = array->gaps};
        array->items[index] = NULL;
    }
    return STEP_DONE;
}

void relay_change_root(struct fold *fold, struct node *root, struct change *change) {
    *change = (struct change){CHANGE_ROOT, .old = fold->root};
    fold->root = root;
}

/* ---- afterwards ------------------------------------------------------------------------------------- */

static void undo_item(struct fold *fold, const struct change *change) {
    struct array_node *array = (struct array_node *)change->container;
    size_t gaps = array->gaps - change->old_gaps;
    relay_fold_drop(fold, array->items[change->index]);
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

void relay_change_undo(struct fold *fold, const struct change *change) {
    switch (change->kind) {
    case CHANGE_NOTHING:
        break;
    case CHANGE_ROOT:
        relay_fold_drop(fold, fold->root);
        fold->root = change->old;
        break;
    case CHANGE_ADDED:
        relay_object_remove((struct object_node *)change->container, change->entry);
        relay_fold_drop(fold, change->entry->value);
        drop_entry(fold, change->entry);
        break;
    case CHANGE_REPLACED:
        relay_fold_drop(fold, change->entry->value);
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

void relay_change_settle(struct fold *fold, const struct change *change) {
    relay_fold_drop(fold, change->kind == CHANGE_REMOVED ? change->entry->value : change->old);
    if (change->kind == CHANGE_REMOVED)
        drop_entry(fold, change->entry);
}

size_t relay_change_weight(const struct change *change) {
    if (change->kind == CHANGE_NOTHING)
        return 0;
    if (change->kind == CHANGE_REMOVED)
        return change->entry->item.key.length + NODE_KEY_BYTES + relay_node_weigh(change->entry->value);
    return relay_node_weigh(change->old);
}
