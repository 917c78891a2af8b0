/*
 * Any relay by URL, with what a target file can say about it.
 */
#ifndef MESHSPEC_TARGET_WEBSOCKET_H
#define MESHSPEC_TARGET_WEBSOCKET_H

#include "harness/target/principal.h"
#include "harness/target/target.h"
#include "harness/target/trust.h"

/* All is borrowed and must outlive the target. */
struct websocket_settings {
    const char *url;
    const struct principal_way *principal; /* NULL: principal_by_query */
    const char *control;                   /* its control URL (see control.h); NULL: it has none */
    const char *options;                   /* what it runs with, JSON; NULL: the protocol's defaults */
    const char *const *profiles;           /* what it speaks, ended by NULL; NULL: what the caller asks for */
    bool hello_fences;                     /* signals may overtake: fences are hellos */
    struct trust trust;                    /* for wss:// */
};

/*
 * Asks the control URL what it can do, which decides about the target's capabilities; when it does not answer, `open`
 * says so. NULL with ERROR_USAGE when a URL is none.
 */
struct target *target_websocket_open(const struct websocket_settings *settings, struct error *error);

#endif
