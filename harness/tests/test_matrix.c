/* The matrix: what its cells say, and its pages, byte for byte. harness/tests/test_matrix.py judges and looks at real ones. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/json/characters.h"
#include "harness/matrix/collect.h"
#include "harness/matrix/columns.h"
#include "harness/matrix/html.h"
#include "harness/matrix/markdown.h"
#include "harness/report/markdown.h"
#include "harness/tests/matrix_results.h"
#include "harness/tests/report_results.h"

static struct matrix_results made;
static struct matrix_view view;

static void begin(void) {
    matrix_results_begin(&made);
    view = matrix_collect(&made.matrix);
}

static void end(void) {
    matrix_view_free(&view);
    matrix_results_end(&made);
}

static const struct matrix_row *row_of(const struct matrix_table *table, const char *clause) {
    for (size_t i = 0; i < table->row_count; i++) {
        if (strcmp(table->rows[i].clause->id, clause) == 0) {
            return &table->rows[i];
        }
    }
    cr_assert_fail("there is no row %s", clause);
    return NULL;
}

static void expect_row(const struct matrix_table *table, const char *clause, const enum matrix_state *states) {
    for (size_t i = 0; i < table->column_count; i++) {
        enum matrix_state came = row_of(table, clause)->cells[i].state;
        cr_expect_eq(came, states[i], "%s, column %zu: %s, not %s", clause, i, matrix_look(came)->name, matrix_look(states[i])->name);
    }
}

TestSuite(matrix, .init = begin, .fini = end);

Test(matrix, relays_and_stores_have_tables_of_their_own) {
    cr_assert_eq(view.table_count, 2);
    cr_expect_eq(view.tables[0].column_count, 5, "two profiles, and one of each other relay");
    cr_expect_eq(view.tables[0].row_count, 6);
    cr_expect_eq(view.tables[1].column_count, 1);
    cr_expect_eq(view.tables[1].row_count, 1);
}

Test(matrix, cells_say_the_worst_of_their_cases) {
    const struct matrix_table *table = &view.tables[0];
    expect_row(table, "join.delta", (enum matrix_state[]){MATRIX_PASS, MATRIX_PASS, MATRIX_FAIL, MATRIX_NOT_AVAILABLE, MATRIX_SKIP});
    expect_row(table, "join.polite", (enum matrix_state[]){MATRIX_PASS, MATRIX_PASS, MATRIX_WARNING, MATRIX_NOT_AVAILABLE, MATRIX_NOT_RUN});
    expect_row(table, "join.schema", (enum matrix_state[]){MATRIX_NO_RULE, MATRIX_PASS, MATRIX_XFAIL, MATRIX_NOT_AVAILABLE, MATRIX_NOT_RUN});
    expect_row(table, "signal.to", (enum matrix_state[]){MATRIX_PASS, MATRIX_PASS, MATRIX_FAIL, MATRIX_NOT_AVAILABLE, MATRIX_PARTLY});
    expect_row(table, "signal.nobody", (enum matrix_state[]){MATRIX_PASS, MATRIX_PASS, MATRIX_ERROR, MATRIX_NOT_AVAILABLE, MATRIX_SKIP});
    expect_row(table, "history.dense", (enum matrix_state[]){MATRIX_PASS, MATRIX_PASS, MATRIX_FAIL, MATRIX_NOT_AVAILABLE, MATRIX_PASS});
    expect_row(&view.tables[1], "store.auth", (enum matrix_state[]){MATRIX_PASS});
}

Test(matrix, an_area_stands_together_and_a_later_one_below) {
    const struct clause *signal_to = made.clause_list[3];
    made.clauses[3].since = made.clauses[4].since = "0.2.0";
    made.clause_list[3] = made.clause_list[0];
    made.clause_list[0] = signal_to;
    matrix_view_free(&view);
    view = matrix_collect(&made.matrix);
    static const char *const wanted[] = {"join.polite", "join.delta", "join.schema", "history.dense", "signal.to", "signal.nobody"};
    cr_assert_eq(view.tables[0].row_count, 6);
    for (size_t i = 0; i < 6; i++) {
        cr_expect_str_eq(view.tables[0].rows[i].clause->id, wanted[i]);
    }
}

Test(matrix, columns_count_their_cells) {
    const struct matrix_column *column = &view.tables[0].columns[2];
    cr_expect_eq(column->states[MATRIX_FAIL], 3);
    cr_expect_eq(column->states[MATRIX_WARNING], 1);
    cr_expect_eq(column->states[MATRIX_XFAIL], 1);
    cr_expect_eq(column->states[MATRIX_ERROR], 1);
    cr_expect_eq(column->states[MATRIX_PASS], 0);
    cr_expect_eq(view.tables[0].columns[0].states[MATRIX_NO_RULE], 1);
}

Test(matrix, a_strict_matrix_fails_by_a_should) {
    matrix_view_free(&view);
    made.matrix.strict = true;
    view = matrix_collect(&made.matrix);
    cr_expect_eq(row_of(&view.tables[0], "join.polite")->cells[2].state, MATRIX_FAIL);
}

Test(matrix, profiles_of_a_run_are_summed_up) {
    const struct matrix_table *table = &view.tables[0];
    cr_expect_eq(matrix_merge(table, row_of(table, "join.schema"), 0).state, MATRIX_PASS, "where it does not hold, nothing is missing");
    cr_expect_eq(matrix_merge(table, row_of(table, "join.delta"), 0).counts[OUTCOME_PASS], 4);
    cr_expect_eq(matrix_merge(table, row_of(table, "join.delta"), 2).state, MATRIX_NOT_AVAILABLE);
}

Test(matrix, a_profile_that_says_nothing_makes_a_pass_a_part) {
    made.runs[0].results.count = 5; /* only 0.1.1 */
    matrix_view_free(&view);
    view = matrix_collect(&made.matrix);
    const struct matrix_table *table = &view.tables[0];
    cr_expect_eq(row_of(table, "join.delta")->cells[1].state, MATRIX_NOT_RUN);
    cr_expect_eq(matrix_merge(table, row_of(table, "join.delta"), 0).state, MATRIX_PARTLY);
}

