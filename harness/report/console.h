/*
 * The console report: what a person reads while and after a run. A pure function of results; text goes to a buffer of
 * the caller's.
 */
#ifndef MESHSPEC_CONSOLE_H
#define MESHSPEC_CONSOLE_H

#include "harness/run/suite.h"

struct console_style {
    bool colour;
    bool strict;           /* a failing SHOULD is shown as a failure, not as a warning */
    const char *program;   /* how the reader calls the command, for the line that repeats a case */
    const char *arguments; /* what else that line needs, such as "--target ws://…"; may be empty */
};

#define CONSOLE_VALUE_CEILING 800   /* bytes of a wanted or received value that are shown */
#define CONSOLE_REASON_CEILING 2000 /* bytes of the sentence that says what is wrong */
#define CONSOLE_TEXT_CEILING 240    /* bytes of a message that a transcript line shows */

/* One case: the clause, the place, what differed, wanted and came, the transcript, and the command that repeats it.
 * Nothing for a pass; one line for a skip. */
void console_case(struct buffer *out, const struct case_result *result, const struct console_style *style);

/* The last lines: skipped cases by reason, then the counts. */
void console_summary(struct buffer *out, const struct suite_results *results, const struct console_style *style);

#endif
