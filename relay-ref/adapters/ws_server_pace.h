/* How fast one connection may send: a bucket of tokens, one for each message, that fills again over time. */
#ifndef MESHSPEC_WS_SERVER_PACE_H
#define MESHSPEC_WS_SERVER_PACE_H

#include <stdint.h>

/* The bucket holds so many seconds' worth. */
#define PACE_BURST_SECONDS 2

struct pace {
    double tokens; /* below 0: more was taken than was there */
    int64_t at;    /* when it was last filled, in microseconds */
};

/* A full bucket. `rate` is in messages a second; 0: no limit. */
void pace_start(struct pace *pace, double rate, int64_t now);

/*
 * Takes one token at the time `now`, which never goes back. Returns the microseconds until the next message may be read:
 * 0 while there are tokens.
 */
int64_t pace_take(struct pace *pace, double rate, int64_t now);

#endif
