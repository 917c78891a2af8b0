#include "relay-ref/core/tree.h"

#include <stdlib.h>
#include <string.h>

/* Up to this many keys are found by comparing them all. */
#define UNINDEXED_KEYS 8

struct node *relay_node_raw(struct json_value value) {
    struct raw_node *raw = malloc(sizeof *raw + value.length);
    if (raw == NULL)
        return NULL;
    raw->base.kind = NODE_RAW;
    raw->length = value.length;
    memcpy(raw->bytes, value.bytes, value.length);
    return &raw->base;
}

struct node *relay_node_object(void) {
    struct object_node *object = calloc(1, sizeof *object);
    if (object == NULL)
        return NULL;
    object->base.kind = NODE_OBJECT;
    return &object->base;
}

struct node *relay_node_array(void) {
    struct array_node *array = calloc(1, sizeof *array);
    if (array == NULL)
        return NULL;
    array->base.kind = NODE_ARRAY;
    return &array->base;
}

bool relay_node_is_container(const struct node *node) {
    if (node->kind != NODE_RAW)
        return true;
    char first = ((const struct raw_node *)node)->bytes[0];
    return first == '{' || first == '[';
}

/* ---- objects ------------------------------------------------------------------------------------ */

static struct object_entry *entry_at(struct list_link *link) {
    return CONTAINER_OF(link, struct object_entry, link);
}

struct object_entry *relay_object_find(const struct object_node *object, struct relay_text key) {
    if (object->index != NULL)
        return CONTAINER_OF(relay_table_find(object->index, key), struct object_entry, item);
    for (struct list_link *link = object->entries.first; link != NULL; link = link->next) {
        struct object_entry *entry = entry_at(link);
        if (entry->item.key.length == key.length && memcmp(entry->item.key.bytes, key.bytes, key.length) == 0)
            return entry;
    }
    return NULL;
}

static void free_index(struct table *index) {
    if (index != NULL)
        relay_table_free(index);
    free(index);
}

static struct table *build_index(const struct object_node *object, const struct table_seed *seed) {
    struct table *index = malloc(sizeof *index);
    if (index == NULL)
        return NULL;
    relay_table_start(index, seed);
    for (struct list_link *link = object->entries.first; link != NULL; link = link->next) {
        if (!relay_table_put(index, &entry_at(link)->item)) {
            free_index(index);
            return NULL;
        }
    }
    return index;
}

static bool index_entry(struct object_node *object, const struct table_seed *seed, struct object_entry *entry) {
    if (object->index == NULL && object->count < UNINDEXED_KEYS)
        return true;
    if (object->index == NULL && (object->index = build_index(object, seed)) == NULL)
        return false;
    return relay_table_put(object->index, &entry->item);
}

struct object_entry *relay_object_add(struct object_node *object, const struct table_seed *seed, struct relay_text key,
                                      struct node *value) {
    struct object_entry *entry = malloc(sizeof *entry + key.length);
    if (entry == NULL)
        return NULL;
    memcpy(entry->key, key.bytes, key.length);
    entry->item.key = (struct relay_text){entry->key, key.length};
    entry->value = value;
    if (!index_entry(object, seed, entry)) {
        free(entry);
        return NULL;
    }
    relay_list_append(&object->entries, &entry->link);
    object->count++;
    return entry;
}

void relay_object_remove(struct object_node *object, struct object_entry *entry) {
    if (object->index != NULL)
        relay_table_take(object->index, &entry->item);
    relay_list_remove(&object->entries, &entry->link);
    object->count--;
}

/* The table never shrinks, so it still has the room that the entry had. An index that was built after the entry left
   cannot be there any more by now: it came with an added key, and indexes stay, so it holds this key's room too. */
void relay_object_restore(struct object_node *object, struct object_entry *entry) {
    if (object->index != NULL)
        relay_table_put(object->index, &entry->item);
    relay_list_restore(&object->entries, &entry->link);
    object->count++;
}

/* ---- arrays ------------------------------------------------------------------------------------- */

static bool grow_items(struct array_node *array, size_t length) {
    if (length <= array->capacity)
        return true;
    size_t capacity = array->capacity < 4 ? 4 : array->capacity + array->capacity / 2;
    if (capacity < length)
        capacity = length;
    struct node **items = realloc(array->items, capacity * sizeof(struct node *));
    if (items == NULL)
        return false;
    array->items = items;
    array->capacity = capacity;
    return true;
}

bool relay_array_extend(struct array_node *array, size_t index) {
    if (index < array->length)
        return true;
    if (!grow_items(array, index + 1))
        return false;
    for (size_t at = array->length; at <= index; at++)
        array->items[at] = NULL;
    array->gaps += index - array->length;
    array->length = index + 1;
    return true;
}

/* ---- walking without recursion: `up` leads back, `cursor` remembers how far a container got --------- */

/* Puts a node on the pile of what is to be freed; what has no children goes at once. */
static void discard(struct node *node, struct node **pile, struct node_weight *weight) {
    if (node == NULL)
        return;
    if (node->kind == NODE_RAW) {
        weight->bytes += ((struct raw_node *)node)->length;
        free(node);
        return;
    }
    struct node **up = node->kind == NODE_OBJECT ? &((struct object_node *)node)->up : &((struct array_node *)node)->up;
    *up = *pile;
    *pile = node;
}

