/* A whole session of two clients whose memory is out: at its first allocation, then at its second, and so on until none fails. */
#ifndef MESHSPEC_RELAY_TESTS_FAILING_SESSION_H
#define MESHSPEC_RELAY_TESTS_FAILING_SESSION_H

#include "relay-ref/tests/world.h"

struct failing_session {
    struct world *world; /* opened and closed for every run; the clients' writers are `w` and `v` */
    enum relay_protocol protocol;
    const char *options;
    void (*run)(struct pair *ana, struct pair *ben); /* while memory fails */
    void (*check)(void);                             /* once it works again */
    void (*check_without_ana)(void);                 /* once she is gone */
};

/*
 * Plays it again and again; nothing may be left behind. With `forever` memory stays out until the session is over. At least `least`
 * allocations have to have had their turn.
 */
void every_allocation_fails(const struct failing_session *session, bool forever, size_t least);

#endif
