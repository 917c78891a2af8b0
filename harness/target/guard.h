/*
 * A process that sees to it that no server is left behind when this one ends in an extraordinary way: killed, interrupted on a
 * terminal, out of memory. The shell that runs a server's command does not pass on what ends it, so that its death alone is not enough.
 */
#ifndef MESHSPEC_GUARD_H
#define MESHSPEC_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#define GUARD_GRACE_SECONDS 5 /* between SIGTERM and SIGKILL */

struct guard {
    pid_t group; /* a process group that the guard leads, for the server and all that it starts */
    int life;    /* this process holds the other end open as long as it lives */
};

/* Starts a guard with a group of its own. When this process has ended, the group gets SIGTERM and later SIGKILL. False: errno says why. */
bool guard_start(struct guard *guard);

/* Kills whatever is still in the group, the guard among it, and reaps the guard. */
void guard_end(struct guard *guard);

#endif
