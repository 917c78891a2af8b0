/*
 * The HTML report: one page that needs nothing else, neither a server nor a network. What it is made of lies in
 * harness/report/page/ and is built in; the results go in as JSON, in the form of the JSON report, and a script in the
 * page shows them.
 */
#ifndef MESHSPEC_HTML_H
#define MESHSPEC_HTML_H

#include "harness/report/report.h"

/* Ceilings of the results in the page, in bytes before `<` is escaped: a page is about 20 MiB at most. */
#define HTML_TEXT_CEILING ((size_t)4000)      /* of one text */
#define HTML_ENTRIES_CEILING ((size_t)240)    /* of one transcript */
#define HTML_TRACES_CEILING ((size_t)8 << 20) /* from here on cases come without their transcript */
#define HTML_CASES_CEILING                                                                                             \
    ((size_t)16 << 20) /* from here on cases are left out: first those that pass, for they stand last */

/* Appends the whole page. */
void html_report(struct buffer *out, const struct suite_results *results, const struct report_head *head);

#endif
