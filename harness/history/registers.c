#include "harness/history/registers.h"

/* ---- paths --------------------------------------------------------------------------------------- */

bool registers_path(struct arena *arena, const struct json_value *path, struct text *out) {
    struct buffer text = {0};
    bool good = path != NULL && path->type == JSON_ARRAY;
    for (const struct json_value *segment = good ? path->first : NULL; good && segment != NULL; segment = segment->next) {
        good = segment->type == JSON_STRING || segment->type == JSON_NUMBER;
        if (segment != path->first) {
            buffer_string(&text, REGISTERS_JOINT);
        }
        buffer_text(&text, segment->type == JSON_NUMBER ? json_number(arena, segment->number)->text : segment->text);
    }
    *out = (struct text){arena_copy(arena, text.length == 0 ? "" : text.bytes, text.length), text.length};
    buffer_free(&text);
    return good;
}

static size_t bucket_of(struct text path) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < path.length; i++) {
        hash = (hash ^ (unsigned char)path.bytes[i]) * UINT64_C(1099511628211);
    }
    return (size_t)(hash % REGISTERS_BUCKETS);
}

struct cell *registers_find(const struct registers *registers, struct text path) {
    struct cell *cell = registers->buckets[bucket_of(path)];
    while (cell != NULL && !text_equal(cell->path, path)) {
        cell = cell->next;
    }
    return cell;
}

static struct cell *cell_at(struct registers *registers, struct text path) {
    struct cell *cell = registers_find(registers, path);
    if (cell == NULL) {
        struct cell **bucket = &registers->buckets[bucket_of(path)];
        cell = arena_alloc(registers->arena, sizeof *cell);
        *cell = (struct cell){.path = path, .next = *bucket};
        *bucket = cell;
    }
    return cell;
}

/* ---- stamps -------------------------------------------------------------------------------------- */

bool registers_stamp(const struct json_value *origin, const struct json_value *hlc, struct stamp *out) {
    const struct json_value *p = json_get(hlc, "p"), *l = json_get(hlc, "l");
    if (origin == NULL || origin->type != JSON_STRING || p == NULL || p->type != JSON_NUMBER || l == NULL || l->type != JSON_NUMBER) {
        return false;
    }
    *out = (struct stamp){.origin = origin->text, .p = p->number, .l = l->number};
    return true;
}

/* Stamps compare by p, then l. */
static bool is_later(double p, double l, double than_p, double than_l) {
    return p > than_p || (p == than_p && l > than_l);
}

struct stamp *registers_stamp_of(struct stamp *list, struct text origin) {
    while (list != NULL && !text_equal(list->origin, origin)) {
        list = list->next;
    }
    return list;
}

static bool covers(const struct stamp *stamp, double p, double l) {
    return stamp != NULL && !is_later(p, l, stamp->p, stamp->l);
}

/* register.water: the highest that was cited. */
static void raise(struct registers *registers, struct cell *cell, const struct stamp *cited) {
    struct stamp *kept = registers_stamp_of(cell->water, cited->origin);
    if (kept == NULL) {
        kept = arena_alloc(registers->arena, sizeof *kept);
        *kept = *cited;
        kept->next = cell->water;
        cell->water = kept;
    } else if (is_later(cited->p, cited->l, kept->p, kept->l)) {
        kept->p = cited->p;
        kept->l = cited->l;
    }
}

/* ---- applying ------------------------------------------------------------------------------------ */

/* register.sibling: what a snapshot shows of an op. */
static struct json_value *shown_of(struct arena *arena, const struct json_value *envelope, const struct json_value *op) {
    static const char *const of_envelope[] = {"writer", "origin", "hlc"};
    const struct json_value *next = json_get(op, "next"), *prev = json_get(op, "prev");
    bool set = json_is_string(json_get(op, "kind"), "set"), clear = json_is_string(json_get(op, "kind"), "clear");
    struct json_value *shown = json_object(arena);
    json_set(shown, TEXT("kind"), json_copy(arena, json_get(op, "kind")));
    for (size_t i = 0; i < sizeof of_envelope / sizeof *of_envelope; i++) {
        const struct json_value *member = json_get(envelope, of_envelope[i]);
        json_set(shown, text_of(of_envelope[i]), member == NULL ? json_null(arena) : json_copy(arena, member));
    }
    json_set(shown, TEXT("epoch"), json_copy(arena, json_get(op, "epoch")));
    if (set && next != NULL) {
        json_set(shown, TEXT("value"), json_copy(arena, next));
    }
    if (!clear && prev != NULL) {
        json_set(shown, TEXT("prev"), json_copy(arena, prev));
    }
    return shown;
}

/* An origin has one sibling at a path: the newest. */
static void put_sibling(struct registers *registers, struct cell *cell, const struct stamp *own, const struct json_value *shown) {
    struct sibling *sibling = cell->siblings;
    while (sibling != NULL && !text_equal(sibling->origin, own->origin)) {
        sibling = sibling->next;
    }
    if (sibling == NULL) {
        sibling = arena_alloc(registers->arena, sizeof *sibling);
        *sibling = (struct sibling){own->origin, own->p, own->l, shown, cell->siblings};
        cell->siblings = sibling;
    } else if (is_later(own->p, own->l, sibling->p, sibling->l)) {
        *sibling = (struct sibling){own->origin, own->p, own->l, shown, sibling->next};
    }
}

