#include "relay-ref/adapters/ws_server_pace.h"

#define SECOND 1e6 /* microseconds */

/* The longest wait, an hour, so that no rate however low gives a time that is none. */
#define LONGEST_WAIT 3600e6

void pace_start(struct pace *pace, double rate, int64_t now) {
    *pace = (struct pace){.tokens = rate * PACE_BURST_SECONDS, .at = now};
}

int64_t pace_take(struct pace *pace, double rate, int64_t now) {
    if (rate <= 0)
        return 0;
    double most = rate * PACE_BURST_SECONDS;
    pace->tokens += (double)(now - pace->at) * rate / SECOND;
    if (pace->tokens > most)
        pace->tokens = most;
    pace->at = now;
    pace->tokens -= 1;
    if (pace->tokens >= 0)
        return 0;
    double wait = -pace->tokens * SECOND / rate;
    return wait < LONGEST_WAIT ? (int64_t)wait + 1 : (int64_t)LONGEST_WAIT;
}
