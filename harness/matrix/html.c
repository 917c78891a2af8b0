#include "harness/matrix/html.h"

#include "harness/matrix/html_parts.h"
#include "harness/report/html_text.h"

HTML_FILE(page_page_css);
HTML_FILE(page_elements_js);
HTML_FILE(page_theme_js);
HTML_FILE(page_matrix_html);
HTML_FILE(page_matrix_css);
HTML_FILE(page_matrix_js);

static void string(struct buffer *out, const char *text) {
    html_line(out, text_of(text), MATRIX_TEXT_CEILING);
}

/* ---- what each column is ---- */

static void run_counts(struct buffer *out, const struct matrix_view *view, size_t run_index) {
    buffer_string(out, "<td>");
    for (size_t t = 0; t < view->table_count; t++) {
        const struct matrix_table *table = &view->tables[t];
        for (size_t i = 0; i < table->column_count; i++) {
            const struct matrix_column *column = &table->columns[i];
            if (column->run_index != run_index) {
                continue;
            }
            buffer_string(out, "<div class=\"counts\"><b>");
            string(out, column->profile);
            buffer_string(out, "</b>");
            for (size_t s = 0; s < MATRIX_NO_RULE; s++) {
                if (column->states[s] > 0) {
                    buffer_format(out, " <span>%zu ", column->states[s]);
                    matrix_html_badge(out, (enum matrix_state)s);
                    buffer_string(out, "</span>");
                }
            }
            buffer_string(out, "</div>");
        }
    }
    buffer_string(out, "</td>");
}

static void unmatched(struct buffer *out, const struct known *known) {
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        if (!known->lines[i].matched) {
            buffer_format(out, "<p class=\"notice\">Line %u of the known failures means no case: <code>", known->lines[i].line);
            string(out, known->lines[i].glob);
            buffer_string(out, "</code></p>");
        }
    }
}

static void run_cases(struct buffer *out, const struct matrix *matrix, size_t run_index) {
    const struct matrix_run *run = &matrix->runs[run_index];
    buffer_string(out, "<td>");
    if (run->unavailable != NULL) {
        matrix_html_badge(out, MATRIX_NOT_AVAILABLE);
        buffer_string(out, " ");
        string(out, run->unavailable);
    } else if (run->results.count == 0) {
        buffer_string(out, "no case was chosen");
    } else {
        report_verdict(out, &run->results, matrix->strict);
    }
    if (matrix->reports != NULL && run->results.count > 0) {
        buffer_string(out, "; ");
        matrix_html_report_link(out, matrix, run_index);
        buffer_string(out, "\">the full report</a>");
    }
    if (run->ended_badly != NULL) {
        buffer_string(out, "<p class=\"notice\">");
        string(out, run->ended_badly);
        buffer_string(out, "</p>");
    }
    unmatched(out, run->results.unmatched);
    buffer_string(out, "</td>");
}

void matrix_html_columns(struct buffer *out, const struct matrix_view *view) {
    const struct matrix *matrix = view->matrix;
    buffer_string(out, "<div class=\"scroll\"><table class=\"runs\"><thead><tr><th scope=\"col\">what</th><th scope=\"col\">rules</th><th scope=\"col\">"
                       "cases</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < matrix->run_count; i++) {
        const struct matrix_run *run = &matrix->runs[i];
        buffer_format(out, "<tr id=\"run-%zu\"><th scope=\"row\">", i + 1);
        string(out, run->name);
        buffer_string(out, run->transport[0] == '\0' ? "" : ", ");
        string(out, run->transport);
        buffer_string(out, "<br><code>");
        string(out, run->head.target);
        buffer_string(out, "</code></th>");
        run_counts(out, view, i);
        run_cases(out, matrix, i);
        buffer_string(out, "</tr>\n");
    }
    buffer_string(out, "</tbody></table></div>\n");
}

/* ---- the page ---- */

static void legend(struct buffer *out) {
    for (size_t i = 0; i < MATRIX_STATE_COUNT; i++) {
        buffer_string(out, "<div><dt>");
        matrix_html_badge(out, (enum matrix_state)i);
        buffer_format(out, "</dt><dd>%s</dd></div>\n", matrix_look((enum matrix_state)i)->meaning);
    }
}

static void facts(struct buffer *out, const struct matrix *matrix) {
    buffer_string(out, "<div><dt>meshspec</dt><dd>");
    string(out, matrix->version);
    buffer_string(out, "</dd></div>");
    if (matrix->started != NULL) {
        buffer_string(out, "<div><dt>started</dt><dd>");
        string(out, matrix->started);
        buffer_string(out, "</dd></div>");
    }
    if (matrix->only != NULL) {
        buffer_string(out, "<div><dt>only</dt><dd><code>");
        string(out, matrix->only);
        buffer_string(out, "</code></dd></div>");
    }
    buffer_string(out, matrix->strict ? "<div><dt>strict</dt><dd>yes</dd></div>" : "");
}

static void tables(struct buffer *out, const struct matrix_view *view) {
    for (size_t i = 0; i < view->table_count; i++) {
        matrix_html_table(out, &view->tables[i]);
    }
}

static void rules(struct buffer *out, const struct matrix_view *view) {
    for (size_t i = 0; i < view->table_count; i++) {
        matrix_html_rules(out, view, &view->tables[i]);
    }
}

static void script(struct buffer *out) {
    buffer_text(out, HTML_FILE_TEXT(page_elements_js));
    buffer_text(out, HTML_FILE_TEXT(page_theme_js));
    buffer_text(out, HTML_FILE_TEXT(page_matrix_js));
}

static void headline_class(struct buffer *out, const struct matrix *matrix) {
    buffer_string(out, matrix_exit(matrix) == ERROR_NONE ? "good" : "bad");
}

static void place(struct buffer *out, struct text name, void *context) {
    const struct matrix_view *view = context;
    const struct matrix *matrix = view->matrix;
    if (text_equal(name, TEXT("style"))) {
        buffer_text(out, HTML_FILE_TEXT(page_page_css));
        buffer_text(out, HTML_FILE_TEXT(page_matrix_css));
    } else if (text_equal(name, TEXT("script"))) {
        script(out);
    } else if (text_equal(name, TEXT("title"))) {
        string(out, matrix->title);
    } else if (text_equal(name, TEXT("headline"))) {
        buffer_string(out, matrix_headline(matrix));
    } else if (text_equal(name, TEXT("headline-class"))) {
        headline_class(out, matrix);
    } else if (text_equal(name, TEXT("facts"))) {
        facts(out, matrix);
    } else if (text_equal(name, TEXT("columns"))) {
        matrix_html_columns(out, view);
    } else if (text_equal(name, TEXT("legend"))) {
        legend(out);
    } else if (text_equal(name, TEXT("tables"))) {
        tables(out, view);
    } else if (text_equal(name, TEXT("rules"))) {
        rules(out, view);
    } else if (text_equal(name, TEXT("cases"))) {
        matrix_html_cases(out, view);
    }
}

void matrix_html(struct buffer *out, const struct matrix *matrix) {
    struct matrix_view view = matrix_collect(matrix);
    html_fill(out, HTML_FILE_TEXT(page_matrix_html), place, &view);
    matrix_view_free(&view);
}
