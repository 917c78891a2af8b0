/*
 * The JSON report: one object, its form described in harness/report/REPORT.md. The `summary` at its end is the footer:
 * a file without it is cut short.
 */
#ifndef MESHSPEC_JSON_REPORT_H
#define MESHSPEC_JSON_REPORT_H

#include "harness/report/report.h"
#include "harness/report/visible.h"

#define JSON_REPORT_VERSION 1

/* How much of the evidence is kept, so that a run of thousands of failing cases with large messages stays a file that
 * can be read. */
struct json_limits {
    enum visible_what what; /* how much is made visible; VISIBLE_BYTES keeps every text that JSON can carry */
    size_t text;            /* bytes of a message, a value or a reason; longer ones are cut, with their length named */
    size_t entries; /* of a transcript; of a longer one the middle is left out, but never what the failure is about */
    size_t traces;  /* once the report has so many bytes, cases come without their transcript */
    size_t cases;   /* once the report has so many bytes, cases are left out */
};

/* With these, a report never has more values than harness/json reads from one text, so that `meshspec diff` takes it.
 */
#define JSON_TEXT_CEILING ((size_t)32 << 10)
#define JSON_ENTRIES_CEILING ((size_t)2000)
#define JSON_TRACES_CEILING ((size_t)64 << 20)
#define JSON_CASES_CEILING ((size_t)128 << 20)

/* Appends the whole report, within the ceilings above; cases stand in the order in which they ran. */
void json_report(struct buffer *out, const struct suite_results *results, const struct report_head *head);

/* Likewise, within other limits, and with what a reader wants to see first at the front: by outcome, then in the order
 * in which they ran. */
void json_report_within(struct buffer *out, const struct suite_results *results, const struct report_head *head,
                        const struct json_limits *limits);

#endif
