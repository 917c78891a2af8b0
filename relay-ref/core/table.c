#include "relay-ref/core/table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 8

/* ---- SipHash-1-3 -------------------------------------------------------------------------------- */

static uint64_t rotate(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static uint64_t load_word(const char *bytes, size_t length) {
    uint64_t word = 0;
    memcpy(&word, bytes, length);
    return word;
}

uint64_t relay_table_hash(const struct table_seed *seed, const char *bytes, size_t length) {
    uint64_t v[4] = {seed->first ^ 0x736f6d6570736575u, seed->second ^ 0x646f72616e646f6du,
                     seed->first ^ 0x6c7967656e657261u, seed->second ^ 0x7465646279746573u};
    size_t whole = length - length % 8;
    for (size_t at = 0; at < whole; at += 8) {
        uint64_t word = load_word(bytes + at, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    uint64_t last = (uint64_t)length << 56;
    if (length > whole)
        last |= load_word(bytes + whole, length - whole);
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (int round = 0; round < 3; round++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- the table ---------------------------------------------------------------------------------- */

void relay_table_start(struct table *table, const struct table_seed *seed) {
    *table = (struct table){.seed = seed};
}

void relay_table_free(struct table *table) {
    free(table->slots);
    table->slots = NULL;
    table->count = table->capacity = 0;
}

static bool same_key(const struct table_item *item, struct relay_text key) {
    return item->key.length == key.length && (key.length == 0 || memcmp(item->key.bytes, key.bytes, key.length) == 0);
}

struct table_item *relay_table_find(const struct table *table, struct relay_text key) {
    if (table->count == 0)
        return NULL;
    uint64_t hash = relay_table_hash(table->seed, key.bytes, key.length);
    size_t mask = table->capacity - 1;
    for (size_t at = (size_t)hash & mask; table->slots[at].item != NULL; at = (at + 1) & mask)
        if (table->slots[at].hash == hash && same_key(table->slots[at].item, key))
            return table->slots[at].item;
    return NULL;
}

static void place(struct table_slot *slots, size_t capacity, struct table_slot slot) {
    size_t mask = capacity - 1, at = (size_t)slot.hash & mask;
    while (slots[at].item != NULL)
        at = (at + 1) & mask;
    slots[at] = slot;
}

bool relay_table_grow(struct table *table) {
    size_t capacity = table->capacity == 0 ? FIRST_CAPACITY : table->capacity * 2;
    struct table_slot *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    for (size_t at = 0; at < table->capacity; at++)
        if (table->slots[at].item != NULL)
            place(slots, capacity, table->slots[at]);
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

/* At most three quarters full, so that a probe always meets an empty slot soon. */
bool relay_table_is_full(const struct table *table) {
    return table->count + 1 > table->capacity / 4 * 3;
}

bool relay_table_reserve(struct table *table) {
    return !relay_table_is_full(table) || relay_table_grow(table);
}

bool relay_table_put(struct table *table, struct table_item *item) {
    if (!relay_table_reserve(table))
        return false;
    item->hash = relay_table_hash(table->seed, item->key.bytes, item->key.length);
    place(table->slots, table->capacity, (struct table_slot){item->hash, item});
    table->count++;
    return true;
}

/* Later items of the same run move up, so that no search ends too early and no tombstones gather. */
static void close_gap(struct table *table, size_t gap) {
    size_t mask = table->capacity - 1;
    for (size_t at = (gap + 1) & mask; table->slots[at].item != NULL; at = (at + 1) & mask) {
        size_t home = (size_t)table->slots[at].hash & mask;
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        table->slots[gap] = table->slots[at];
        table->slots[at].item = NULL;
        gap = at;
    }
}

void relay_table_take(struct table *table, struct table_item *item) {
    size_t mask = table->capacity - 1, at = (size_t)item->hash & mask;
    while (table->slots[at].item != item)
        at = (at + 1) & mask;
    table->slots[at].item = NULL;
    table->count--;
    close_gap(table, at);
}

struct table_item *relay_table_next(const struct table *table, size_t *position) {
    while (*position < table->capacity) {
        struct table_item *item = table->slots[(*position)++].item;
        if (item != NULL)
            return item;
    }
    return NULL;
}
