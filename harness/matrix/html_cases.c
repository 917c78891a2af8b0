/* The cases that have something to show: their differences and transcripts. */
#include "harness/matrix/html.h"
#include "harness/matrix/html_parts.h"
#include "harness/report/html_text.h"

static void line(struct buffer *out, struct text text) {
    html_line(out, text, MATRIX_TEXT_CEILING);
}

static void string(struct buffer *out, const char *text) {
    line(out, text_of(text));
}

static void case_clauses(struct buffer *out, const struct case_result *result) {
    const struct scenario *scenario = result->scenario;
    buffer_string(out, "<p class=\"requirement\">");
    for (size_t i = 0; i < scenario->clause_count; i++) {
        const struct clause *clause = scenario->clauses[i];
        if (!report_judged_by(result, clause)) {
            continue;
        }
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

/* The report of the run shows the same case with its sequence diagram. */
static void in_full(struct buffer *out, const struct matrix *matrix, size_t run_index, const struct case_result *result) {
    if (matrix->reports == NULL) {
        return;
    }
    buffer_string(out, "<p>");
    matrix_html_report_link(out, matrix, run_index);
    buffer_string(out, "#case=");
    string(out, result->scenario->name);
    buffer_string(out, "@");
    string(out, result->profile);
    buffer_string(out, "\">In the full report, with a sequence diagram</a></p>\n");
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
    matrix_html_back(out, report_clause(result));
    buffer_string(out, "<h3>");
    matrix_html_badge(out, matrix_state_of(report_outcome(result, view->matrix->strict)));
    buffer_string(out, " ");
    string(out, scenario->name);
    buffer_string(out, " <small>");
    matrix_html_column_name(out, &column);
    buffer_string(out, "</small></h3><p>");
    line(out, scenario->title);
    buffer_string(out, "</p>\n");
    case_clauses(out, result);
    in_full(out, view->matrix, run_index, result);
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
