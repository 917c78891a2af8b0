/*
 * The TAP report: Test Anything Protocol, version 14, with a YAML block behind every test that is not a plain pass.
 * REPORT.md says what becomes what.
 */
#ifndef MESHSPEC_TAP_H
#define MESHSPEC_TAP_H

#include "harness/report/report.h"

#define TAP_BLOCK_CEILING ((size_t)64 << 10) /* bytes of the text of one failure */

/* Appends the whole report. */
void tap_report(struct buffer *out, const struct suite_results *results, const struct report_head *head);

#endif