static bool apply_op(struct registers *registers, const struct json_value *envelope, const struct stamp *own, const struct json_value *op) {
    const struct json_value *kind = json_get(op, "kind"), *cites = json_get(op, "cites"), *epoch = json_get(op, "epoch");
    struct text path;
    if (kind == NULL || kind->type != JSON_STRING || cites == NULL || cites->type != JSON_ARRAY || epoch == NULL ||
        epoch->type != JSON_NUMBER || !registers_path(registers->arena, json_get(op, "path"), &path)) {
        return false;
    }
    struct cell *cell = cell_at(registers, path);
    cell->baseline = epoch->number > cell->baseline ? epoch->number : cell->baseline;
    for (const struct json_value *cite = cites->first; cite != NULL; cite = cite->next) {
        struct stamp cited;
        if (!registers_stamp(json_get(cite, "origin"), json_get(cite, "hlc"), &cited)) {
            return false;
        }
        bool is_own = text_equal(cited.origin, own->origin) && cited.p == own->p && cited.l == own->l;
        if (!is_own) {
            raise(registers, cell, &cited);
        }
    }
    put_sibling(registers, cell, own, shown_of(registers->arena, envelope, op));
    return true;
}

void registers_apply(struct registers *registers, const struct json_value *envelope) {
    const struct json_value *ops = json_get(envelope, "ops");
    struct stamp own;
    bool good = registers_stamp(json_get(envelope, "origin"), json_get(envelope, "hlc"), &own) && ops != NULL && ops->type == JSON_ARRAY;
    for (const struct json_value *op = good ? ops->first : NULL; good && op != NULL; op = op->next) {
        good = apply_op(registers, envelope, &own, op);
    }
    registers->is_free = registers->is_free || !good;
}

/* ---- collecting ---------------------------------------------------------------------------------- */

/* The stamps of {origin: hlc}. */
static bool read_stamps(struct arena *arena, const struct json_value *map, struct stamp **out) {
    *out = NULL;
    if (map == NULL || map->type != JSON_OBJECT) {
        return false;
    }
    for (const struct json_value *hlc = map->first; hlc != NULL; hlc = hlc->next) {
        const struct json_value origin = {.type = JSON_STRING, .text = hlc->key};
        struct stamp *stamp = arena_alloc(arena, sizeof *stamp);
        if (!registers_stamp(&origin, hlc, stamp)) {
            return false;
        }
        stamp->next = *out;
        *out = stamp;
    }
    return true;
}

/* settle.when: what was cited and is settled goes, then what says so. */
static void collect_cell(struct cell *cell, struct stamp *settled) {
    for (struct sibling **at = &cell->siblings; *at != NULL;) {
        const struct sibling *sibling = *at;
        bool goes = covers(registers_stamp_of(cell->water, sibling->origin), sibling->p, sibling->l) &&
                    covers(registers_stamp_of(settled, sibling->origin), sibling->p, sibling->l);
        if (goes) {
            *at = sibling->next;
        } else {
            at = &(*at)->next;
        }
    }
    for (struct stamp **at = &cell->water; *at != NULL;) {
        if (covers(registers_stamp_of(settled, (*at)->origin), (*at)->p, (*at)->l)) {
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    }
}

void registers_collect(struct registers *registers, const struct json_value *settled) {
    struct stamp *stamps;
    if (!read_stamps(registers->arena, settled, &stamps)) {
        registers->is_free = true;
        return;
    }
    for (size_t i = 0; i < REGISTERS_BUCKETS; i++) {
        for (struct cell *cell = registers->buckets[i]; cell != NULL; cell = cell->next) {
            collect_cell(cell, stamps);
        }
    }
}

/* ---- snapshots ----------------------------------------------------------------------------------- */

static bool load_sibling(struct registers *registers, struct cell *cell, const struct json_value *shown) {
    struct stamp own;
    if (!registers_stamp(json_get(shown, "origin"), json_get(shown, "hlc"), &own)) {
        return false;
    }
    put_sibling(registers, cell, &own, shown);
    return true;
}

static void raise_baseline(struct cell *cell, const struct json_value *epoch) {
    if (epoch != NULL && epoch->type == JSON_NUMBER && epoch->number > cell->baseline) {
        cell->baseline = epoch->number;
    }
}

/* A path may be given more than once: of each origin the latest counts, and the highest epoch. */
static bool load_cell(struct registers *registers, const struct json_value *entry) {
    const struct json_value *siblings = json_get(entry, "siblings");
    struct text path;
    struct stamp *water;
    if (siblings == NULL || siblings->type != JSON_ARRAY || !registers_path(registers->arena, json_get(entry, "path"), &path)) {
        return false;
    }
    struct cell *cell = cell_at(registers, path);
    raise_baseline(cell, json_get(entry, "epoch"));
    bool good = read_stamps(registers->arena, json_get(entry, "water"), &water);
    for (const struct stamp *stamp = water; good && stamp != NULL; stamp = stamp->next) {
        raise(registers, cell, stamp);
    }
    for (const struct json_value *shown = siblings->first; good && shown != NULL; shown = shown->next) {
        raise_baseline(cell, json_get(shown, "epoch")); /* a baseline is at least the epoch of each sibling */
        good = load_sibling(registers, cell, shown);
    }
    return good;
}

void registers_load(struct registers *registers, const struct json_value *list) {
    *registers = (struct registers){.arena = registers->arena};
    bool good = list == NULL || list->type == JSON_ARRAY;
    for (const struct json_value *entry = good && list != NULL ? list->first : NULL; good && entry != NULL; entry = entry->next) {
        good = load_cell(registers, entry);
    }
    registers->is_free = !good;
}
