/*
 * From what the command line names to a target that can be judged: a target file is read, a server started, its URLs
 * taken from its readiness lines.
 */
#ifndef MESHSPEC_ATTACH_H
#define MESHSPEC_ATTACH_H

#include "harness/command/target_file.h"
#include "harness/target/spawn.h"
#include "harness/target/websocket.h"

/* Zero-initialise it; end with detach. */
struct attachment {
    struct target_file file; /* empty when none was named */
    struct spawned *server;  /* NULL: none was started */
    struct target *target;
};

/*
 * Reads the target file, if `target` is one; nothing else happens yet. False with ERROR_USAGE. `target` is as on the
 * command line.
 */
bool attach_read(struct attachment *attachment, const char *target, struct error *error);

/*
 * Starts the server that `spawn` (NULL: the target file) names, and makes the target. `trust` is for relays behind wss://,
 * takes the place of the target file's when something is chosen in it, and must outlive the target. False with ERROR_USAGE or ERROR_TARGET; end with detach all the same.
 */
bool attach(struct attachment *attachment, const char *target, const char *spawn, const struct trust *trust,
            struct error *error);

/* Frees all, after it has ended the server. False with ERROR_TARGET when that ended badly. */
bool detach(struct attachment *attachment, struct error *error);

#endif
