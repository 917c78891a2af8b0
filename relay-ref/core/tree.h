/*
 * The nodes of a folded root. A value that no op went into stays the bytes it came as; the first op that goes
 * inside turns it into a tree, once. Nothing here recurses: depth is bounded by memory only.
 */
#ifndef MESHSPEC_RELAY_TREE_H
#define MESHSPEC_RELAY_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "relay-ref/core/buffer.h"
#include "relay-ref/core/list.h"
#include "relay-ref/core/table.h"
#include "relay-ref/json/scanner.h"

enum node_kind { NODE_RAW, NODE_OBJECT, NODE_ARRAY };

/* What all nodes begin with. */
struct node {
    enum node_kind kind;
};

/* Any value as well-formed JSON text. */
struct raw_node {
    struct node base;
    size_t length;
    char bytes[];
};

struct object_entry {
    struct table_item item; /* the decoded key; in the table only when the object has one */
    struct list_link link;
    struct node *value; /* owned, never NULL */
    char key[];
};

/* Keys stand in the order in which they came; up to a few they are searched one by one, more are indexed. */
struct object_node {
    struct node base;
    struct node *up; /* only while walking or freeing */
    struct list_link *cursor;
    struct list entries;
    size_t count;
    struct table *index; /* owned; NULL while the keys are few */
};

/* An item that is NULL is a hole. */
struct array_node {
    struct node base;
    struct node *up;
    size_t cursor;
    struct node **items; /* owned */
    size_t length, capacity;
    size_t gaps; /* holes that extending it made (fold.array-extend) */
};

/* A copy of `value`, whose bytes are well-formed JSON. NULL when memory is out. */
struct node *relay_node_raw(struct json_value value);

/* An empty container; NULL when memory is out. */
struct node *relay_node_object(void);
struct node *relay_node_array(void);

/* True when the value is an array or an object, be it bytes or tree. */
bool relay_node_is_container(const struct node *node);

/* What a value weighs: about the bytes of its JSON text, and the gaps in it. A number on its own is its text's length; a
   container adds NODE_CONTAINER_BYTES, each key its length and NODE_KEY_BYTES, each item NODE_ITEM_BYTES, each gap
   NODE_GAP_BYTES more. */
struct node_weight {
    size_t bytes, gaps;
};

#define NODE_CONTAINER_BYTES 2
#define NODE_KEY_BYTES 4 /* quotes, colon, comma */
#define NODE_ITEM_BYTES 1
#define NODE_GAP_BYTES 4

/* Turns `*slot`, a container that may still be bytes, into a tree node, and corrects `*bytes`, the weight of all that it
   is part of. False when memory is out; the value is then as it was. */
bool relay_node_expand(struct node **slot, const struct table_seed *seed, size_t *bytes);

/* The bytes of a value's weight; NULL weighs nothing. Its cost is the value's size. */
size_t relay_node_weigh(struct node *node);

/* Frees the value and everything below it; NULL is allowed. Returns what it weighed. */
struct node_weight relay_node_free(struct node *node);

/* Adds the value as JSON text; a hole reads as null. */
void relay_node_print(struct node *node, struct relay_buffer *out);

struct object_entry *relay_object_find(const struct object_node *object, struct relay_text key);

/* Adds a key that is not there yet; takes over `value`. `seed` must outlive the object. NULL when memory is out. */
struct object_entry *relay_object_add(struct object_node *object, const struct table_seed *seed, struct relay_text key,
                                      struct node *value);

/* Takes an entry out without freeing it, so that relay_object_restore can put it back where it was. */
void relay_object_remove(struct object_node *object, struct object_entry *entry);

/* Undoes a removal; never fails when undone in the opposite order of the changes. */
void relay_object_restore(struct object_node *object, struct object_entry *entry);

/* Makes `index` a valid index, holes before it (fold.array-extend). False when memory is out. */
bool relay_array_extend(struct array_node *array, size_t index);

#endif
