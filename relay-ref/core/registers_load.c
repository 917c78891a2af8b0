#include "relay-ref/core/registers_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/characters.h"
#include "relay-ref/core/evidence.h"
#include "relay-ref/core/register.h"
#include "relay-ref/core/settle.h"
#include "relay-ref/core/walk.h"
#include "relay-ref/json/number.h"

/* ---- registers ----------------------------------------------------------------------------------- */

struct loading {
    struct generation *generation;
    struct path_register *path_register;
    struct json_value path;
};

static outcome raise_baseline(struct loading *loading, double epoch) {
    char *spelling = NULL;
    if (epoch > 0 && loading->path_register->baseline_spelling == NULL &&
        (spelling = relay_register_spelling(loading->path)) == NULL)
        return RELAY_HYDRATE_REFUSED;
    relay_register_raise_baseline(loading->path_register, epoch, &spelling);
    free(spelling);
    return RELAY_HYDRATED;
}

/* An epoch that is not given counts as 0. */
static bool read_epoch(struct json_value value, double *epoch) {
    *epoch = 0;
    return value.kind == JSON_ABSENT || (relay_number_read(&value, epoch) && isfinite(*epoch));
}

static outcome put_sibling(struct loading *loading, struct json_value sibling, struct relay_text origin,
                           const struct hlc *hlc) {
    struct register_sibling *copy = malloc(sizeof *copy + sibling.length);
    if (copy == NULL)
        return RELAY_HYDRATE_REFUSED;
    struct register_cell *cell = relay_register_reserve_cell(loading->generation, loading->path_register, origin);
    if (cell == NULL) {
        free(copy);
        return RELAY_HYDRATE_REFUSED;
    }
    copy->hlc = *hlc;
    copy->length = sibling.length;
    memcpy(copy->text, sibling.bytes, sibling.length);
    relay_register_put_sibling(loading->generation, cell, copy);
    relay_register_release_cell(loading->generation, cell);
    return RELAY_HYDRATED;
}

static outcome load_sibling(void *context, struct json_value sibling) {
    struct loading *loading = context;
    struct json_value origin, hlc_value, epoch_value;
    const struct wanted wanted[] = {{"origin", &origin}, {"hlc", &hlc_value}, {"epoch", &epoch_value}};
    struct hlc hlc;
    double epoch;
    if (!relay_find_members(sibling, wanted, 3) || origin.kind != JSON_STRING || !relay_hlc_read(hlc_value, &hlc) ||
        !read_epoch(epoch_value, &epoch))
        return RELAY_HYDRATE_MALFORMED;
    struct characters characters;
    outcome result = raise_baseline(loading, epoch);
    bool read = relay_characters_read(&characters, &origin);
    if (result == RELAY_HYDRATED)
        result = read ? put_sibling(loading, sibling, characters.text, &hlc) : RELAY_HYDRATE_REFUSED;
    relay_characters_end(&characters);
    return result;
}

static outcome load_water(void *context, struct relay_text origin, struct json_value value) {
    struct loading *loading = context;
    struct hlc hlc;
    if (!relay_hlc_read(value, &hlc))
        return RELAY_HYDRATE_MALFORMED;
    struct register_cell *cell = relay_register_reserve_cell(loading->generation, loading->path_register, origin);
    if (cell == NULL)
        return RELAY_HYDRATE_REFUSED;
    relay_register_raise_water(loading->generation, cell, &hlc);
    relay_register_release_cell(loading->generation, cell);
    return RELAY_HYDRATED;
}

static outcome load_parts(struct loading *loading, struct json_value siblings, struct json_value water, double epoch) {
    if (loading->path_register->spelling == NULL &&
        (loading->path_register->spelling = relay_register_spelling(loading->path)) == NULL)
        return RELAY_HYDRATE_REFUSED;
    outcome result = raise_baseline(loading, epoch);
    if (result == RELAY_HYDRATED)
        result = relay_walk_array(siblings, load_sibling, loading);
    if (result == RELAY_HYDRATED)
        result = relay_walk_object(water, load_water, loading);
    return result;
}

static outcome load_register(void *context, struct json_value value) {
    struct loading loading = {.generation = context};
    struct json_value siblings, water, epoch_value;
    const struct wanted wanted[] = {
        {"path", &loading.path}, {"siblings", &siblings}, {"water", &water}, {"epoch", &epoch_value}};
    double epoch;
    if (!relay_find_members(value, wanted, 4) || loading.path.kind != JSON_ARRAY || !read_epoch(epoch_value, &epoch))
        return RELAY_HYDRATE_MALFORMED;
    struct relay_buffer key;
    relay_buffer_start(&key, 0, loading.path.length);
    outcome result = RELAY_HYDRATE_REFUSED;
    if (relay_path_join(loading.path, &key))
        loading.path_register = relay_register_reserve(loading.generation, (struct relay_text){key.memory, key.length});
    relay_buffer_free(&key);
    if (loading.path_register != NULL) {
        result = load_parts(&loading, siblings, water, epoch);
        relay_register_release(loading.generation, loading.path_register);
    }
    return result;
}

