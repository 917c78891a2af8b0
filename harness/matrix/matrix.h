/*
 * Runs side by side: what several targets made of the same rules. One run gives a column for each of its profiles; the
 * rows are the clauses. The pages that are made of it (html.h, markdown.h) are pure functions of it.
 */
#ifndef MESHSPEC_MATRIX_H
#define MESHSPEC_MATRIX_H

#include "harness/report/report.h"

struct matrix_run {
    const char *name;      /* of the implementation, "C relay" */
    const char *transport; /* how it was spoken to, "ws"; empty: not said */
    const char *const *profiles;
    size_t profile_count;
    bool of_store;             /* a store and a provisioner, not a relay */
    bool optional;             /* it may be missing: then it does not count for the exit status */
    const char *unavailable;   /* why nothing could be played; NULL: it was */
    const char *ended_badly;   /* what was wrong with the end of a server that was started; NULL: nothing */
    struct suite_results results; /* no cases where it is not available */
    struct report_head head;
};

/* All of it is borrowed. */
struct matrix {
    const char *title;
    const char *version; /* of meshspec */
    const char *started; /* date and time in UTC; NULL: not known */
    const char *only;    /* the glob that chose scenarios; NULL: all were played */
    const char *reports; /* the folder, from the page's own, where each run's full report lies (matrix_report_file); NULL: there are none */
    bool strict;
    const struct clause *const *clauses; /* the catalogue, in its order */
    size_t clause_count;
    struct scenario *const *scenarios; /* by name */
    size_t scenario_count;
    const struct matrix_run *runs;
    size_t run_count;
};

/*
 * The exit status of the whole: 1 when some run failed, else 3 when one could not be judged (or is not available, and
 * not optional) or nothing at all was judged, else 0.
 */
enum error_code matrix_exit(const struct matrix *matrix);

/* Appends the path of a run's full report: below `folder`, named after the run. */
void matrix_report_file(struct buffer *out, const char *folder, const struct matrix_run *run, size_t run_index);

/* What came of it, in a few words. */
const char *matrix_headline(const struct matrix *matrix);

#endif
