/* Collecting (settle.*) against a model that looks at everything each time, and the ranges of admitted versions. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/evidence.h"
#include "relay-ref/core/register.h"
#include "relay-ref/core/settle.h"
#include "relay-ref/tests/failing_memory.h"

#define PATHS 12
#define ORIGINS 5

static const struct table_seed seed = {7, 8};

/* Stamps are `l` with `p` 0; 0 stands for none. */
struct model {
    int sibling[PATHS][ORIGINS], water[PATHS][ORIGINS], settled[ORIGINS];
};

static struct relay_text name(char *place, char kind, int number) {
    place[0] = kind;
    place[1] = (char)('a' + number);
    return (struct relay_text){place, 2};
}

static void put_sibling(struct generation *generation, struct register_cell *cell, int stamp) {
    struct register_sibling *sibling = malloc(sizeof *sibling + 2);
    cr_assert_not_null(sibling);
    *sibling = (struct register_sibling){.hlc = {0, stamp}, .length = 2};
    memcpy(sibling->text, "{}", 2);
    relay_register_put_sibling(generation, cell, sibling);
}

/* A write or a cite at random, done to both. */
static void change(struct generation *generation, struct model *model, unsigned *chance) {
    char place[2], other[2];
    int path = rand_r(chance) % PATHS, origin = rand_r(chance) % ORIGINS, stamp = 1 + rand_r(chance) % 60;
    bool cite = rand_r(chance) % 2 == 0;
    int *kept = cite ? &model->water[path][origin] : &model->sibling[path][origin];
    struct path_register *path_register = relay_register_reserve(generation, name(place, 'p', path));
    if (path_register->spelling == NULL)
        path_register->spelling = relay_register_spelling((struct json_value){JSON_ARRAY, "[]", 2, false});
    struct register_cell *cell = relay_register_reserve_cell(generation, path_register, name(other, 'o', origin));
    if (cite)
        relay_register_raise_water(generation, cell, &(struct hlc){0, stamp});
    else
        put_sibling(generation, cell, stamp);
    relay_register_release_cell(generation, cell);
    relay_register_release(generation, path_register);
    if (stamp > *kept)
        *kept = stamp;
}

/* A settled stamp may also go down. */
static void settle(struct generation *generation, struct model *model, unsigned *chance) {
    char place[2];
    int number = rand_r(chance) % ORIGINS, stamp = 1 + rand_r(chance) % 60;
    struct register_origin *origin = relay_generation_use_origin(generation, name(place, 'o', number));
    struct relay_text notice =
        relay_evidence_notice(name(place, 'o', number), (struct json_value){JSON_OBJECT, "{}", 2, false});
    relay_evidence_settle(generation, origin, &(struct hlc){0, stamp}, notice);
    relay_settle_mark(generation, origin);
    relay_generation_release_origin(generation, origin);
    model->settled[number] = stamp;
}

static void collect(struct model *model) {
    for (int path = 0; path < PATHS; path++) {
        for (int origin = 0; origin < ORIGINS; origin++) {
            int *sibling = &model->sibling[path][origin], *water = &model->water[path][origin];
            int settled = model->settled[origin];
            if (*water > 0 && *sibling <= *water && *sibling <= settled)
                *sibling = 0;
            if (*water <= settled)
                *water = 0;
        }
    }
}

static size_t compare(const struct generation *generation, const struct model *model) {
    size_t cells = 0;
    char place[2];
    for (int path = 0; path < PATHS; path++) {
        struct path_register *path_register = relay_register_find(generation, name(place, 'p', path));
        bool any = false;
        for (int number = 0; number < ORIGINS; number++) {
            struct register_origin *origin = relay_generation_origin(generation, name(place, 'o', number));
            struct register_cell *cell =
                path_register == NULL || origin == NULL ? NULL : relay_register_cell(generation, path_register, origin);
            int sibling = cell == NULL || cell->sibling == NULL ? 0 : (int)cell->sibling->hlc.l;
            int water = cell == NULL || !cell->has_water ? 0 : (int)cell->water.l;
            cr_assert_eq(sibling, model->sibling[path][number]);
            cr_assert_eq(water, model->water[path][number]);
            cr_assert_eq(cell != NULL, sibling > 0 || water > 0, "an empty cell is no cell");
            any = any || cell != NULL;
            cells += cell != NULL;
        }
        cr_assert_eq(path_register != NULL, any, "an empty register goes");
    }
    return cells;
}

Test(settle, collects_what_a_look_at_everything_would) {
    size_t collected = 0, in_use = memory_in_use();
    for (unsigned round = 1; round <= 200; round++) {
        struct model model = {0};
        unsigned chance = round;
        struct generation *generation = relay_generation_new(&seed);
        for (int step = 0; step < 300; step++) {
            int kind = rand_r(&chance) % 10;
            if (kind < 7) {
                change(generation, &model, &chance);
            } else if (kind < 9) {
                settle(generation, &model, &chance);
            } else {
                size_t before = compare(generation, &model);
                relay_settle_collect(generation);
                collect(&model);
                collected += before - compare(generation, &model);
            }
        }
        relay_generation_free(generation);
    }
    cr_expect(collected > 1000, "%zu cells went", collected);
    cr_expect_eq(memory_in_use(), in_use);
}

/* A collection looks at no origin of which nothing changed. */
Test(settle, nothing_is_looked_at_twice) {
    unsigned chance = 3;
    struct model model = {0};
    struct generation *generation = relay_generation_new(&seed);
    for (int step = 0; step < 100; step++)
        change(generation, &model, &chance);
    cr_expect_not_null(generation->unsorted.first);
    relay_settle_collect(generation);
    cr_expect_null(generation->unsorted.first);
    cr_expect(compare(generation, &model) > 0);
    relay_generation_free(generation);
}

Test(settle, ranges_of_versions) {
    struct generation *generation = relay_generation_new(&seed);
    struct register_origin *origin = relay_generation_use_origin(generation, (struct relay_text){"o", 1});
    static const double admitted[] = {2, 3, 5, 6, 20};
    static const bool extends[] = {true, true, false, false, false};
    for (size_t i = 0; i < sizeof admitted / sizeof *admitted; i++) {
        cr_expect_eq(relay_evidence_extends_prefix(origin, admitted[i]), extends[i]);
        cr_assert(relay_evidence_reserve(origin));
        relay_evidence_add(generation, origin, admitted[i]);
    }
    cr_expect_eq(origin->range_count, 3);
    cr_expect_eq(relay_evidence_highest(origin), 20);
    for (int version = 1; version < 22; version++)
        cr_expect_eq(relay_evidence_holds(origin, version),
                     version == 2 || version == 3 || version == 5 || version == 6 || version == 20, "%d", version);
    relay_generation_free(generation);
}
