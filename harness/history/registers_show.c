/* Registers held against a snapshot. */
#include "harness/history/registers.h"

static bool is_empty(const struct cell *cell) {
    return cell->siblings == NULL && cell->water == NULL && cell->baseline == 0;
}

/* One sentence; false, to be returned at once. */
static bool say(struct buffer *out, const char *what, struct text path) {
    if (out != NULL) {
        buffer_format(out, "%s at [", what);
        for (size_t i = 0; i < path.length; i++) {
            bool joint = path.bytes[i] == REGISTERS_JOINT[0];
            buffer_append(out, joint ? ", " : &path.bytes[i], joint ? 2 : 1);
        }
        buffer_string(out, "]");
    }
    return false;
}

static size_t count_water(const struct cell *cell) {
    size_t count = 0;
    for (const struct stamp *stamp = cell->water; stamp != NULL; stamp = stamp->next) {
        count++;
    }
    return count;
}

static bool same_water(const struct cell *cell, const struct json_value *water) {
    if (water == NULL || water->type != JSON_OBJECT || water->count != count_water(cell)) {
        return false;
    }
    for (const struct json_value *hlc = water->first; hlc != NULL; hlc = hlc->next) {
        const struct json_value origin = {.type = JSON_STRING, .text = hlc->key};
        struct stamp shown;
        const struct stamp *kept = registers_stamp_of(cell->water, hlc->key);
        if (!registers_stamp(&origin, hlc, &shown) || kept == NULL || kept->p != shown.p || kept->l != shown.l) {
            return false;
        }
    }
    return true;
}

static const struct json_value *sibling_in(const struct json_value *siblings, struct text origin) {
    const struct json_value *shown = siblings->first;
    while (shown != NULL) {
        const struct json_value *own = json_get(shown, "origin");
        if (own != NULL && own->type == JSON_STRING && text_equal(own->text, origin)) {
            return shown;
        }
        shown = shown->next;
    }
    return NULL;
}

static bool same_siblings(const struct cell *cell, const struct json_value *siblings) {
    size_t count = 0;
    if (siblings == NULL || siblings->type != JSON_ARRAY) {
        return false;
    }
    for (const struct sibling *sibling = cell->siblings; sibling != NULL; sibling = sibling->next, count++) {
        const struct json_value *shown = sibling_in(siblings, sibling->origin);
        if (shown == NULL || !json_equal(sibling->shown, shown)) {
            return false;
        }
    }
    return count == siblings->count;
}

static bool same_cell(const struct cell *cell, const struct json_value *entry, struct buffer *out) {
    const struct json_value *epoch = json_get(entry, "epoch");
    double baseline = epoch != NULL && epoch->type == JSON_NUMBER ? epoch->number : 0;
    if (!same_siblings(cell, json_get(entry, "siblings"))) {
        return say(out, "other siblings", cell->path);
    }
    if (!same_water(cell, json_get(entry, "water"))) {
        return say(out, "another water", cell->path);
    }
    return baseline == cell->baseline || say(out, "another baseline", cell->path);
}

bool registers_show(struct registers *registers, const struct json_value *list, struct buffer *out) {
    if (list == NULL || list->type != JSON_ARRAY) {
        return say(out, "no registers", TEXT(""));
    }
    for (const struct json_value *entry = list->first; entry != NULL; entry = entry->next) {
        struct text path;
        if (!registers_path(registers->arena, json_get(entry, "path"), &path)) {
            return say(out, "a register without a path", TEXT(""));
        }
        struct cell *cell = registers_find(registers, path);
        if (cell == NULL || is_empty(cell)) {
            return say(out, "a register that should not be there", path);
        }
        if (cell->seen_in == list) {
            return say(out, "two registers", path);
        }
        cell->seen_in = list;
        if (!same_cell(cell, entry, out)) {
            return false;
        }
    }
    for (size_t i = 0; i < REGISTERS_BUCKETS; i++) {
        for (const struct cell *cell = registers->buckets[i]; cell != NULL; cell = cell->next) {
            if (!is_empty(cell) && cell->seen_in != list) {
                return say(out, "no register", cell->path);
            }
        }
    }
    return true;
}
