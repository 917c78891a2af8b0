/*
 * What running cases gives: verdicts with their evidence. Reports read these and nothing else.
 */
#ifndef MESHSPEC_RESULT_H
#define MESHSPEC_RESULT_H

#include <stdint.h>

#include "harness/match/match.h"
#include "harness/scenario/scenario.h"

enum verdict {
    VERDICT_PASS,
    VERDICT_FAIL,
    VERDICT_SKIP, /* the target lacks something that the scenario needs; never green */
    VERDICT_ERROR, /* the target could not be judged */
    VERDICT_XFAIL, /* it fails, and a list says so */
    VERDICT_XPASS  /* it passes, though a list says that it fails: the list is wrong */
};

const char *verdict_name(enum verdict verdict); /* "pass", "fail", "skip", "error", "xfail", "xpass" */

enum trace_kind {
    TRACE_CONNECTED, /* the actor opened a connection */
    TRACE_SENT,      /* the actor sent a message */
    TRACE_RECEIVED,  /* the actor received a message */
    TRACE_CLOSED,    /* the relay closed the actor's connection */
    TRACE_LEFT,      /* the actor ended its connection */
    TRACE_CONTROL,   /* a command to the relay or the clock, with its answer */
    TRACE_OBSERVED,  /* an observer of the relay fired */
    TRACE_HYDRATED,  /* the relay accepted a hydrate; the value is {room, snapshot} */
    TRACE_RESTARTED  /* the relay began a new life */
};

const char *trace_kind_name(enum trace_kind kind);

/* One line of the transcript. Names are as in the scenario: suffixes are taken off. */
struct trace_entry {
    enum trace_kind kind;
    int64_t elapsed_us; /* since the case began */
    struct text actor;  /* a client, "relay" or "clock" */
    int connection;     /* the target's number of the connection; -1: none */
    struct text text;   /* the message as compact JSON, or as it came where it is not JSON */
    const struct json_value *value; /* the message; NULL where it is not JSON */
    uint32_t line;      /* the step's line in the scenario; 0: not from a step */
    bool unexpected;    /* the message that the failure is about */
    struct trace_entry *next;
};

/* Why a case failed. */
struct failure {
    struct text message; /* one sentence */
    uint32_t line, column;
    struct text wanted;  /* the whole pattern as compact JSON; bytes NULL: none */
    struct text came;    /* the whole message; bytes NULL: nothing came */
    struct text actor;   /* who should have got it; empty: nobody in particular */
    struct difference *differences;
    const char *rule; /* the rule of the history check that failed; NULL: a step */
};

struct case_result {
    const struct scenario *scenario;
    const char *profile;
    const char *target;
    enum verdict verdict;
    struct text reason;     /* of a skip or an error */
    bool broke;             /* of an error: the target was open for the case, and crashed, hung or spoke nonsense in the middle of it */
    struct failure failure; /* of a failure */
    struct trace_entry *trace;
    int64_t duration_us;
    uint64_t seed;  /* of the races' rounds */
    bool seeded;    /* the case had a race whose order was drawn by the seed */
    const char *known; /* VERDICT_XFAIL, VERDICT_XPASS: the list's reason */
    unsigned runs, failed_runs; /* of a failure that was run again: how often in all, and how often it failed; 0: it was not */
    unsigned plays; /* how many times the scenario was played (interleavings or rounds of its races) */
    struct arena *arena; /* owns all of it but the scenario */
};

void case_result_free(struct case_result *result);

#endif
