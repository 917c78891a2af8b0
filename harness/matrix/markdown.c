#include "harness/matrix/markdown.h"

#include "harness/matrix/markdown_parts.h"
#include "harness/report/markdown_text.h"

#define NAME_CEILING 200 /* bytes of a name that is shown */

static void heading(struct buffer *out, const struct matrix *matrix) {
    buffer_string(out, "# ");
    markdown_prose(out, text_of(matrix->title), NAME_CEILING);
    buffer_format(out, "\n\n%s %s%s%s; meshspec %s%s", matrix_exit(matrix) == ERROR_NONE ? "✅" : "❌", matrix_headline(matrix),
                  matrix->started == NULL ? "" : "; started ", matrix->started == NULL ? "" : matrix->started, matrix->version,
                  matrix->strict ? "; strict" : "");
    if (matrix->only != NULL) {
        buffer_string(out, "; only ");
        markdown_code(out, text_of(matrix->only), NAME_CEILING);
    }
    buffer_string(out, ".\n\n");
}

static void heads(struct buffer *out, const struct matrix_table *table) {
    buffer_string(out, "| rule | level |");
    for (size_t i = 0; i < table->column_count; i++) {
        buffer_string(out, " ");
        matrix_markdown_head(out, table->columns[i].run, table->of_store ? NULL : table->columns[i].profile);
        buffer_string(out, " |");
    }
    buffer_string(out, "\n|:--|:--|");
    for (size_t i = 0; i < table->column_count; i++) {
        buffer_string(out, ":-:|");
    }
    buffer_string(out, "\n");
}

/* A pass needs no more than its mark; what there is evidence for leads to it, and the rest says how many of how many. */
static void cell(struct buffer *out, const struct matrix_cell *cell, const struct matrix_column *column) {
    const struct matrix_state_look *look = matrix_look(cell->state);
    buffer_format(out, " %s", look->emoji);
    if (cell->bad > 0) {
        buffer_format(out, " [%zu/%zu](#", cell->bad, matrix_cases(cell));
        matrix_case_id(out, column->run_index, cell->worst);
        buffer_string(out, ")");
    } else if (cell->state == MATRIX_PARTLY) {
        buffer_format(out, " %zu/%zu", cell->counts[OUTCOME_PASS], matrix_cases(cell));
    }
    buffer_string(out, " |");
}

static void row(struct buffer *out, const struct matrix_table *table, const struct matrix_row *row) {
    buffer_string(out, "| [");
    markdown_code(out, text_of(row->clause->id), NAME_CEILING);
    buffer_string(out, "](#rule-");
    markdown_html(out, text_of(row->clause->id), NAME_CEILING);
    buffer_format(out, ") | %s |", clause_level_name(row->clause->level));
    for (size_t i = 0; i < table->column_count; i++) {
        cell(out, &row->cells[i], &table->columns[i]);
    }
    buffer_string(out, "\n");
}

static void table_of(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table) {
    buffer_format(out, "\n## %s\n", table->title);
    for (size_t i = 0; i < table->row_count; i++) {
        if (matrix_begins_area(table, i)) {
            buffer_string(out, "\n### ");
            markdown_prose(out, text_of(table->rows[i].clause->area), NAME_CEILING);
            buffer_string(out, "\n\n");
            heads(out, table);
        }
        row(out, table, &table->rows[i]);
        if (i + 1 == table->row_count || matrix_begins_area(table, i + 1)) {
            size_t first = i;
            while (!matrix_begins_area(table, first)) {
                first--;
            }
            matrix_markdown_scenarios(out, view, table, first);
        }
    }
}

static void legend(struct buffer *out) {
    buffer_string(out, "\nIn the tables below:");
    for (size_t i = 0; i < MATRIX_STATE_COUNT; i++) {
        const struct matrix_state_look *look = matrix_look((enum matrix_state)i);
        buffer_format(out, "%s %s %s", i == 0 ? "" : ";", look->emoji, look->meaning);
    }
    buffer_string(out, ".\n");
}

void matrix_markdown(struct buffer *out, const struct matrix *matrix) {
    struct matrix_view view = matrix_collect(matrix);
    heading(out, matrix);
    matrix_markdown_summary(out, &view);
    legend(out);
    for (size_t i = 0; i < view.table_count; i++) {
        table_of(out, &view, &view.tables[i]);
    }
    matrix_markdown_cases(out, &view);
    matrix_view_free(&view);
}
