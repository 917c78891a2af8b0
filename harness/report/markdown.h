/*
 * The Markdown report: what fits the summary of a job. The verdict first, then counts, then what is wrong, then the
 * evidence.
 */
#ifndef MESHSPEC_MARKDOWN_H
#define MESHSPEC_MARKDOWN_H

#include "harness/report/report.h"

#define MARKDOWN_CEILING ((size_t)960 << 10)      /* bytes of the whole; GitHub refuses a summary of more than 1 MiB */
#define MARKDOWN_BLOCK_CEILING ((size_t)24 << 10) /* bytes of one case's evidence */
#define MARKDOWN_ROWS_CEILING 200                 /* of one table */

/* Appends the whole report, in GitHub's dialect. */
void markdown_report(struct buffer *out, const struct suite_results *results, const struct report_head *head);

#endif
