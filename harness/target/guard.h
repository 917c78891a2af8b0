/*
 * A process that sees to it that no server is left behind when this one ends in an extraordinary way: killed, interrupted on a
 * terminal, out of memory. The shell that runs a server's command does not pass on what ends it, so that its death alone is not enough.
 */
#ifndef MESHSPEC_GUARD_H
#define MESHSPEC_GUARD_H

#include <sys/types.h>

#define GUARD_GRACE_SECONDS 5 /* between SIGTERM and SIGKILL */

/*
 * Starts a guard in the process group `group`. When this process has ended, it sends the group SIGTERM and later SIGKILL; it ends with
 * the group, for which the caller sends it SIGKILL. Returns the file that tells it that this process lives, to be closed after that; -1:
 * there is no guard.
 */
int guard_start(pid_t group);

#endif
