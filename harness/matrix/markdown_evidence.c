/* What stands behind the cells: the scenarios of each rule, and the cases that have something to show. */
#include "harness/matrix/markdown.h"
#include "harness/matrix/markdown_parts.h"
#include "harness/report/markdown.h"
#include "harness/report/markdown_text.h"

#define NAME_CEILING 200 /* bytes of a name that is shown */

static bool was_played(const struct matrix_table *table, size_t scenario) {
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].cases[scenario] != NULL) {
            return true;
        }
    }
    return false;
}

static void rule(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table, const struct clause *clause) {
    buffer_string(out, "- <a id=\"rule-");
    markdown_html(out, text_of(clause->id), NAME_CEILING);
    buffer_string(out, "\"></a>");
    markdown_code(out, text_of(clause->id), NAME_CEILING);
    buffer_string(out, " ");
    markdown_prose(out, text_of(clause->text), MARKDOWN_BLOCK_CEILING);
    size_t told = 0;
    for (size_t i = 0; i < view->matrix->scenario_count; i++) {
        if (matrix_judges(view->matrix->scenarios[i], clause) && was_played(table, i)) {
            buffer_string(out, told++ == 0 ? "\n  Judged by " : ", ");
            markdown_code(out, text_of(view->matrix->scenarios[i]->file), NAME_CEILING);
        }
    }
    buffer_string(out, told > 0 ? ".\n" : "\n");
}

void matrix_markdown_scenarios(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table, size_t first) {
    buffer_string(out, "\n<details><summary>The rules of ");
    markdown_html(out, text_of(table->rows[first].clause->area), NAME_CEILING);
    buffer_string(out, " and their scenarios</summary>\n\n");
    for (size_t i = first; i < table->row_count && (i == first || !matrix_begins_area(table, i)); i++) {
        rule(out, view, table, table->rows[i].clause);
    }
    buffer_string(out, "\n</details>\n");
}

static void one_case(struct buffer *out, const struct matrix_view *view, size_t run_index, size_t index) {
    const struct matrix_run *run = &view->matrix->runs[run_index];
    const struct case_result *result = &run->results.cases[index];
    struct buffer block = {0};
    buffer_string(out, "\n<a id=\"");
    matrix_case_id(out, run_index, index);
    buffer_format(out, "\"></a>\n<details><summary>%s ", matrix_look(matrix_state_of(report_outcome(result, view->matrix->strict)))->emoji);
    markdown_html(out, text_of(result->scenario->name), NAME_CEILING);
    buffer_string(out, " (");
    markdown_html(out, text_of(run->name), NAME_CEILING);
    buffer_string(out, ", ");
    markdown_html(out, text_of(run->transport), NAME_CEILING);
    buffer_format(out, " %s)</summary>\n\n", result->profile);
    report_block(&block, result, &run->head, MARKDOWN_BLOCK_CEILING / 4);
    markdown_fenced(out, (struct text){block.bytes, block.length});
    buffer_string(out, "\n</details>\n");
    buffer_free(&block);
}

void matrix_markdown_cases(struct buffer *out, const struct matrix_view *view) {
    const struct matrix *matrix = view->matrix;
    size_t shown = 0, left_out = 0;
    for (size_t r = 0; r < matrix->run_count; r++) {
        for (size_t i = 0; i < matrix->runs[r].results.count; i++) {
            if (!matrix_has_evidence(report_outcome(&matrix->runs[r].results.cases[i], matrix->strict))) {
                continue;
            }
            if (out->length > MATRIX_MARKDOWN_CEILING) {
                left_out++;
                continue;
            }
            buffer_string(out, shown++ == 0 ? "\n## Evidence\n" : "");
            one_case(out, view, r, i);
        }
    }
    if (left_out > 0) {
        buffer_format(out, "\nThe evidence of %zu cases more does not fit here; the HTML page has it.\n", left_out);
    }
}
