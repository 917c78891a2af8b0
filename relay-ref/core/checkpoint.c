#include "relay-ref/core/checkpoint.h"

#include "relay-ref/core/evidence.h"

static void add_siblings(const struct path_register *path_register, struct relay_buffer *out) {
    for (struct list_link *link = path_register->cells.first; link != NULL; link = link->next) {
        const struct register_cell *cell = CONTAINER_OF(link, struct register_cell, in_register);
        if (cell->sibling == NULL)
            continue;
        relay_buffer_add(out, cell->sibling->text, cell->sibling->length);
        relay_buffer_add(out, ",", 1);
    }
    relay_buffer_drop_last(out, ',');
}

static void add_water(const struct path_register *path_register, struct relay_buffer *out) {
    for (struct list_link *link = path_register->cells.first; link != NULL; link = link->next) {
        const struct register_cell *cell = CONTAINER_OF(link, struct register_cell, in_register);
        if (!cell->has_water)
            continue;
        relay_buffer_add_string(out, cell->of.origin->item.key);
        relay_buffer_add(out, ":", 1);
        relay_hlc_print(&cell->water, out);
        relay_buffer_add(out, ",", 1);
    }
    relay_buffer_drop_last(out, ',');
}

/* register.baseline: also where nothing else is left. */
static void add_register(const struct path_register *path_register, struct relay_buffer *out) {
    const char *spelling =
        path_register->cells.first != NULL ? path_register->spelling : path_register->baseline_spelling;
    relay_buffer_add_words(out, "{\"path\":");
    relay_buffer_add_words(out, spelling);
    relay_buffer_add_words(out, ",\"siblings\":[");
    add_siblings(path_register, out);
    relay_buffer_add_words(out, "],\"water\":{");
    add_water(path_register, out);
    relay_buffer_add_words(out, "}");
    if (path_register->baseline > 0) {
        relay_buffer_add_words(out, ",\"epoch\":");
        relay_buffer_add_number(out, path_register->baseline);
    }
    relay_buffer_add_words(out, "}");
}

static void add_registers(const struct generation *generation, struct relay_buffer *out) {
    struct table_item *item;
    size_t position = 0;
    relay_buffer_add_words(out, "[");
    while ((item = relay_table_next(&generation->registers, &position)) != NULL) {
        add_register(CONTAINER_OF(item, struct path_register, item), out);
        relay_buffer_add_words(out, ",");
    }
    relay_buffer_drop_last(out, ',');
    relay_buffer_add_words(out, "]");
}

/* An object with one member for every origin that has evidence, whose value `add` writes. */
static void add_evidence(const struct generation *generation, struct relay_buffer *out,
                         void (*add)(const struct register_origin *, struct relay_buffer *)) {
    struct table_item *item;
    size_t position = 0;
    relay_buffer_add_words(out, "{");
    while ((item = relay_table_next(&generation->origins, &position)) != NULL) {
        const struct register_origin *origin = CONTAINER_OF(item, struct register_origin, item);
        if (origin->range_count == 0)
            continue;
        relay_buffer_add_string(out, origin->item.key);
        relay_buffer_add_words(out, ":");
        add(origin, out);
        relay_buffer_add_words(out, ",");
    }
    relay_buffer_drop_last(out, ',');
    relay_buffer_add_words(out, "}");
}

static void add_highest(const struct register_origin *origin, struct relay_buffer *out) {
    relay_buffer_add_number(out, relay_evidence_highest(origin));
}

static void add_ranges(const struct register_origin *origin, struct relay_buffer *out) {
    relay_buffer_add_words(out, "[");
    for (size_t i = 0; i < origin->range_count; i++) {
        relay_buffer_add_words(out, i > 0 ? ",[" : "[");
        relay_buffer_add_number(out, origin->ranges[i].from);
        relay_buffer_add_words(out, ",");
        relay_buffer_add_number(out, origin->ranges[i].to);
        relay_buffer_add_words(out, "]");
    }
    relay_buffer_add_words(out, "]");
}

static bool build(struct generation *generation) {
    struct relay_buffer *out = &generation->checkpoint;
    relay_buffer_free(out);
    relay_buffer_start(out, 0, 256);
    add_registers(generation, out);
    generation->checkpoint_registers = out->length;
    add_evidence(generation, out, add_highest);
    relay_buffer_trim(out);
    generation->checkpoint_fresh = !out->failed;
    return generation->checkpoint_fresh;
}

bool relay_checkpoint(struct generation *generation, struct relay_text *registers, struct relay_text *wm) {
    if (!generation->checkpoint_fresh && !build(generation))
        return false;
    const struct relay_buffer *text = &generation->checkpoint;
    *registers = (struct relay_text){text->memory, generation->checkpoint_registers};
    *wm = (struct relay_text){text->memory + registers->length, text->length - registers->length};
    return true;
}

void relay_checkpoint_add_ranges(const struct generation *generation, struct relay_buffer *out) {
    add_evidence(generation, out, add_ranges);
}

void relay_checkpoint_add_settled(const struct generation *generation, struct relay_buffer *out) {
    relay_buffer_add_words(out, "{");
    for (struct list_link *link = generation->settled.first; link != NULL; link = link->next) {
        relay_buffer_add_text(out, CONTAINER_OF(link, struct register_origin, in_settled)->notice);
        relay_buffer_add_words(out, ",");
    }
    relay_buffer_drop_last(out, ',');
    relay_buffer_add_words(out, "}");
}
