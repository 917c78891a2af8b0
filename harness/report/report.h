/*
 * What all reports share: the head of a run, and what a result means to a reader.
 *
 * Every report is a pure function of a head and results. It appends to a buffer of the caller's, and whatever bytes are
 * in the results, what it appends is valid in its own format.
 */
#ifndef MESHSPEC_REPORT_H
#define MESHSPEC_REPORT_H

#include "harness/run/suite.h"

/* What a reader must know about a run besides its results. All of it is borrowed. */
struct report_head {
    const char *version; /* of meshspec */
    const char *target;  /* as the reader named it; a server that was started for the run: its command */
    const char *const *profiles;
    size_t profile_count;
    uint64_t seed;
    const char *started; /* date and time in UTC, as RFC 3339 has it; NULL: not known */
    bool strict;
    const char *program;   /* how the reader calls the command, for the lines that repeat a case */
    const char *arguments; /* what else those lines need, such as "--target ws://…"; may be empty */
};

/* What a result is to a reader: its verdict, with what a failure weighs. In the order in which a reader wants to see
 * them. */
enum outcome {
    OUTCOME_FAIL,    /* fails the run */
    OUTCOME_ERROR,   /* the target could not be judged */
    OUTCOME_XPASS,   /* passes, though a list says that it fails: fails the run */
    OUTCOME_WARNING, /* a failing SHOULD, without `strict` */
    OUTCOME_REMARK,  /* a failing MAY */
    OUTCOME_XFAIL,   /* fails, as a list says */
    OUTCOME_SKIP,
    OUTCOME_PASS,
    OUTCOME_COUNT
};

enum outcome report_outcome(const struct case_result *result, bool strict);

/* "fail", "error", "xpass", "warning", "remark", "xfail", "skip", "pass". */
const char *outcome_name(enum outcome outcome);

/* Whether the target did otherwise than a clause says: fail, warning, remark and xfail. */
bool outcome_has_failure(enum outcome outcome);

/* The folder of the scenario's name, "join" of "join/delta"; the whole name when it has none. */
struct text report_area(const struct scenario *scenario);

/* Whether the case was judged by `clause`, one of its scenario's: it holds in the case's profile. */
bool report_judged_by(const struct case_result *result, const struct clause *clause);

/* The id of the clause that a failure is about: the history rule, else the first of the scenario's strongest clauses.
 * "" when there is none. */
const char *report_clause(const struct case_result *result);

#define REPORT_REASON_CEILING 300     /* bytes of a reason that stands in one line */
#define REPORT_DIFFERENCE_CEILING 160 /* bytes of the difference that stands behind it */

/* Appends why the case is not a plain pass, as one line; nothing for a pass. */
void report_reason(struct buffer *out, const struct case_result *result);

/* Appends the command that plays the case again. */
void report_again(struct buffer *out, const struct case_result *result, const char *program, const char *arguments);

/* What came of the run, in a few words: "all as expected", "not as the protocol says", … */
const char *report_headline(const struct suite_results *results, bool strict);

/* Appends the verdict on the whole run as one sentence: the counts and the time. */
void report_verdict(struct buffer *out, const struct suite_results *results, bool strict);

/* Appends one word for a shell: in quotes when it has anything but letters, digits and the most harmless marks. */
void report_shell_word(struct buffer *out, const char *word);

/*
 * Appends what the console shows of a case, without colours, safe in any text format; at most `ceiling` bytes: a longer
 * block is cut in its middle, between lines, with what is left out named.
 */
void report_block(struct buffer *out, const struct case_result *result, const struct report_head *head, size_t ceiling);

#endif
