/* The table itself: three rows of heads, a body for each area, a row for each rule. */
#include <string.h>

#include "harness/matrix/html.h"
#include "harness/matrix/html_parts.h"
#include "harness/report/html_text.h"

static void text(struct buffer *out, const char *string) {
    html_line(out, text_of(string), MATRIX_TEXT_CEILING);
}

/* ---- heads ---- */

static bool same_name(const struct matrix_column *a, const struct matrix_column *b) {
    return strcmp(a->run->name, b->run->name) == 0;
}

static bool same_run(const struct matrix_column *a, const struct matrix_column *b) {
    return a->run_index == b->run_index;
}

/* One cell for each run of columns that are alike. */
static void head_row(struct buffer *out, const struct matrix_table *table, const char *what,
                     bool (*alike)(const struct matrix_column *a, const struct matrix_column *b),
                     const char *(*name)(const struct matrix_column *column)) {
    buffer_format(out, "<tr class=\"%s\">", what);
    if (alike == same_name) {
        buffer_string(out, "<th class=\"corner\" rowspan=\"3\" scope=\"col\">rule</th>");
    }
    for (size_t i = 0, span; i < table->column_count; i += span) {
        span = 1;
        while (i + span < table->column_count && alike(&table->columns[i], &table->columns[i + span])) {
            span++;
        }
        bool starts = i == 0 || !same_name(&table->columns[i - 1], &table->columns[i]);
        buffer_format(out, "<th scope=\"colgroup\" colspan=\"%zu\"%s><a href=\"#run-%zu\">", span, starts ? " class=\"starts\"" : "",
                      table->columns[i].run_index + 1);
        text(out, name(&table->columns[i]));
        buffer_string(out, "</a></th>");
    }
    buffer_string(out, "</tr>\n");
}

static const char *name_of(const struct matrix_column *column) {
    return column->run->name;
}

static const char *transport_of(const struct matrix_column *column) {
    return column->run->transport[0] == '\0' ? "·" : column->run->transport;
}

static const char *column_class(const struct matrix_table *table, size_t i) {
    return i == 0 || !same_name(&table->columns[i - 1], &table->columns[i]) ? " starts"
           : !same_run(&table->columns[i - 1], &table->columns[i])           ? " begins"
                                                                              : "";
}

static void counts_bar(struct buffer *out, const struct matrix_column *column) {
    buffer_string(out, "<span class=\"bar\" role=\"img\" aria-label=\"");
    for (size_t s = 0, told = 0; s < MATRIX_NO_RULE; s++) {
        if (column->states[s] > 0) {
            buffer_format(out, "%s%zu %s", told++ == 0 ? "" : ", ", column->states[s], matrix_look((enum matrix_state)s)->word);
        }
    }
    buffer_string(out, "\">");
    for (size_t s = MATRIX_NO_RULE; s-- > 0;) {
        if (column->states[s] > 0) {
            const struct matrix_state_look *look = matrix_look((enum matrix_state)s);
            buffer_format(out, "<span class=\"%s\" style=\"flex:%zu 1 0\" title=\"%zu %s\"></span>", look->name, column->states[s],
                          column->states[s], look->word);
        }
    }
    buffer_string(out, "</span>");
}

/* How many of the rules that hold here were kept in all that was played. */
static void kept(struct buffer *out, const struct matrix_column *column) {
    size_t passed = column->states[MATRIX_PASS] + column->states[MATRIX_PARTLY], all = 0;
    for (size_t s = 0; s < MATRIX_NO_RULE; s++) {
        all += column->states[s];
    }
    buffer_format(out, "<small title=\"%zu of %zu rules passed\">%zu/%zu</small>", passed, all, passed, all);
}

static void profile_row(struct buffer *out, const struct matrix_table *table) {
    buffer_string(out, "<tr class=\"profiles\">");
    for (size_t i = 0; i < table->column_count; i++) {
        buffer_format(out, "<th scope=\"col\" class=\"profile%s\">", column_class(table, i));
        text(out, table->columns[i].profile);
        kept(out, &table->columns[i]);
        counts_bar(out, &table->columns[i]);
        buffer_string(out, "</th>");
    }
    buffer_string(out, "</tr>\n");
}

