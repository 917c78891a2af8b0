#include "relay-ref/core/generation.h"

#include <stdlib.h>
#include <string.h>

struct generation *relay_generation_new(const struct table_seed *seed) {
    struct generation *generation = calloc(1, sizeof *generation);
    if (generation == NULL)
        return NULL;
    generation->seed = seed;
    relay_table_start(&generation->registers, seed);
    relay_table_start(&generation->origins, seed);
    relay_table_start(&generation->cells, seed);
    return generation;
}

static void free_origin(struct register_origin *origin) {
    free(origin->ranges);
    free((char *)origin->notice.bytes);
    free(origin);
}

static void free_register(struct path_register *path_register) {
    free(path_register->spelling);
    free(path_register->baseline_spelling);
    free(path_register);
}

void relay_generation_free(struct generation *generation) {
    struct table_item *item;
    size_t position = 0;
    if (generation == NULL)
        return;
    while ((item = relay_table_next(&generation->cells, &position)) != NULL) {
        free(CONTAINER_OF(item, struct register_cell, item)->sibling);
        free(CONTAINER_OF(item, struct register_cell, item));
    }
    for (position = 0; (item = relay_table_next(&generation->registers, &position)) != NULL;)
        free_register(CONTAINER_OF(item, struct path_register, item));
    for (position = 0; (item = relay_table_next(&generation->origins, &position)) != NULL;)
        free_origin(CONTAINER_OF(item, struct register_origin, item));
    relay_table_free(&generation->cells);
    relay_table_free(&generation->registers);
    relay_table_free(&generation->origins);
    relay_buffer_free(&generation->checkpoint);
    free(generation);
}

struct register_origin *relay_generation_origin(const struct generation *generation, struct relay_text name) {
    return CONTAINER_OF(relay_table_find(&generation->origins, name), struct register_origin, item);
}

struct register_origin *relay_generation_use_origin(struct generation *generation, struct relay_text name) {
    struct register_origin *origin = relay_generation_origin(generation, name);
    if (origin != NULL) {
        origin->uses++;
        return origin;
    }
    origin = calloc(1, sizeof *origin + name.length);
    if (origin == NULL)
        return NULL;
    memcpy(origin->name, name.bytes, name.length);
    origin->item.key = (struct relay_text){origin->name, name.length};
    origin->uses = 1;
    if (!relay_table_put(&generation->origins, &origin->item)) {
        free(origin);
        return NULL;
    }
    generation->bytes += sizeof *origin + name.length * 2;
    return origin;
}

void relay_generation_release_origin(struct generation *generation, struct register_origin *origin) {
    if (--origin->uses > 0 || origin->range_count > 0 || origin->is_settled)
        return;
    if (origin->is_unsorted)
        relay_list_remove(&generation->unsorted, &origin->in_unsorted);
    relay_table_take(&generation->origins, &origin->item);
    generation->bytes -= sizeof *origin + origin->item.key.length * 2;
    free_origin(origin);
}

void relay_generation_touch(struct generation *generation) {
    generation->checkpoint_fresh = false;
    relay_buffer_free(&generation->checkpoint);
}
