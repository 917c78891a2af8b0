/*
 * The JSON report: one object, its form described in harness/report/REPORT.md. The `summary` at its end is the footer: a file without it is cut short.
 */
#ifndef MESHSPEC_JSON_REPORT_H
#define MESHSPEC_JSON_REPORT_H

#include "harness/run/suite.h"

#define JSON_REPORT_VERSION 1

/* Appends the whole report. */
void json_report(struct buffer *out, const struct suite_results *results, bool strict);

#endif
