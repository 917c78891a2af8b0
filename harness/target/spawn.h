/*
 * A server started for a run: ready when it prints a line `listening URL` on its standard output, ended when the run is over.
 * A line `control URL` names its control URL; it stands before the readiness line or comes in one write with it.
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

struct spawn_settings {
    const char *command;
    const char *ready; /* how the readiness line begins; NULL: "listening " */
    const char *url;   /* NULL: the rest of the readiness line */
};

/*
 * Runs `command` with /bin/sh in a process group of its own and waits for its readiness line. NULL with ERROR_TARGET when it ends
 * or says nothing within `limit_ms`; the error quotes what it wrote on standard error.
 */
struct spawned *spawn_start(const struct spawn_settings *settings, int limit_ms, struct error *error);

/* The URL where it listens. */
const char *spawn_url(const struct spawned *spawned);

/* Its control URL; NULL: it said none. */
const char *spawn_control(const struct spawned *spawned);

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
