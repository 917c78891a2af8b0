/* What stands behind the cells: the rules with their scenarios, and the cases that have something to show. */
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

static void column_name(struct buffer *out, const struct matrix_column *column) {
    struct buffer name = {0};
    matrix_column_name(&name, column);
    line(out, (struct text){name.bytes, name.length});
    buffer_free(&name);
}

void matrix_html_badge(struct buffer *out, enum matrix_state state) {
    const struct matrix_state_look *look = matrix_look(state);
    buffer_format(out, "<span class=\"mark %s\"><i aria-hidden=\"true\">%s</i> %s</span>", look->name, look->mark, look->word);
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
                column_name(out, &table->columns[k]);
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
    column_name(out, column);
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

static void back(struct buffer *out, const char *clause) {
    buffer_string(out, "<a class=\"back\" href=\"#row-");
    string(out, clause);
    buffer_string(out, "\" aria-label=\"Back to the table\">✕</a>");
}

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
    back(out, clause->id);
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

/* ---- a case ---- */

static void case_clauses(struct buffer *out, const struct scenario *scenario) {
    buffer_string(out, "<p class=\"requirement\">");
    for (size_t i = 0; i < scenario->clause_count; i++) {
        const struct clause *clause = scenario->clauses[i];
        buffer_format(out, "<span class=\"level\">%s</span> <a href=\"#rule-", clause_level_name(clause->level));
        string(out, clause->id);
        buffer_string(out, "\" title=\"");
        string(out, clause->text);
        buffer_string(out, "\">");
        string(out, clause->id);
        buffer_string(out, "</a> ");
    }
    buffer_string(out, "</p>\n");
}

static void differences(struct buffer *out, const struct difference *first) {
    if (first == NULL) {
        return;
    }
    buffer_string(out, "<div class=\"scroll\"><table class=\"differences\"><thead><tr><th scope=\"col\">path</th><th scope=\"col\">wanted</th>"
                       "<th scope=\"col\">came</th></tr></thead><tbody>");
    for (const struct difference *one = first; one != NULL; one = one->next) {
        buffer_string(out, "<tr><td><code>");
        line(out, one->path.length > 0 ? one->path : TEXT("(the whole)"));
        buffer_string(out, "</code></td><td class=\"is-wanted\"><code>");
        line(out, one->wanted);
        buffer_string(out, "</code></td><td class=\"is-came\"><code>");
        line(out, one->came);
        buffer_string(out, "</code></td></tr>");
    }
    buffer_string(out, "</tbody></table></div>\n");
}

static void case_body(struct buffer *out, const struct matrix_run *run, const struct case_result *result, bool full) {
    struct buffer reason = {0};
    report_reason(&reason, result);
    buffer_string(out, "<p class=\"message\">");
    line(out, (struct text){reason.bytes, reason.length});
    buffer_string(out, "</p>\n");
    buffer_free(&reason);
    bool failed = result->verdict == VERDICT_FAIL || result->verdict == VERDICT_XFAIL;
    if (full) {
        buffer_string(out, "<p class=\"where\">There is more of this than fits here; <code>meshspec run</code> shows it.</p>");
        return;
    }
    differences(out, failed ? result->failure.differences : NULL);
    struct buffer block = {0};
    report_block(&block, result, &run->head, MATRIX_BLOCK_CEILING);
    buffer_string(out, "<pre>");
    html_lines(out, (struct text){block.bytes, block.length});
    buffer_string(out, "</pre>");
    buffer_free(&block);
}

static void one_case(struct buffer *out, const struct matrix_view *view, size_t run_index, size_t index, bool full) {
    const struct matrix_run *run = &view->matrix->runs[run_index];
    const struct case_result *result = &run->results.cases[index];
    struct matrix_column column = {.run = run, .run_index = run_index, .profile = result->profile};
    const struct scenario *scenario = result->scenario;
    buffer_string(out, "<article class=\"evidence\" id=\"");
    matrix_case_id(out, run_index, index);
    buffer_string(out, "\" tabindex=\"-1\">");
    back(out, report_clause(result));
    buffer_string(out, "<h3>");
    matrix_html_badge(out, matrix_state_of(report_outcome(result, view->matrix->strict)));
    buffer_string(out, " ");
    string(out, scenario->name);
    buffer_string(out, " <small>");
    column_name(out, &column);
    buffer_string(out, "</small></h3><p>");
    line(out, scenario->title);
    buffer_string(out, "</p>\n");
    case_clauses(out, scenario);
    case_body(out, run, result, full);
    buffer_string(out, "</article>\n");
}

void matrix_html_cases(struct buffer *out, const struct matrix_view *view) {
    const struct matrix *matrix = view->matrix;
    size_t began = out->length;
    for (size_t r = 0; r < matrix->run_count; r++) {
        for (size_t i = 0; i < matrix->runs[r].results.count; i++) {
            if (matrix_has_evidence(report_outcome(&matrix->runs[r].results.cases[i], matrix->strict))) {
                one_case(out, view, r, i, out->length - began > MATRIX_EVIDENCE_CEILING);
            }
        }
    }
    if (out->length == began) {
        buffer_string(out, "<p>Nothing went wrong.</p>\n");
    }
}
