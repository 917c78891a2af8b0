/*
 * The report files of a run: which were asked for, and writing them.
 */
#ifndef MESHSPEC_REPORTS_H
#define MESHSPEC_REPORTS_H

#include <stdio.h>

#include "harness/base/error.h"
#include "harness/report/report.h"

enum {
    REPORTS_JSON = 100, /* ids of the options, out of the way of the verb's own */
    REPORTS_JUNIT,
    REPORTS_TAP,
    REPORTS_MARKDOWN,
    REPORTS_HTML,
    REPORTS_END
};

#define REPORTS_COUNT (REPORTS_END - REPORTS_JSON)

/* The rows of the table of options. */
#define REPORTS_OPTIONS                                                                                                \
    {"json", "FILE",                                                                                                   \
     "write the results as JSON (- for standard output, and nothing else there; so for the other reports)",            \
     REPORTS_JSON, "FILE"},                                                                                            \
        {"junit", "FILE", "write the results as JUnit XML, for GitLab, Jenkins and their like", REPORTS_JUNIT,         \
         "FILE"},                                                                                                      \
        {"tap", "FILE", "write the results as TAP 14", REPORTS_TAP, "FILE"},                                           \
        {"markdown", "FILE", "write the results as Markdown, for a job's summary", REPORTS_MARKDOWN, "FILE"}, {        \
        "html", "FILE", "write the results as one page to read and share: filters, transcripts, sequence diagrams",    \
            REPORTS_HTML, "FILE"                                                                                       \
    }

/* Zero-initialise it. */
struct reports {
    const char *files[REPORTS_COUNT]; /* "-": standard output; NULL: not asked for */
    FILE *streams[REPORTS_COUNT];     /* open between reports_open and reports_write */
};

/* Takes one of the options above; false with ERROR_USAGE when a second report would go to the same file or to standard output, or one over
   a scenario. */
bool reports_take(struct reports *reports, int id, const char *file, struct error *error);

/* Whether a report goes to standard output, so that nothing else may. */
bool reports_fill_stdout(const struct reports *reports);

/*
 * Opens every file before the run, so that a name that cannot be written is found at once, and so that a run that is
 * broken off leaves an empty file rather than an old one. False with ERROR_USAGE naming the file; nothing is left open
 * then.
 */
bool reports_open(struct reports *reports, struct error *error);

/* Writes and closes what reports_open opened. False with ERROR_USAGE naming the file that could not be written; all are
 * closed. */
bool reports_write(struct reports *reports, const struct suite_results *results, const struct report_head *head,
                   struct error *error);

#endif
