/* What stands behind the cells: the rules with their scenarios, and what those came to. */
#include <string.h>

#include "harness/matrix/html.h"
#include "harness/matrix/html_parts.h"
#include "harness/report/html_text.h"

static void line(struct buffer *out, struct text text) {
    html_line(out, text, MATRIX_TEXT_CEILING);
}

static void string(struct buffer *out, const char *text) {
    line(out, text_of(text));
}

/* ---- a scenario and what it came to ---- */

static bool is_skip_like(const struct case_result *result, const struct case_result *other) {
    return result != NULL && result->verdict == VERDICT_SKIP && (other == NULL || text_equal(result->reason, other->reason));
}

static bool skip_came_before(const struct matrix_table *table, size_t column, size_t scenario) {
    for (size_t i = 0; i < column; i++) {
        if (is_skip_like(table->columns[i].cases[scenario], table->columns[column].cases[scenario])) {
            return true;
        }
    }
    return false;
}

/* One line for each reason, with all columns in which it was skipped for it. */
static void skips(struct buffer *out, const struct matrix_table *table, size_t scenario) {
    for (size_t i = 0; i < table->column_count; i++) {
        const struct case_result *result = table->columns[i].cases[scenario];
        if (!is_skip_like(result, NULL) || skip_came_before(table, i, scenario)) {
            continue;
        }
        buffer_string(out, "<li>");
        matrix_html_badge(out, MATRIX_SKIP);
        buffer_string(out, " ");
        line(out, result->reason);
        buffer_string(out, " <span class=\"where\">(");
        for (size_t k = i, told = 0; k < table->column_count; k++) {
            if (is_skip_like(table->columns[k].cases[scenario], result)) {
                buffer_string(out, told++ == 0 ? "" : "; ");
                matrix_html_column_name(out, &table->columns[k]);
            }
        }
        buffer_string(out, ")</span></li>");
    }
}

static void bad_case(struct buffer *out, const struct matrix_column *column, const struct case_result *result, bool strict) {
    buffer_string(out, "<li>");
    matrix_html_badge(out, matrix_state_of(report_outcome(result, strict)));
    buffer_string(out, " <a href=\"#");
    matrix_case_id(out, column->run_index, (size_t)(result - column->run->results.cases));
    buffer_string(out, "\">");
    matrix_html_column_name(out, column);
    buffer_string(out, "</a>: ");
    struct buffer reason = {0};
    report_reason(&reason, result);
    line(out, (struct text){reason.bytes, reason.length});
    buffer_free(&reason);
    buffer_string(out, "</li>");
}

static void scenario_item(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table, size_t index) {
    const struct scenario *scenario = view->matrix->scenarios[index];
    size_t passed = 0, played = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct case_result *result = table->columns[i].cases[index];
        played += result != NULL;
        passed += result != NULL && result->verdict == VERDICT_PASS;
    }
    if (played == 0) {
        return;
    }
    buffer_string(out, "<li><code>");
    string(out, scenario->file);
    buffer_string(out, "</code> ");
    line(out, scenario->title);
    buffer_format(out, " <span class=\"where\">passed in %zu of %zu columns</span><ul>", passed, played);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct case_result *result = table->columns[i].cases[index];
        if (result != NULL && matrix_has_evidence(report_outcome(result, view->matrix->strict))) {
            bad_case(out, &table->columns[i], result, view->matrix->strict);
        }
    }
    skips(out, table, index);
    buffer_string(out, "</ul></li>\n");
}

/* ---- a rule ---- */

/* The breaches of a rule that every transcript is held against. */
static void breaches(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table, const struct clause *clause) {
    buffer_string(out, "<p>Held against the transcript of every case.</p><ul>");
    for (size_t i = 0; i < table->column_count; i++) {
        for (size_t s = 0; s < view->matrix->scenario_count; s++) {
            const struct case_result *result = table->columns[i].cases[s];
            if (result != NULL && result->failure.rule != NULL && strcmp(result->failure.rule, clause->id) == 0) {
                bad_case(out, &table->columns[i], result, view->matrix->strict);
            }
        }
    }
    buffer_string(out, "</ul>");
}

static void rule(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table, const struct matrix_row *row) {
    const struct clause *clause = row->clause;
    buffer_string(out, "<article class=\"evidence\" id=\"rule-");
    string(out, clause->id);
    buffer_string(out, "\" tabindex=\"-1\">");
    matrix_html_back(out, clause->id);
    buffer_format(out, "<h3><span class=\"level\">%s</span> ", clause_level_name(clause->level));
    string(out, clause->id);
    buffer_string(out, "</h3><p class=\"requirement\">");
    line(out, text_of(clause->text));
    buffer_string(out, "</p>\n");
    if (matrix_is_history(clause)) {
        breaches(out, view, table, clause);
    }
    buffer_string(out, "<ul class=\"scenarios\">\n");
    for (size_t i = 0; i < view->matrix->scenario_count; i++) {
        if (matrix_judges(view->matrix->scenarios[i], clause)) {
            scenario_item(out, view, table, i);
        }
    }
    buffer_string(out, "</ul></article>\n");
}

void matrix_html_rules(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table) {
    for (size_t i = 0; i < table->row_count; i++) {
        rule(out, view, table, &table->rows[i]);
    }
}
