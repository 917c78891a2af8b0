/* The summary: counts by area and run, a few dozen short lines. */
#include <string.h>

#include "harness/matrix/markdown.h"
#include "harness/matrix/markdown_parts.h"
#include "harness/report/markdown_text.h"

#define NAME_CEILING 200 /* bytes of a name that is shown */

void matrix_markdown_head(struct buffer *out, const struct matrix_run *run, const char *profile) {
    markdown_prose(out, text_of(run->name), NAME_CEILING);
    if (run->transport[0] != '\0') {
        buffer_string(out, "<br>");
        markdown_prose(out, text_of(run->transport), NAME_CEILING);
    }
    if (profile != NULL) {
        buffer_string(out, "<br>");
        markdown_prose(out, text_of(profile), NAME_CEILING);
    }
}

static void profiles(struct buffer *list, const struct matrix_run *run) {
    for (size_t i = 0; !run->of_store && i < run->profile_count; i++) {
        buffer_format(list, "%s%s", i == 0 ? "" : " ", run->profiles[i]);
    }
}

/* The index of the next run of this table from `run` on; SIZE_MAX: there is none. */
static size_t next_run(const struct matrix_view *view, const struct matrix_table *table, size_t run) {
    for (; run < view->matrix->run_count; run++) {
        if (view->matrix->runs[run].of_store == table->of_store) {
            return run;
        }
    }
    return SIZE_MAX;
}

static void heads(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table) {
    buffer_string(out, "| area |");
    for (size_t run = next_run(view, table, 0); run != SIZE_MAX; run = next_run(view, table, run + 1)) {
        struct buffer list = {0};
        profiles(&list, &view->matrix->runs[run]);
        buffer_string(out, " ");
        matrix_markdown_head(out, &view->matrix->runs[run], list.length > 0 ? list.bytes : NULL);
        buffer_string(out, " |");
        buffer_free(&list);
    }
    buffer_string(out, "\n|:--|");
    for (size_t run = next_run(view, table, 0); run != SIZE_MAX; run = next_run(view, table, run + 1)) {
        buffer_string(out, ":--|");
    }
    buffer_string(out, "\n");
}

static void cell(struct buffer *out, const struct matrix_table *table, size_t first, size_t end, size_t run) {
    size_t counts[MATRIX_STATE_COUNT] = {0}, told = 0;
    for (size_t i = first; i < end; i++) {
        counts[matrix_merge(table, &table->rows[i], run).state]++;
    }
    buffer_string(out, " ");
    for (size_t s = 0; s < MATRIX_NO_RULE; s++) {
        if (counts[s] > 0) {
            buffer_format(out, "%s%s %zu", told++ == 0 ? "" : " ", matrix_look((enum matrix_state)s)->emoji, counts[s]);
        }
    }
    buffer_string(out, told == 0 ? matrix_look(MATRIX_NO_RULE)->emoji : "");
    buffer_string(out, " |");
}

static size_t area_end(const struct matrix_table *table, size_t first) {
    size_t end = first + 1;
    while (end < table->row_count && !matrix_begins_area(table, end)) {
        end++;
    }
    return end;
}

static void area_row(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table, const char *name, size_t first,
                     size_t end) {
    buffer_format(out, "| %s |", name);
    for (size_t run = next_run(view, table, 0); run != SIZE_MAX; run = next_run(view, table, run + 1)) {
        cell(out, table, first, end, run);
    }
    buffer_string(out, "\n");
}

static void areas(struct buffer *out, const struct matrix_view *view, const struct matrix_table *table) {
    for (size_t first = 0, end; first < table->row_count; first = end) {
        end = area_end(table, first);
        area_row(out, view, table, table->rows[first].clause->area, first, end);
    }
    area_row(out, view, table, "**all rules**", 0, table->row_count);
}

/* Only what stands in the tables is explained. */
static void legend(struct buffer *out, const struct matrix_view *view) {
    size_t told = 0;
    for (size_t s = 0; s < MATRIX_NO_RULE; s++) {
        bool seen = false;
        for (size_t t = 0; t < view->table_count; t++) {
            for (size_t i = 0; i < view->tables[t].column_count; i++) {
                seen = seen || view->tables[t].columns[i].states[s] > 0;
            }
        }
        /* Profiles that differ give a part where no column has one. */
        if (seen || s == MATRIX_PARTLY) {
            const struct matrix_state_look *look = matrix_look((enum matrix_state)s);
            buffer_format(out, "%s%s %s", told++ == 0 ? "" : "; ", look->emoji, look->meaning);
        }
    }
    buffer_string(out, told > 0 ? ".\n" : "");
}

static void missing(struct buffer *out, const struct matrix_view *view) {
    for (size_t i = 0; i < view->matrix->run_count; i++) {
        const struct matrix_run *run = &view->matrix->runs[i];
        if (run->unavailable != NULL) {
            buffer_string(out, "\nNot available: ");
            markdown_prose(out, text_of(run->name), NAME_CEILING);
            buffer_string(out, run->transport[0] == '\0' ? "" : ", ");
            markdown_prose(out, text_of(run->transport), NAME_CEILING);
            buffer_string(out, ": ");
            markdown_prose(out, text_of(run->unavailable), REPORT_REASON_CEILING);
            buffer_string(out, "\n");
        }
    }
}

void matrix_markdown_summary(struct buffer *out, const struct matrix_view *view) {
    buffer_string(out, MATRIX_SUMMARY_BEGIN "\n");
    for (size_t i = 0; i < view->table_count; i++) {
        const struct matrix_table *table = &view->tables[i];
        buffer_format(out, "%s**%s**: how many rules of each area came to what, over all profiles of a column.\n\n", i == 0 ? "" : "\n", table->title);
        heads(out, view, table);
        areas(out, view, table);
    }
    buffer_string(out, "\n");
    legend(out, view);
    missing(out, view);
    buffer_string(out, MATRIX_SUMMARY_END "\n");
}