static struct node *free_object(struct object_node *object, struct node *pile, struct node_weight *weight) {
    struct list_link *next;
    weight->bytes += NODE_CONTAINER_BYTES;
    for (struct list_link *link = object->entries.first; link != NULL; link = next) {
        struct object_entry *entry = entry_at(link);
        next = link->next;
        weight->bytes += entry->item.key.length + NODE_KEY_BYTES;
        discard(entry->value, &pile, weight);
        free(entry);
    }
    free_index(object->index);
    free(object);
    return pile;
}

static struct node *free_array(struct array_node *array, struct node *pile, struct node_weight *weight) {
    weight->gaps += array->gaps;
    weight->bytes += NODE_CONTAINER_BYTES + array->length * NODE_ITEM_BYTES + array->gaps * NODE_GAP_BYTES;
    for (size_t at = 0; at < array->length; at++)
        discard(array->items[at], &pile, weight);
    free(array->items);
    free(array);
    return pile;
}

struct node_weight relay_node_free(struct node *node) {
    struct node_weight weight = {0, 0};
    struct node *pile = NULL;
    discard(node, &pile, &weight);
    while (pile != NULL) {
        struct node *current = pile;
        if (current->kind == NODE_OBJECT) {
            struct object_node *object = (struct object_node *)current;
            pile = free_object(object, object->up, &weight);
        } else {
            struct array_node *array = (struct array_node *)current;
            pile = free_array(array, array->up, &weight);
        }
    }
    return weight;
}

/* Weighs what has no children; puts a container on the pile of what is still to be looked into. */
static void weigh_or_pile(struct node *node, struct node **pile, size_t *bytes) {
    if (node == NULL)
        return;
    if (node->kind == NODE_RAW) {
        *bytes += ((struct raw_node *)node)->length;
        return;
    }
    struct node **up = node->kind == NODE_OBJECT ? &((struct object_node *)node)->up : &((struct array_node *)node)->up;
    *up = *pile;
    *pile = node;
}

static void weigh_object(struct object_node *object, struct node **pile, size_t *bytes) {
    for (struct list_link *link = object->entries.first; link != NULL; link = link->next) {
        *bytes += entry_at(link)->item.key.length + NODE_KEY_BYTES;
        weigh_or_pile(entry_at(link)->value, pile, bytes);
    }
}

static void weigh_array(struct array_node *array, struct node **pile, size_t *bytes) {
    *bytes += array->length * NODE_ITEM_BYTES + array->gaps * NODE_GAP_BYTES;
    for (size_t at = 0; at < array->length; at++)
        weigh_or_pile(array->items[at], pile, bytes);
}

size_t relay_node_weigh(struct node *node) {
    size_t bytes = 0;
    struct node *pile = NULL;
    weigh_or_pile(node, &pile, &bytes);
    while (pile != NULL) {
        struct node *current = pile;
        bytes += NODE_CONTAINER_BYTES;
        if (current->kind == NODE_OBJECT) {
            pile = ((struct object_node *)current)->up;
            weigh_object((struct object_node *)current, &pile, &bytes);
        } else {
            pile = ((struct array_node *)current)->up;
            weigh_array((struct array_node *)current, &pile, &bytes);
        }
    }
    return bytes;
}

/* Adds a value that has no children to walk, or opens a container and makes it the current one. */
static struct node *print_or_open(struct node *node, struct node *current, struct relay_buffer *out) {
    if (node == NULL) {
        relay_buffer_add(out, "null", 4);
        return current;
    }
    if (node->kind == NODE_RAW) {
        relay_buffer_add(out, ((struct raw_node *)node)->bytes, ((struct raw_node *)node)->length);
        return current;
    }
    if (node->kind == NODE_OBJECT) {
        struct object_node *object = (struct object_node *)node;
        object->up = current;
        object->cursor = object->entries.first;
        relay_buffer_add(out, "{", 1);
    } else {
        struct array_node *array = (struct array_node *)node;
        array->up = current;
        array->cursor = 0;
        relay_buffer_add(out, "[", 1);
    }
    return node;
}

static struct node *print_entry(struct object_node *object, struct relay_buffer *out) {
    if (object->cursor == NULL) {
        relay_buffer_add(out, "}", 1);
        return object->up;
    }
    struct object_entry *entry = entry_at(object->cursor);
    if (object->cursor != object->entries.first)
        relay_buffer_add(out, ",", 1);
    object->cursor = object->cursor->next;
    relay_buffer_add_string(out, entry->item.key);
    relay_buffer_add(out, ":", 1);
    return print_or_open(entry->value, &object->base, out);
}

static struct node *print_item(struct array_node *array, struct relay_buffer *out) {
    if (array->cursor == array->length) {
        relay_buffer_add(out, "]", 1);
        return array->up;
    }
    if (array->cursor > 0)
        relay_buffer_add(out, ",", 1);
    return print_or_open(array->items[array->cursor++], &array->base, out);
}

void relay_node_print(struct node *node, struct relay_buffer *out) {
    struct node *current = print_or_open(node, NULL, out);
    while (current != NULL && !out->failed)
        current = current->kind == NODE_OBJECT ? print_entry((struct object_node *)current, out)
                                               : print_item((struct array_node *)current, out);
}
