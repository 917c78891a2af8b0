#include "harness/matrix/collect.h"

#include <string.h>

static const struct matrix_state_look looks[MATRIX_STATE_COUNT] = {
    {"fail", "✗", "fail", "❌", "a MUST (with --strict also a SHOULD) is broken"},
    {"error", "‼", "error", "💥", "the target died or hung, so a case could not be judged"},
    {"xpass", "⇄", "list", "🔁", "it passes, though it is listed as known to fail"},
    {"warning", "!", "warn", "⚠️", "a SHOULD is not kept"},
    {"remark", "i", "remark", "ℹ️", "a MAY is done otherwise"},
    {"xfail", "≈", "known", "🟠", "it is listed as known to fail, and does"},
    {"partly", "◐", "part", "◐", "all that was played passed, but some was skipped"},
    {"pass", "✓", "pass", "✅", "every case passed"},
    {"skip", "»", "skip", "⏭️", "skipped: the target lacks what the cases need"},
    {"not-run", "○", "not run", "⚪", "no case was played"},
    {"not-available", "∅", "n/a", "🚫", "not available: the target is not there"},
    {"no-rule", "–", "", "–", "the rule does not hold in this profile"},
};

const struct matrix_state_look *matrix_look(enum matrix_state state) {
    return &looks[state];
}

bool matrix_has_evidence(enum outcome outcome) {
    return outcome != OUTCOME_PASS && outcome != OUTCOME_SKIP;
}

bool matrix_is_history(const struct clause *clause) {
    return strcmp(clause->area, "history") == 0;
}

bool matrix_judges(const struct scenario *scenario, const struct clause *clause) {
    for (size_t i = 0; i < scenario->clause_count; i++) {
        if (scenario->clauses[i] == clause) {
            return true;
        }
    }
    return false;
}

size_t matrix_cases(const struct matrix_cell *cell) {
    size_t all = 0;
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        all += cell->counts[i];
    }
    return all;
}

/* ---- one cell ---- */

/* What the counts mean; SIZE_MAX of nothing. */
static enum matrix_state judged_state(const struct matrix_cell *cell) {
    static const enum matrix_state states[] = {[OUTCOME_FAIL] = MATRIX_FAIL,       [OUTCOME_ERROR] = MATRIX_ERROR,
                                               [OUTCOME_XPASS] = MATRIX_XPASS,     [OUTCOME_WARNING] = MATRIX_WARNING,
                                               [OUTCOME_REMARK] = MATRIX_REMARK,   [OUTCOME_XFAIL] = MATRIX_XFAIL};
    for (size_t i = 0; i <= OUTCOME_XFAIL; i++) {
        if (cell->counts[i] > 0) {
            return states[i];
        }
    }
    if (cell->counts[OUTCOME_PASS] == 0) {
        return MATRIX_SKIP;
    }
    return cell->counts[OUTCOME_SKIP] > 0 || cell->missing > 0 ? MATRIX_PARTLY : MATRIX_PASS;
}

static void take(struct matrix_cell *cell, enum outcome outcome, enum outcome *worst, size_t index) {
    cell->counts[outcome]++;
    if (!matrix_has_evidence(outcome)) {
        return;
    }
    if (cell->bad == 0 || outcome < *worst) {
        cell->worst = index;
        *worst = outcome;
    }
    cell->bad++;
}

/* Whether a case says something about a clause: it is listed for it, or broke that rule of the history; and every case that passed has kept all those. */
static bool concerns(const struct case_result *result, const struct clause *clause) {
    bool broke = result->failure.rule != NULL && strcmp(result->failure.rule, clause->id) == 0;
    return broke || matrix_judges(result->scenario, clause) || (matrix_is_history(clause) && result->verdict == VERDICT_PASS);
}

static struct matrix_cell cell_of(const struct matrix *matrix, const struct matrix_column *column, const struct clause *clause) {
    struct matrix_cell cell = {.state = MATRIX_NO_RULE};
    const struct suite_results *results = &column->run->results;
    enum outcome worst = OUTCOME_COUNT;
    if (!clause_holds(clause, column->profile)) {
        return cell;
    }
    for (size_t i = 0; i < results->count; i++) {
        const struct case_result *result = &results->cases[i];
        if (strcmp(result->profile, column->profile) == 0 && concerns(result, clause)) {
            take(&cell, report_outcome(result, matrix->strict), &worst, i);
        }
    }
    cell.state = matrix_cases(&cell) > 0             ? judged_state(&cell)
                 : column->run->unavailable != NULL ? MATRIX_NOT_AVAILABLE
                                                    : MATRIX_NOT_RUN;
    return cell;
}

struct matrix_cell matrix_merge(const struct matrix_table *table, const struct matrix_row *row, size_t run_index) {
    struct matrix_cell merged = {.state = MATRIX_NO_RULE};
    for (size_t i = 0; i < table->column_count; i++) {
        const struct matrix_cell *cell = &row->cells[i];
        if (table->columns[i].run_index != run_index || cell->state == MATRIX_NO_RULE) {
            continue;
        }
        for (size_t k = 0; k < OUTCOME_COUNT; k++) {
            merged.counts[k] += cell->counts[k];
        }
        merged.missing += matrix_cases(cell) == 0;
        merged.bad += cell->bad;
        merged.state = cell->state < merged.state ? cell->state : merged.state;
    }
    if (matrix_cases(&merged) > 0) {
        merged.state = judged_state(&merged);
    }
    return merged;
}

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
        row.cells[i] = cell_of(view->matrix, &table->columns[i], clause);
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

static void add_table(struct matrix_view *view, bool of_store) {
    const struct matrix *matrix = view->matrix;
    struct matrix_table *table = &view->tables[view->table_count];
    *table = (struct matrix_table){.title = of_store ? "Sync stores and provisioners" : "Relays",
                                   .id = of_store ? "stores" : "relays",
                                   .of_store = of_store};
    add_columns(view, table);
    if (table->column_count == 0) {
        return;
    }
    table->rows = arena_alloc(view->arena, matrix->clause_count * sizeof *table->rows);
    for (size_t i = 0; i < matrix->clause_count; i++) {
        add_row(view, table, matrix->clauses[i]);
    }
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
