/* Small pieces of the page that several of its parts have. */
#include "harness/matrix/html.h"
#include "harness/matrix/html_parts.h"
#include "harness/report/html_text.h"

void matrix_html_column_name(struct buffer *out, const struct matrix_column *column) {
    struct buffer name = {0};
    matrix_column_name(&name, column);
    html_line(out, (struct text){name.bytes, name.length}, MATRIX_TEXT_CEILING);
    buffer_free(&name);
}

void matrix_html_badge(struct buffer *out, enum matrix_state state) {
    const struct matrix_state_look *look = matrix_look(state);
    buffer_format(out, "<span class=\"mark %s\"><i aria-hidden=\"true\">%s</i> %s</span>", look->name, look->mark, look->word);
}

void matrix_html_back(struct buffer *out, const char *clause) {
    buffer_string(out, "<a class=\"back\" href=\"#row-");
    html_line(out, text_of(clause), MATRIX_TEXT_CEILING);
    buffer_string(out, "\" aria-label=\"Back to the table\">✕</a>");
}

void matrix_html_report_link(struct buffer *out, const struct matrix *matrix, size_t run_index) {
    struct buffer file = {0};
    matrix_report_file(&file, matrix->reports, &matrix->runs[run_index], run_index);
    buffer_string(out, "<a href=\"");
    html_line(out, (struct text){file.bytes, file.length}, MATRIX_TEXT_CEILING);
    buffer_free(&file);
}
