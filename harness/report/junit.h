/*
 * The JUnit report, as GitHub's readers, GitLab and Jenkins take it: one suite for each profile, one testcase for each
 * case. REPORT.md says what becomes what.
 */
#ifndef MESHSPEC_JUNIT_H
#define MESHSPEC_JUNIT_H

#include "harness/report/report.h"

#define JUNIT_BLOCK_CEILING ((size_t)64 << 10) /* bytes of the text of one failure */

/* Appends the whole report: XML 1.0 in UTF-8. */
void junit_report(struct buffer *out, const struct suite_results *results, const struct report_head *head);

#endif
