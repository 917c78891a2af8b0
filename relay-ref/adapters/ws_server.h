/*
 * The reference relay behind libwebsockets: one thread, one event loop, one relay core.
 *
 * What it adds to the core: WebSockets, who a connection is, ceilings on everything that a peer can make grow, an
 * orderly end. `flags.h` lists what can be chosen, `--help` the close codes.
 */
#ifndef MESHSPEC_WS_SERVER_H
#define MESHSPEC_WS_SERVER_H

#include <stdio.h>

#include "relay-ref/adapters/flags.h"

enum server_exit { SERVER_STOPPED = 0, SERVER_FAILED = 1, SERVER_BAD_USAGE = 2, SERVER_CANNOT_LISTEN = 3 };

/*
 * Serves until SIGTERM or SIGINT, which it takes over for the whole process. Readiness lines go to `out` and are
 * flushed, messages to `err`.
 */
enum server_exit server_run(const struct server_flags *flags, FILE *out, FILE *err);

/* The whole program: reads the command line, then prints a page or serves. Returns the exit code. */
int server_main(int argc, char **argv);

#endif
