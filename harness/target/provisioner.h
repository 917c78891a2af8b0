/*
 * The provisioner under test: a child process a run, one JSON request on its standard input, one JSON answer on its
 * standard output.
 */
#ifndef MESHSPEC_TARGET_PROVISIONER_H
#define MESHSPEC_TARGET_PROVISIONER_H

#include "harness/base/arena.h"
#include "harness/base/error.h"
#include "harness/base/text.h"

#define PROVISIONER_OUTPUT_CEILING ((size_t)64 << 20) /* bytes of each file that it writes; more kills it */
/* Between a whole answer and the end of the process, which pooled connections may delay; then it is ended. */
#define PROVISIONER_GRACE_MS 250
#define PROVISIONER_EVIDENCE_CEILING                                                                                   \
    ((size_t)2000) /* bytes of its standard error that a reason quotes: the last ones */

struct provisioner_run;

/* What came of a run; the texts are in the arena that was given. */
struct provisioner_result {
    bool ended;         /* false: it hung until its time was over, and was killed */
    const char *how;    /* how it ended, as half a sentence: "ended with status 3" */
    bool well;          /* with status 0 */
    struct text output; /* its standard output */
    struct text errors; /* its standard error */
};

/* Runs `command` with /bin/sh in a process group of its own, with `request` as its standard input. NULL with
 * ERROR_TARGET when no process can be made. */
struct provisioner_run *provisioner_start(const char *command, struct text request, struct error *error);

/* Waits for its end, or for PROVISIONER_GRACE_MS from a whole JSON text on its standard output on, for at most
 * `limit_ms`; then kills what is left of its process group, and frees the run. */
struct provisioner_result provisioner_finish(struct provisioner_run *run, struct arena *arena, int limit_ms);

#endif
