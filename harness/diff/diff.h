/*
 * What changed between two runs: their JSON reports (harness/report/REPORT.md), held against each other case by case.
 *
 * A case is known by its scenario and profile, and by its target where a report has several. Where each report has one
 * target, their names may differ: a server that is started for a run listens somewhere else each time, and two relays
 * can be compared.
 */
#ifndef MESHSPEC_DIFF_H
#define MESHSPEC_DIFF_H

#include "harness/base/arena.h"
#include "harness/base/error.h"
#include "harness/base/text.h"

#define DIFF_FILE_CEILING ((size_t)1 << 30)       /* bytes of a report */
#define DIFF_REASON_CEILING ((size_t)400)         /* bytes of a reason that is shown */
#define DIFF_MARKDOWN_CEILING ((size_t)960 << 10) /* bytes of the Markdown */
#define DIFF_ROWS_CEILING 200                     /* of one of its tables */

/* As in the reports. */
enum diff_outcome { DIFF_PASS, DIFF_XPASS, DIFF_XFAIL, DIFF_REMARK, DIFF_WARNING, DIFF_SKIP, DIFF_FAIL, DIFF_ERROR };

struct diff_case {
    struct text name, profile, target;
    enum diff_outcome outcome;
    struct text reason; /* as a reader sees it, one line; empty for a pass */
    struct text gist; /* of the reason: what must be equal for it to be the same; values that differ from run to run are
                         not in it */
};

struct diff_report {
    struct arena *arena; /* owns all of it */
    const char *file;
    struct text target, version, started; /* started: empty when not known */
    bool strict;
    struct diff_case *cases; /* by name, profile and target */
    size_t count;
    size_t left_out; /* cases that the report counts but does not list */
    bool several_targets;
};

/*
 * Reads a report. False with ERROR_USAGE "FILE: …" when it cannot be read, is no report, is of another form, or is cut
 * short (it has no summary at its end, or lists fewer cases than that counts). `file` is borrowed. Free with
 * diff_report_free in either case.
 */
bool diff_load(struct diff_report *report, const char *file, struct error *error);
void diff_report_free(struct diff_report *report);

/* Orders cases by name and profile, and by target when that tells them apart; as memcmp does. */
int diff_case_order(const struct diff_case *a, const struct diff_case *b, bool by_target);

/* What became of a case. The kinds up to DIFF_LAST_WORSE say that something got worse. */
enum diff_kind {
    DIFF_NEWLY_FAILING,
    DIFF_NEWLY_ERROR,
    DIFF_NEWLY_WARNING,
    DIFF_NEWLY_SKIPPED, /* it was judged, and not found wanting */
    DIFF_GONE,          /* it passed, and is not in the new report */
    DIFF_LAST_WORSE = DIFF_GONE,
    DIFF_FIXED,
    DIFF_JUDGED,         /* it was skipped and passes */
    DIFF_NEW,            /* it is not in the old report, and is none of the above */
    DIFF_GONE_OTHERWISE, /* it did not pass, and is not in the new report */
    DIFF_KNOWN,          /* it fails as a list says, and did not do so before */
    DIFF_CHANGED,        /* neither good nor bad: another reason, or another outcome */
    DIFF_SAME,
    DIFF_KIND_COUNT
};

struct diff_change {
    enum diff_kind kind;
    const struct diff_case *before, *after; /* NULL: not there; never both */
};

struct diff {
    const struct diff_report *before, *after; /* borrowed */
    struct diff_change *changes;              /* all cases, by kind, then by name and profile */
    size_t count;
    size_t counts[DIFF_KIND_COUNT];
};

/* Free with diff_free, before the reports. */
struct diff diff_compare(const struct diff_report *before, const struct diff_report *after);
void diff_free(struct diff *diff);

/* How many cases got worse. */
size_t diff_worse(const struct diff *diff);

const char *diff_outcome_name(enum diff_outcome outcome);
const char *diff_kind_title(enum diff_kind kind); /* "newly failing", "fixed", … */

/* Appends the changes for a terminal; nothing but the counts when there is none. */
void diff_print(struct buffer *out, const struct diff *diff);

/* Appends them in GitHub's Markdown, below DIFF_MARKDOWN_CEILING bytes. */
void diff_markdown(struct buffer *out, const struct diff *diff);

#endif