/* ---- evidence ------------------------------------------------------------------------------------ */

struct range_list {
    struct version_range *items; /* owned */
    size_t count, capacity;
};

static outcome load_range(void *context, struct json_value value) {
    struct range_list *list = context;
    struct json_scanner scanner;
    struct json_value ends[2] = {{.kind = JSON_ABSENT}, {.kind = JSON_ABSENT}}, end;
    struct version_range range;
    size_t count = 0;
    if (value.kind != JSON_ARRAY)
        return RELAY_HYDRATE_MALFORMED;
    relay_scan_start(&scanner, value.bytes, value.length);
    relay_scan_enter(&scanner);
    for (; relay_scan_element(&scanner) && relay_scan_value(&scanner, &end); count++)
        if (count < 2)
            ends[count] = end;
    relay_scan_end(&scanner);
    if (count != 2 || !relay_number_read(&ends[0], &range.from) || !relay_number_read(&ends[1], &range.to) ||
        !isfinite(range.to) || !(range.from <= range.to))
        return RELAY_HYDRATE_MALFORMED;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 4 : list->capacity * 2;
        struct version_range *items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL)
            return RELAY_HYDRATE_REFUSED;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = range;
    return RELAY_HYDRATED;
}

static outcome put_ranges(struct generation *generation, struct relay_text name, struct range_list *list) {
    struct register_origin *origin = relay_generation_use_origin(generation, name);
    if (origin == NULL) {
        free(list->items);
        return RELAY_HYDRATE_REFUSED;
    }
    relay_evidence_restore(generation, origin, list->items, list->count);
    relay_generation_release_origin(generation, origin);
    return RELAY_HYDRATED;
}

static outcome load_ranges(void *context, struct relay_text name, struct json_value value) {
    struct range_list list = {NULL, 0, 0};
    outcome result = relay_walk_array(value, load_range, &list);
    if (result == RELAY_HYDRATED && list.count > 0)
        return put_ranges(context, name, &list);
    free(list.items);
    return result;
}

/* hydrate.wm-only */
static outcome load_mark(void *context, struct relay_text name, struct json_value value) {
    double mark;
    if (!relay_number_read(&value, &mark) || !isfinite(mark))
        return RELAY_HYDRATE_MALFORMED;
    if (mark <= 0)
        return RELAY_HYDRATED;
    struct range_list list = {malloc(sizeof(struct version_range)), 1, 1};
    if (list.items == NULL)
        return RELAY_HYDRATE_REFUSED;
    *list.items = (struct version_range){1, mark};
    return put_ranges(context, name, &list);
}

static outcome load_settled(void *context, struct relay_text name, struct json_value value) {
    struct generation *generation = context;
    struct hlc hlc;
    if (!relay_hlc_read(value, &hlc))
        return RELAY_HYDRATE_MALFORMED;
    struct relay_text notice = relay_evidence_notice(name, value);
    struct register_origin *origin = relay_generation_use_origin(generation, name);
    if (notice.bytes == NULL || origin == NULL) {
        free((char *)notice.bytes);
        if (origin != NULL)
            relay_generation_release_origin(generation, origin);
        return RELAY_HYDRATE_REFUSED;
    }
    relay_evidence_settle(generation, origin, &hlc, notice);
    relay_settle_mark(generation, origin);
    relay_generation_release_origin(generation, origin);
    return RELAY_HYDRATED;
}

static outcome load(struct generation *generation, const struct snapshot *snapshot) {
    outcome result = relay_walk_array(snapshot->registers, load_register, generation);
    if (result == RELAY_HYDRATED)
        result = snapshot->ranges.kind != JSON_ABSENT ? relay_walk_object(snapshot->ranges, load_ranges, generation)
                                                      : relay_walk_object(snapshot->wm, load_mark, generation);
    if (result == RELAY_HYDRATED)
        result = relay_walk_object(snapshot->settled, load_settled, generation);
    return result;
}

enum relay_hydrated relay_restore_generation(struct room *room, const struct snapshot *snapshot) {
    struct generation *generation = relay_generation_new(room->generation->seed);
    if (generation == NULL)
        return RELAY_HYDRATE_REFUSED;
    outcome result = load(generation, snapshot);
    if (result != RELAY_HYDRATED) {
        relay_generation_free(generation);
        return result;
    }
    relay_generation_free(room->generation);
    room->generation = generation;
    return RELAY_HYDRATED;
}
