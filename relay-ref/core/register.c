#include "relay-ref/core/register.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/settle.h"

/* ---- registers and cells ------------------------------------------------------------------------- */

struct path_register *relay_register_find(const struct generation *generation, struct relay_text key) {
    return CONTAINER_OF(relay_table_find(&generation->registers, key), struct path_register, item);
}

struct path_register *relay_register_reserve(struct generation *generation, struct relay_text key) {
    struct path_register *path_register = relay_register_find(generation, key);
    if (path_register == NULL) {
        path_register = calloc(1, sizeof *path_register + key.length + 1);
        if (path_register == NULL)
            return NULL;
        if (key.length > 0)
            memcpy(path_register->key, key.bytes, key.length);
        path_register->item.key = (struct relay_text){path_register->key, key.length};
        if (!relay_table_put(&generation->registers, &path_register->item)) {
            free(path_register);
            return NULL;
        }
        generation->bytes += sizeof *path_register + key.length * 2;
    }
    path_register->reservations++;
    return path_register;
}

/* register.baseline: a register of which only the baseline is left stays, with nothing else in it. */
static void forget_if_empty(struct generation *generation, struct path_register *path_register) {
    if (path_register->reservations > 0 || path_register->cells.first != NULL)
        return;
    free(path_register->spelling);
    path_register->spelling = NULL;
    if (path_register->baseline > 0)
        return;
    relay_table_take(&generation->registers, &path_register->item);
    generation->bytes -= sizeof *path_register + path_register->item.key.length * 2;
    free(path_register);
}

void relay_register_release(struct generation *generation, struct path_register *path_register) {
    path_register->reservations--;
    forget_if_empty(generation, path_register);
}

struct register_cell *relay_register_cell(const struct generation *generation, struct path_register *path_register,
                                          struct register_origin *origin) {
    struct register_cell wanted;
    memset(&wanted.of, 0, sizeof wanted.of);
    wanted.of.path_register = path_register;
    wanted.of.origin = origin;
    struct relay_text key = {(const char *)&wanted.of, sizeof wanted.of};
    return CONTAINER_OF(relay_table_find(&generation->cells, key), struct register_cell, item);
}

static struct register_cell *new_cell(struct generation *generation, struct path_register *path_register,
                                      struct register_origin *origin) {
    struct register_cell *cell = calloc(1, sizeof *cell);
    if (cell == NULL)
        return NULL;
    cell->of.path_register = path_register;
    cell->of.origin = origin;
    cell->item.key = (struct relay_text){(const char *)&cell->of, sizeof cell->of};
    if (!relay_table_put(&generation->cells, &cell->item)) {
        free(cell);
        return NULL;
    }
    relay_list_append(&path_register->cells, &cell->in_register);
    generation->bytes += sizeof *cell;
    return cell;
}

struct register_cell *relay_register_cell_of(struct generation *generation, struct path_register *path_register,
                                             struct register_origin *origin) {
    struct register_cell *cell = relay_register_cell(generation, path_register, origin);
    if (cell == NULL) {
        cell = new_cell(generation, path_register, origin);
        if (cell == NULL)
            return NULL;
        origin->uses++;
    }
    cell->reservations++;
    return cell;
}

struct register_cell *relay_register_reserve_cell(struct generation *generation, struct path_register *path_register,
                                                  struct relay_text name) {
    struct register_origin *origin = relay_generation_use_origin(generation, name);
    if (origin == NULL)
        return NULL;
    struct register_cell *cell = relay_register_cell_of(generation, path_register, origin);
    relay_generation_release_origin(generation, origin); /* the cell has a use of its own */
    return cell;
}

void relay_register_release_cell(struct generation *generation, struct register_cell *cell) {
    struct path_register *path_register = cell->of.path_register;
    if (--cell->reservations > 0 || cell->sibling != NULL || cell->has_water)
        return;
    relay_list_remove(&path_register->cells, &cell->in_register);
    relay_table_take(&generation->cells, &cell->item);
    generation->bytes -= sizeof *cell;
    relay_generation_release_origin(generation, cell->of.origin);
    free(cell);
    forget_if_empty(generation, path_register);
}

/* ---- what ops do --------------------------------------------------------------------------------- */

/* register.water */
void relay_register_raise_water(struct generation *generation, struct register_cell *cell, const struct hlc *hlc) {
    if (cell->has_water && relay_hlc_compare(hlc, &cell->water) <= 0)
        return;
    relay_settle_leave(cell);
    cell->has_water = true;
    cell->water = *hlc;
    relay_settle_enter(generation, cell);
}

/* register.sibling */
void relay_register_put_sibling(struct generation *generation, struct register_cell *cell,
                                struct register_sibling *sibling) {
    if (cell->sibling != NULL && relay_hlc_compare(&sibling->hlc, &cell->sibling->hlc) <= 0) {
        free(sibling);
        return;
    }
    relay_settle_leave(cell);
    relay_register_drop_sibling(generation, cell);
    generation->bytes += sibling->length;
    cell->sibling = sibling;
    relay_settle_enter(generation, cell);
}

void relay_register_drop_sibling(struct generation *generation, struct register_cell *cell) {
    if (cell->sibling == NULL)
        return;
    generation->bytes -= cell->sibling->length;
    free(cell->sibling);
    cell->sibling = NULL;
}

/* register.baseline */
void relay_register_raise_baseline(struct path_register *path_register, double epoch, char **spelling) {
    if (epoch <= path_register->baseline)
        return;
    if (path_register->baseline_spelling == NULL) {
        path_register->baseline_spelling = *spelling;
        *spelling = NULL;
    }
    path_register->baseline = epoch;
}

char *relay_register_spelling(struct json_value path) {
    char *spelling = malloc(path.length + 1);
    if (spelling == NULL)
        return NULL;
    memcpy(spelling, path.bytes, path.length);
    spelling[path.length] = '\0';
    return spelling;
}
