/* Taking the ops of one envelope into the registers: first all that can fail, then the change. */
#include <stdlib.h>

#include "relay-ref/core/characters.h"
#include "relay-ref/core/register.h"
#include "relay-ref/json/string.h"

static void add_member(struct relay_buffer *text, const char *name, const struct json_value *value) {
    relay_buffer_add_words(text, name);
    relay_buffer_add(text, value->bytes, value->length);
}

static const char *kind_name(enum op_kind kind) {
    return kind == OP_SET ? "set" : kind == OP_DELETE ? "delete" : "clear";
}

/* register.sibling, register.tombstone: what the sibling shows stays the bytes that came in. */
static struct register_sibling *new_sibling(const struct message_envelope *envelope, const struct hlc *hlc,
                                            const struct message_op *op) {
    struct relay_buffer text;
    relay_buffer_start(&text, sizeof(struct register_sibling),
                       envelope->writer.length + envelope->origin.length + envelope->hlc.length + op->epoch.length +
                           op->next.length + op->prev.length + 80);
    relay_buffer_add_words(&text, "{\"kind\":\"");
    relay_buffer_add_words(&text, kind_name(op->kind));
    add_member(&text, "\",\"writer\":", &envelope->writer);
    add_member(&text, ",\"origin\":", &envelope->origin);
    add_member(&text, ",\"hlc\":", &envelope->hlc);
    add_member(&text, ",\"epoch\":", &op->epoch);
    if (op->kind == OP_SET && op->next.kind != JSON_ABSENT)
        add_member(&text, ",\"value\":", &op->next);
    if (op->kind != OP_CLEAR && op->prev.kind != JSON_ABSENT)
        add_member(&text, ",\"prev\":", &op->prev);
    relay_buffer_add_words(&text, "}");
    if (text.failed) {
        relay_buffer_free(&text);
        return NULL;
    }
    struct register_sibling *sibling = (struct register_sibling *)(void *)text.memory;
    sibling->hlc = *hlc;
    sibling->length = text.length;
    return sibling;
}

/* register.water: a cite of the envelope's own dot raises nothing. */
static bool reserve_cites(struct generation *generation, struct reading *reading, struct read_op *op,
                          const struct register_origin *origin) {
    for (size_t i = op->first_cite; i < op->first_cite + op->cite_count; i++) {
        struct read_cite *cite = &reading->cites[i];
        if (relay_string_equals(&cite->origin, origin->name, origin->item.key.length)) {
            if (relay_hlc_compare(&cite->hlc, &reading->hlc) == 0)
                continue;
            cite->cell = op->cell;
            cite->cell->reservations++;
            continue;
        }
        struct characters name;
        if (relay_characters_read(&name, &cite->origin))
            cite->cell = relay_register_reserve_cell(generation, op->path_register, name.text);
        relay_characters_end(&name);
        if (cite->cell == NULL)
            return false;
    }
    return true;
}

static bool prepare_op(struct generation *generation, struct reading *reading, struct read_op *op,
                       const struct message_envelope *envelope, struct register_origin *origin) {
    struct path_register *path_register = relay_register_reserve(generation, relay_reading_key(reading, op));
    op->path_register = path_register;
    if (path_register == NULL)
        return false;
    if (path_register->spelling == NULL && (op->spelling = relay_register_spelling(op->op->path)) == NULL)
        return false;
    if (op->epoch > 0 && path_register->baseline_spelling == NULL &&
        (op->baseline = relay_register_spelling(op->op->path)) == NULL)
        return false;
    op->cell = relay_register_cell_of(generation, path_register, origin);
    if (op->cell == NULL || !reserve_cites(generation, reading, op, origin))
        return false;
    if (op->cell->sibling == NULL || relay_hlc_compare(&reading->hlc, &op->cell->sibling->hlc) > 0) {
        op->sibling = new_sibling(envelope, &reading->hlc, op->op);
        return op->sibling != NULL;
    }
    return true;
}

bool relay_register_prepare(struct generation *generation, struct reading *reading,
                            const struct message_envelope *envelope, struct register_origin *origin) {
    for (size_t i = 0; i < reading->op_count; i++) {
        if (!prepare_op(generation, reading, &reading->ops[i], envelope, origin)) {
            relay_register_cancel(generation, reading);
            return false;
        }
    }
    return true;
}

size_t relay_register_bytes(const struct generation *generation, const struct reading *reading) {
    size_t bytes = generation->bytes;
    for (size_t i = 0; i < reading->op_count; i++) {
        const struct read_op *op = &reading->ops[i];
        if (op->sibling == NULL)
            continue;
        bytes += op->sibling->length;
        bytes -= op->cell->sibling != NULL ? op->cell->sibling->length : 0;
    }
    return bytes;
}

/* Gives back the reservations; cells and registers that stayed empty go with them. */
static void release_op(struct generation *generation, struct reading *reading, struct read_op *op) {
    for (size_t i = op->first_cite; i < op->first_cite + op->cite_count; i++) {
        if (reading->cites[i].cell != NULL)
            relay_register_release_cell(generation, reading->cites[i].cell);
        reading->cites[i].cell = NULL;
    }
    if (op->cell != NULL)
        relay_register_release_cell(generation, op->cell);
    if (op->path_register != NULL)
        relay_register_release(generation, op->path_register);
    free(op->sibling);
    free(op->spelling);
    free(op->baseline);
    op->cell = NULL;
    op->path_register = NULL;
    op->sibling = NULL;
    op->spelling = op->baseline = NULL;
}

static void apply_op(struct generation *generation, const struct reading *reading, struct read_op *op) {
    struct path_register *path_register = op->path_register;
    if (path_register->spelling == NULL) {
        path_register->spelling = op->spelling;
        op->spelling = NULL;
    }
    relay_register_raise_baseline(path_register, op->epoch, &op->baseline);
    for (size_t i = op->first_cite; i < op->first_cite + op->cite_count; i++)
        if (reading->cites[i].cell != NULL)
            relay_register_raise_water(generation, reading->cites[i].cell, &reading->cites[i].hlc);
    if (op->sibling != NULL)
        relay_register_put_sibling(generation, op->cell, op->sibling);
    op->sibling = NULL;
}

void relay_register_apply(struct generation *generation, struct reading *reading) {
    for (size_t i = 0; i < reading->op_count; i++) {
        apply_op(generation, reading, &reading->ops[i]);
        release_op(generation, reading, &reading->ops[i]);
    }
    relay_generation_touch(generation);
}

void relay_register_cancel(struct generation *generation, struct reading *reading) {
    for (size_t i = 0; i < reading->op_count; i++)
        release_op(generation, reading, &reading->ops[i]);
}
