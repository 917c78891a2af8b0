/*
 * A matrix made by hand, with every kind of column and cell, for the tests of its pages.
 */
#ifndef MESHSPEC_MATRIX_RESULTS_H
#define MESHSPEC_MATRIX_RESULTS_H

#include "harness/base/arena.h"
#include "harness/matrix/matrix.h"

#define MATRIX_RESULTS_RUNS 5
#define MATRIX_RESULTS_CASES 16

struct matrix_results {
    struct arena *arena;
    struct clause clauses[7];
    const struct clause *clause_list[7];
    struct scenario *scenarios[8];
    struct case_result cases[MATRIX_RESULTS_RUNS][MATRIX_RESULTS_CASES];
    struct matrix_run runs[MATRIX_RESULTS_RUNS];
    struct matrix matrix;
};

/* The structure must not be moved. */
void matrix_results_begin(struct matrix_results *made);

/* Puts nasty texts wherever a text comes from outside. */
void matrix_results_be_nasty(struct matrix_results *made);

void matrix_results_end(struct matrix_results *made);

#endif