Test(matrix, the_exit_status_is_that_of_the_worst_run) {
    cr_expect_eq(matrix_exit(&made.matrix), ERROR_FAILED);
    made.matrix.run_count = 1;
    cr_expect_eq(matrix_exit(&made.matrix), ERROR_NONE);
    made.runs[0] = made.runs[2];
    cr_expect_eq(matrix_exit(&made.matrix), ERROR_TARGET);
    cr_expect_str_eq(matrix_headline(&made.matrix), "nothing could be judged");
    made.runs[0].optional = true;
    cr_expect_eq(matrix_exit(&made.matrix), ERROR_TARGET, "nothing was judged at all");
    made.runs[1] = made.runs[4];
    made.matrix.run_count = 2;
    made.runs[0].optional = false;
    cr_expect_eq(matrix_exit(&made.matrix), ERROR_TARGET, "what is not optional is missed beside what passes, too");
    made.runs[0].optional = true;
    cr_expect_eq(matrix_exit(&made.matrix), ERROR_NONE, "what is optional may be missing beside what passes");
    cr_expect_str_eq(matrix_headline(&made.matrix), "as expected, where it was available");
    made.runs[1].ended_badly = "a sanitizer's report";
    cr_expect_eq(matrix_exit(&made.matrix), ERROR_TARGET);
}

Test(matrix, rules_that_were_not_asked_for_are_left_out) {
    made.matrix.only = "signal/*";
    made.runs[0].results.count = 0;
    made.runs[1].results.count = 0;
    made.runs[3].results.cases[0] = made.runs[3].results.cases[2];
    matrix_view_free(&view);
    view = matrix_collect(&made.matrix);
    cr_expect_eq(view.tables[0].row_count, 3, "signal.to, signal.nobody and history.dense");
}

/* ---- pages ---- */

/* Styles and scripts are files of their own: they are not what is held against the golden page. */
static void cut_between(struct buffer *page, const char *from, const char *to) {
    char *begin = strstr(page->bytes, from), *end = begin == NULL ? NULL : strstr(begin, to);
    cr_assert_not_null(end);
    begin += strlen(from);
    memmove(begin, end, page->length - (size_t)(end - page->bytes) + 1);
    page->length -= (size_t)(end - begin);
}

static struct buffer html_of(const struct matrix *matrix) {
    struct buffer page = {0};
    matrix_html(&page, matrix);
    cr_assert_null(strstr(page.bytes, "{{"), "a place of the page is not filled");
    cut_between(&page, "<style>", "</style>");
    cut_between(&page, "</main>\n<script>", "</script>\n</body>");
    return page;
}

static void expect_golden(const char *name, struct buffer *came) {
    report_expect_golden(name, came);
    buffer_free(came);
}

Test(matrix, html) {
    struct buffer page = html_of(&made.matrix);
    expect_golden("../matrix/usual.html", &page);
}

Test(matrix, html_nasty) {
    matrix_results_be_nasty(&made);
    struct buffer page = html_of(&made.matrix);
    cr_expect_null(strstr(page.bytes, "<script>alert"), "a text became markup");
    cr_expect_null(strchr(page.bytes, '\x1b'));
    cr_expect_null(strstr(page.bytes, "\"></a></title>"), "a text ended its attribute");
    cr_expect(utf8_valid((struct text){page.bytes, page.length}));
    expect_golden("../matrix/nasty.html", &page);
}

