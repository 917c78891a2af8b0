/*
 * A server started for a run: ready when it prints a line `listening URL` on its standard output, ended when the run is over.
 */
#ifndef MESHSPEC_SPAWN_H
#define MESHSPEC_SPAWN_H

#include "harness/base/error.h"
#include "harness/base/text.h"

#define SPAWN_URL_CEILING 1024        /* bytes of the URL */
#define SPAWN_OUTPUT_CEILING 65536    /* bytes of standard output that are read for the readiness line */
#define SPAWN_EVIDENCE_CEILING 4096   /* bytes of standard error that an error quotes: the last ones */
#define SPAWN_READY_LIMIT_MS 30000
#define SPAWN_STOP_LIMIT_MS 10000     /* between SIGTERM and SIGKILL */

struct spawned;

/*
 * Runs `command` with /bin/sh in a process group of its own and waits for its readiness line. NULL with ERROR_TARGET when it ends
 * or says nothing within `limit_ms`; the error quotes what it wrote on standard error.
 */
struct spawned *spawn_start(const char *command, int limit_ms, struct error *error);

/* The URL of its readiness line. */
const char *spawn_url(const struct spawned *spawned);

/*
 * Ends it: SIGTERM, after `limit_ms` SIGKILL; frees it. False with ERROR_TARGET when it had died before, had to be killed, or ended with
 * a status other than 0 (as a sanitizer's report makes it), quoting its standard error.
 */
bool spawn_stop(struct spawned *spawned, int limit_ms, struct error *error);

/* Ends it without a warning, as a crash does, and frees it. */
void spawn_kill(struct spawned *spawned);

/* Appends what it wrote on standard error so far. */
void spawn_errors(const struct spawned *spawned, struct buffer *out);

#endif
