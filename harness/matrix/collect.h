/*
 * From results to cells: what each column says about each clause.
 */
#ifndef MESHSPEC_MATRIX_COLLECT_H
#define MESHSPEC_MATRIX_COLLECT_H

#include "harness/matrix/matrix.h"

/* The worst first. */
enum matrix_state {
    MATRIX_FAIL,
    MATRIX_ERROR,
    MATRIX_XPASS,
    MATRIX_WARNING,
    MATRIX_REMARK,
    MATRIX_XFAIL,
    MATRIX_PARTLY, /* what was played passed, but some was skipped or left out */
    MATRIX_PASS,
    MATRIX_SKIP,
    MATRIX_NOT_RUN,       /* no scenario was chosen for it */
    MATRIX_NOT_AVAILABLE, /* the target is not there */
    MATRIX_NO_RULE,       /* the clause does not hold in this profile */
    MATRIX_STATE_COUNT
};

struct matrix_state_look {
    const char *name; /* a class of the style sheet */
    const char *mark, *word; /* what a cell of the page shows */
    const char *emoji;       /* what a cell of the Markdown shows */
    const char *meaning;
};

const struct matrix_state_look *matrix_look(enum matrix_state state);

struct matrix_cell {
    enum matrix_state state;
    size_t counts[OUTCOME_COUNT]; /* of the cases that judge the clause */
    size_t bad;    /* how many of them have evidence to show */
    size_t worst;  /* the index of the first of the worst of these among the run's cases */
    size_t missing; /* profiles that have nothing to say, though the clause holds there */
};

struct matrix_column {
    const struct matrix_run *run;
    size_t run_index;
    const char *profile;
    const struct case_result **cases; /* one a scenario of the matrix; NULL: not played */
    size_t states[MATRIX_STATE_COUNT]; /* how many clauses are so */
};

struct matrix_row {
    const struct clause *clause;
    struct matrix_cell *cells; /* one a column */
};

/* The relays, or the stores: what is judged by the same rules. */
struct matrix_table {
    const char *title, *id;
    bool of_store;
    struct matrix_column *columns;
    size_t column_count;
    struct matrix_row *rows;
    size_t row_count;
};

struct matrix_view {
    const struct matrix *matrix;
    struct arena *arena;
    struct matrix_table tables[2];
    size_t table_count;
};

/* Free with matrix_view_free; the matrix must outlive it. */
struct matrix_view matrix_collect(const struct matrix *matrix);
void matrix_view_free(struct matrix_view *view);

/* What a column says about a clause. */
struct matrix_cell matrix_cell_of(const struct matrix *matrix, const struct matrix_column *column, const struct clause *clause);

/* The cell of a row over all the columns of one run. */
struct matrix_cell matrix_merge(const struct matrix_table *table, const struct matrix_row *row, size_t run_index);

/* The state that stands for an outcome of one case. */
enum matrix_state matrix_state_of(enum outcome outcome);

/* Whether a case has something to show: anything but passed and skipped. */
bool matrix_has_evidence(enum outcome outcome);

/* Whether the rules of this clause are held against the transcript of every case. */
bool matrix_is_history(const struct clause *clause);

/* Whether the scenario is listed as judging the clause. */
bool matrix_judges(const struct scenario *scenario, const struct clause *clause);

/* How many cases of a cell there are in all. */
size_t matrix_cases(const struct matrix_cell *cell);

/* Whether a row is the first of its area. */
bool matrix_begins_area(const struct matrix_table *table, size_t row);

/* Appends the id by which a page names a case's evidence. */
void matrix_case_id(struct buffer *out, size_t run_index, size_t case_index);

/* Appends "name, transport, profile". */
void matrix_column_name(struct buffer *out, const struct matrix_column *column);

/* Appends what a cell says in words: its state, how many cases, and why it is not judged. */
void matrix_cell_words(struct buffer *out, const struct matrix_cell *cell, const struct matrix_column *column);

#endif
