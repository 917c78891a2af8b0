#include "harness/matrix/collect.h"

#include <stdint.h>
#include <string.h>

/* ---- columns ---- */

static size_t find_scenario(const struct matrix *matrix, const char *name) {
    size_t low = 0, high = matrix->scenario_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(matrix->scenarios[middle]->name, name);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return SIZE_MAX;
}

static void add_column(struct matrix_view *view, struct matrix_table *table, size_t run_index, const char *profile) {
    const struct matrix *matrix = view->matrix;
    struct matrix_column *column = &table->columns[table->column_count++];
    *column = (struct matrix_column){&matrix->runs[run_index], run_index, profile,
                                     arena_alloc(view->arena, matrix->scenario_count * sizeof *column->cases), {0}};
    const struct suite_results *results = &column->run->results;
    for (size_t i = 0; i < results->count; i++) {
        size_t scenario = find_scenario(matrix, results->cases[i].scenario->name);
        if (scenario != SIZE_MAX && strcmp(results->cases[i].profile, profile) == 0) {
            column->cases[scenario] = &results->cases[i];
        }
    }
}

static void add_columns(struct matrix_view *view, struct matrix_table *table) {
    const struct matrix *matrix = view->matrix;
    size_t most = 0;
    for (size_t i = 0; i < matrix->run_count; i++) {
        most += matrix->runs[i].profile_count;
    }
    table->columns = arena_alloc(view->arena, most * sizeof *table->columns);
    for (size_t i = 0; i < matrix->run_count; i++) {
        const struct matrix_run *run = &matrix->runs[i];
        for (size_t p = 0; run->of_store == table->of_store && p < run->profile_count; p++) {
            add_column(view, table, i, run->profiles[p]);
        }
    }
}

/* ---- rows ---- */

static void add_row(struct matrix_view *view, struct matrix_table *table, const struct clause *clause) {
    struct matrix_row row = {clause, arena_alloc(view->arena, table->column_count * sizeof *row.cells)};
    size_t held = 0, cases = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        row.cells[i] = matrix_cell_of(view->matrix, &table->columns[i], clause);
        held += row.cells[i].state != MATRIX_NO_RULE;
        cases += matrix_cases(&row.cells[i]);
    }
    /* A rule that holds nowhere here is no row; nor is one that was not asked for. */
    if (held == 0 || (view->matrix->only != NULL && cases == 0)) {
        return;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        table->columns[i].states[row.cells[i].state]++;
    }
    table->rows[table->row_count++] = row;
}

static bool is_area(const struct clause *clause, const struct clause *of) {
    return strcmp(clause->area, of->area) == 0;
}

/* The first clause of an area that holds from the first version on; SIZE_MAX: none does. */
static size_t first_old(const struct matrix *matrix, const struct clause *of) {
    for (size_t i = 0; i < matrix->clause_count; i++) {
        if (is_area(matrix->clauses[i], of) && matrix->clauses[i]->since == NULL) {
            return i;
        }
    }
    return SIZE_MAX;
}

static size_t first_of_area(const struct matrix *matrix, const struct clause *of) {
    size_t i = 0;
    while (!is_area(matrix->clauses[i], of)) {
        i++;
    }
    return i;
}

static void add_area(struct matrix_view *view, struct matrix_table *table, const struct clause *of, bool old) {
    for (size_t i = 0; i < view->matrix->clause_count; i++) {
        const struct clause *clause = view->matrix->clauses[i];
        if (is_area(clause, of) && (clause->since == NULL) == old) {
            add_row(view, table, clause);
        }
    }
}

/*
 * All of an area stands together, whatever pages of the catalogue it is written on. What a later version brought stands below what was there from the
 * first: rules within their area, and areas below the others.
 */
static void add_areas(struct matrix_view *view, struct matrix_table *table, bool old) {
    const struct matrix *matrix = view->matrix;
    for (size_t i = 0; i < matrix->clause_count; i++) {
        size_t first = first_old(matrix, matrix->clauses[i]);
        if (old ? first == i : first == SIZE_MAX && first_of_area(matrix, matrix->clauses[i]) == i) {
            add_area(view, table, matrix->clauses[i], true);
            add_area(view, table, matrix->clauses[i], false);
        }
    }
}

static void add_table(struct matrix_view *view, bool of_store) {
    struct matrix_table *table = &view->tables[view->table_count];
    *table = (struct matrix_table){.title = of_store ? "Sync stores and provisioners" : "Relays",
                                   .id = of_store ? "stores" : "relays",
                                   .of_store = of_store};
    add_columns(view, table);
    if (table->column_count == 0) {
        return;
    }
    table->rows = arena_alloc(view->arena, view->matrix->clause_count * sizeof *table->rows);
    add_areas(view, table, true);
    add_areas(view, table, false);
    view->table_count++;
}

struct matrix_view matrix_collect(const struct matrix *matrix) {
    struct matrix_view view = {.matrix = matrix, .arena = arena_new()};
    add_table(&view, false);
    add_table(&view, true);
    return view;
}

void matrix_view_free(struct matrix_view *view) {
    arena_free(view->arena);
    *view = (struct matrix_view){0};
}

bool matrix_begins_area(const struct matrix_table *table, size_t row) {
    return row == 0 || strcmp(table->rows[row].clause->area, table->rows[row - 1].clause->area) != 0;
}
