/* What one cell says. */
#include <string.h>

#include "harness/matrix/collect.h"

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

/* What the counts mean, when there are any. */
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

struct matrix_cell matrix_cell_of(const struct matrix *matrix, const struct matrix_column *column, const struct clause *clause) {
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
