/* The relay's core in this process, with connections whose sinks only count. Whatever goes wrong ends the program with
 * exit code 4. */
#ifndef MESHSPEC_BENCH_CORE_H
#define MESHSPEC_BENCH_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "relay-ref/core/relay.h"

struct bench_core {
    struct relay *relay; /* owned: relay_free */
    uint64_t minted;     /* epochs and instances */
    uint64_t frames;     /* that its connections got */
};

/* Ends the program unless it is so; `what` is said otherwise. */
void bench_must(bool true_thing, const char *what);

/* Makes the relay. `core` must stay where it is. */
void bench_core_start(struct bench_core *core, const struct relay_options *options);

/* One connection more, as writer `w`. */
struct relay_connection *bench_core_connect(struct bench_core *core);

/* Of this program's own work: what else runs on the machine does not count. */
double bench_core_seconds(void);

#endif
