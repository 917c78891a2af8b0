#include "relay-ref/core/table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS 2000

static const struct table_seed seed = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};

struct named {
    struct table_item item;
    char name[16];
    bool in;
};

static struct named items[ITEMS];

static void name_items(void) {
    for (size_t i = 0; i < ITEMS; i++) {
        int length = snprintf(items[i].name, sizeof items[i].name, "name %zu", i);
        items[i].item.key = (struct relay_text){items[i].name, (size_t)length};
    }
}

static void check_all(const struct table *table) {
    size_t count = 0, walked = 0, position = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        cr_assert_eq(relay_table_find(table, items[i].item.key), items[i].in ? &items[i].item : NULL, "%s",
                     items[i].name);
        count += items[i].in;
    }
    while (relay_table_next(table, &position) != NULL)
        walked++;
    cr_assert_eq(table->count, count);
    cr_assert_eq(walked, count);
}

/* Items come and go at random; the table always knows exactly those that are in. */
Test(table, knows_what_is_in_it) {
    struct table table;
    unsigned random = 1;
    name_items();
    relay_table_start(&table, &seed);
    check_all(&table);
    for (size_t step = 0; step < 20000; step++) {
        random = random * 1103515245u + 12345u;
        struct named *chosen = &items[random / 65536 % (step < 10000 ? ITEMS : 40)];
        if (chosen->in)
            relay_table_take(&table, &chosen->item);
        else
            cr_assert(relay_table_put(&table, &chosen->item));
        chosen->in = !chosen->in;
        if (step % 997 == 0)
            check_all(&table);
    }
    check_all(&table);
    relay_table_free(&table);
}

Test(table, keys_may_hold_any_bytes_and_be_empty) {
    struct table table;
    struct table_item empty = {.key = {"", 0}}, zero = {.key = {"\0", 1}}, zeros = {.key = {"\0\0", 2}};
    relay_table_start(&table, &seed);
    cr_assert(relay_table_put(&table, &empty) && relay_table_put(&table, &zero) && relay_table_put(&table, &zeros));
    cr_expect_eq(relay_table_find(&table, (struct relay_text){NULL, 0}), &empty);
    cr_expect_eq(relay_table_find(&table, (struct relay_text){"\0\0\0", 1}), &zero);
    cr_expect_eq(relay_table_find(&table, (struct relay_text){"\0\0\0", 2}), &zeros);
    cr_expect_null(relay_table_find(&table, (struct relay_text){"\0\0\0", 3}));
    relay_table_free(&table);
}

/* Names that fall together under one do not under another. */
Test(table, the_seed_decides_what_falls_together) {
    static const struct table_seed other = {1, 2};
    size_t together = 0;
    name_items();
    uint64_t bucket = relay_table_hash(&seed, items[0].name, items[0].item.key.length) % 64;
    for (size_t i = 1; i < ITEMS; i++) {
        uint64_t first = relay_table_hash(&seed, items[i].name, items[i].item.key.length) % 64;
        uint64_t second = relay_table_hash(&other, items[i].name, items[i].item.key.length) % 64;
        together += first == bucket && second == relay_table_hash(&other, items[0].name, items[0].item.key.length) % 64;
    }
    cr_expect(together < 10, "%zu of %d", together, ITEMS);
}