Test(matrix, markdown) {
    struct buffer page = {0};
    matrix_markdown(&page, &made.matrix);
    expect_golden("../matrix/usual.md", &page);
}

Test(matrix, markdown_nasty) {
    struct buffer page = {0};
    matrix_results_be_nasty(&made);
    matrix_markdown(&page, &made.matrix);
    cr_expect_null(strchr(page.bytes, '\x1b'));
    cr_expect(utf8_valid((struct text){page.bytes, page.length}));
    expect_golden("../matrix/nasty.md", &page);
}

/* `#ID` of the first link in a table cell of that class. */
static void link_of(const struct buffer *page, const char *class, char *id, size_t capacity) {
    char start[64];
    snprintf(start, sizeof start, "<td class=\"%s", class);
    const char *cell = strstr(page->bytes, start), *link = cell == NULL ? NULL : strstr(cell, "href=\"#");
    cr_assert_not_null(link, "no cell is %s", class);
    link += strlen("href=\"#");
    snprintf(id, capacity, "%.*s", (int)strcspn(link, "\""), link);
}

Test(matrix, a_failing_cell_leads_to_its_evidence) {
    struct buffer page = html_of(&made.matrix);
    char id[64], start[128];
    link_of(&page, "fail", id, sizeof id);
    cr_expect_str_eq(id, "case-2-1");
    snprintf(start, sizeof start, "<article class=\"evidence\" id=\"%s\"", id);
    const char *evidence = strstr(page.bytes, start);
    cr_assert_not_null(evidence);
    const char *end = strstr(evidence, "</article>"), *difference = strstr(evidence, "&quot;snapshot&quot;");
    cr_expect(difference != NULL && difference < end, "the evidence shows the difference");
    link_of(&page, "not-available", id, sizeof id);
    cr_expect_str_eq(id, "run-3", "what is not available leads to why");
    cr_expect_not_null(strstr(strstr(page.bytes, "id=\"run-3\""), "it needs node, which is not there"));
    link_of(&page, "pass", id, sizeof id);
    cr_expect_str_eq(id, "rule-join.delta", "a pass leads to the files that show it");
    cr_expect_not_null(strstr(strstr(page.bytes, "id=\"rule-join.delta\""), "scenarios/join/delta.yaml"));
    buffer_free(&page);
}

Test(matrix, every_link_of_the_page_leads_somewhere) {
    struct buffer page = html_of(&made.matrix);
    for (const char *at = page.bytes; (at = strstr(at, "href=\"#")) != NULL;) {
        at += strlen("href=\"#");
        char id[100];
        snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(at, "\""), at);
        cr_expect_not_null(strstr(page.bytes, id), "nothing has %s", id);
    }
    buffer_free(&page);
}

/* ---- columns ---- */

Test(matrix_columns, from_the_command_line) {
    struct columns columns;
    struct error error = {0};
    columns_begin(&columns);
    cr_assert(columns_add(&columns, "ours=memory", &error));
    cr_assert(columns_add(&columns, "theirs@0.1.1,0.2.0=spawn:./relay --port=0", &error));
    cr_expect_str_eq(columns.entries[0].name, "ours");
    cr_expect_str_eq(columns.entries[0].target, "memory");
    cr_expect_eq(columns.entries[0].profile_count, 0);
    cr_expect_str_eq(columns.entries[1].name, "theirs");
    cr_expect_null(columns.entries[1].target);
    cr_expect_str_eq(columns.entries[1].spawn, "./relay --port=0");
    cr_expect_eq(columns.entries[1].profile_count, 2);
    cr_expect_str_eq(columns.entries[1].profiles[1], "0.2.0");
    static const char *const bad[] = {"memory", "=memory", "ours="};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_not(columns_add(&columns, bad[i], &error), "\"%s\" was taken", bad[i]);
        cr_expect_eq(error.code, ERROR_USAGE);
    }
    columns_end(&columns);
}

Test(matrix_columns, the_files_of_the_project_are_read) {
    struct columns columns;
    struct error error = {0};
    columns_begin(&columns);
    cr_assert(columns_read(&columns, "fixtures/matrix.yaml", ".", &error), "%s", error.text);
    cr_expect_gt(columns.count, 4);
    for (size_t i = 0; i < columns.count; i++) {
        cr_expect_gt(columns.entries[i].profile_count, 0, "%s names no profile", columns.entries[i].name);
    }
    columns_end(&columns);
}