/* ---- cells ---- */

static void cell_title(struct buffer *out, const struct matrix_row *row, const struct matrix_column *column,
                       const struct matrix_cell *cell) {
    struct buffer words = {0};
    buffer_format(&words, "%s – ", row->clause->id);
    matrix_column_name(&words, column);
    buffer_string(&words, ": ");
    matrix_cell_words(&words, cell, column);
    html_line(out, (struct text){words.bytes, words.length}, MATRIX_TEXT_CEILING);
    buffer_free(&words);
}

/* One failing case is the evidence; of several the rule's own list names them all. */
static void cell_link(struct buffer *out, const struct matrix_row *row, const struct matrix_column *column,
                      const struct matrix_cell *cell) {
    buffer_string(out, "#");
    if (cell->bad == 1) {
        matrix_case_id(out, column->run_index, cell->worst);
    } else if (cell->state == MATRIX_NOT_AVAILABLE) {
        buffer_format(out, "run-%zu", column->run_index + 1);
    } else {
        buffer_string(out, "rule-");
        text(out, row->clause->id);
    }
}

static void cell(struct buffer *out, const struct matrix_table *table, const struct matrix_row *row, size_t i) {
    const struct matrix_cell *one = &row->cells[i];
    const struct matrix_state_look *look = matrix_look(one->state);
    buffer_format(out, "<td class=\"%s%s\">", look->name, column_class(table, i));
    if (one->state == MATRIX_NO_RULE) {
        buffer_format(out, "<span role=\"img\" aria-label=\"%s\">%s</span></td>", look->meaning, look->mark);
        return;
    }
    buffer_string(out, "<a href=\"");
    cell_link(out, row, &table->columns[i], one);
    buffer_string(out, "\" title=\"");
    cell_title(out, row, &table->columns[i], one);
    buffer_format(out, "\"><i aria-hidden=\"true\">%s</i> %s</a></td>", look->mark, look->word);
}

static void row_head(struct buffer *out, const struct clause *clause) {
    buffer_string(out, "<th scope=\"row\"><a href=\"#rule-");
    text(out, clause->id);
    buffer_string(out, "\" title=\"");
    text(out, clause->text);
    buffer_string(out, "\">");
    text(out, clause->id);
    buffer_format(out, "</a> <span class=\"level %s\">%s</span></th>", clause_level_name(clause->level), clause_level_name(clause->level));
}

static void rows(struct buffer *out, const struct matrix_table *table) {
    for (size_t i = 0; i < table->row_count; i++) {
        const struct matrix_row *row = &table->rows[i];
        if (matrix_begins_area(table, i)) {
            buffer_string(out, i == 0 ? "<tbody>\n" : "</tbody>\n<tbody>\n");
            buffer_format(out, "<tr class=\"area\"><th scope=\"rowgroup\" colspan=\"%zu\"><span>", table->column_count + 1);
            text(out, row->clause->area);
            buffer_string(out, "</span></th></tr>\n");
        }
        buffer_string(out, "<tr class=\"rule\" id=\"row-");
        text(out, row->clause->id);
        buffer_string(out, "\">");
        row_head(out, row->clause);
        for (size_t c = 0; c < table->column_count; c++) {
            cell(out, table, row, c);
        }
        buffer_string(out, "</tr>\n");
    }
    buffer_string(out, table->row_count > 0 ? "</tbody>\n" : "");
}

void matrix_html_table(struct buffer *out, const struct matrix_table *table) {
    buffer_format(out, "<section class=\"kind\">\n<h2 id=\"%s\">%s <small>%zu rules, %zu columns</small></h2>\n"
                       "<div class=\"matrix\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s\">\n<table>\n<thead>\n",
                  table->id, table->title, table->row_count, table->column_count, table->id);
    head_row(out, table, "names", same_name, name_of);
    head_row(out, table, "transports", same_run, transport_of);
    profile_row(out, table);
    buffer_string(out, "</thead>\n");
    rows(out, table);
    buffer_string(out, "</table>\n</div>\n</section>\n");
}
