/*
 * Hash table from a text to the item that carries it. Items embed `struct table_item`; who owns the item owns its key.
 * Keys compare as bytes. The hash is SipHash-1-3 under a seed of the relay's, so that no client can choose names that
 * collide.
 */
#ifndef MESHSPEC_RELAY_TABLE_H
#define MESHSPEC_RELAY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay-ref/core/relay.h"

struct table_seed {
    uint64_t first, second;
};

struct table_item {
    struct relay_text key;
    uint64_t hash; /* set by the table */
};

/* The hash stands next to the item, so that a search looks into no item but the one it is for. */
struct table_slot {
    uint64_t hash;
    struct table_item *item; /* NULL where the slot is free */
};

struct table {
    struct table_slot *slots; /* owned; NULL while empty; open addressing, linear probing */
    size_t count;
    size_t capacity; /* a power of two, or 0 */
    const struct table_seed *seed;
};

/* `item` is the address of the member `field` inside a `type`; gives the type's address, or NULL for NULL. */
#define CONTAINER_OF(item, type, field) ((type *)relay_container_of((item), offsetof(type, field)))

static inline void *relay_container_of(void *item, size_t offset) {
    return item == NULL ? NULL : (char *)item - offset;
}

/* An empty table; takes no memory until the first item. `seed` must outlive it. */
void relay_table_start(struct table *table, const struct table_seed *seed);

/* Frees the table, not the items. */
void relay_table_free(struct table *table);

/* The item with this key, or NULL. */
struct table_item *relay_table_find(const struct table *table, struct relay_text key);

/* Makes sure that one more item can be put in without failing. False when memory is out. */
bool relay_table_reserve(struct table *table);

/* True when the next item makes the table grow. */
bool relay_table_is_full(const struct table *table);

/* Doubles the table, so that it is half as full. False when memory is out; it is then as it was. */
bool relay_table_grow(struct table *table);

/* Puts in an item whose key is not there yet. False when memory is out (never right after relay_table_reserve). */
bool relay_table_put(struct table *table, struct table_item *item);

/* Takes out an item that is there. */
void relay_table_take(struct table *table, struct table_item *item);

/* Walks all items in no particular order: start with `*position` 0; NULL at the end. The table must not change
   meanwhile. */
struct table_item *relay_table_next(const struct table *table, size_t *position);

/* The hash of `bytes` under `seed`. */
uint64_t relay_table_hash(const struct table_seed *seed, const char *bytes, size_t length);

#endif
