#include "relay-ref/bench/support/bench_core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void bench_must(bool true_thing, const char *what) {
    if (true_thing)
        return;
    fprintf(stderr, "%s: %s.\n", program_invocation_short_name, what);
    exit(4);
}

static int64_t bench_now(void *context) {
    (void)context;
    return 0;
}

static size_t bench_mint(void *context, char *out, size_t capacity) {
    struct bench_core *core = context;
    return (size_t)snprintf(out, capacity, "life-%llu", (unsigned long long)++core->minted);
}

static void count_frame(void *context, struct relay_frame *frame) {
    struct bench_core *core = context;
    relay_frame_keep(frame);
    core->frames++;
    relay_frame_release(frame);
}

static void ignore_close(void *context) {
    (void)context;
}

void bench_core_start(struct bench_core *core, const struct relay_options *options) {
    struct relay_env env = {.context = core, .now = bench_now, .mint = bench_mint};
    *core = (struct bench_core){0};
    core->relay = relay_new(&env, options); /* which mints already */
    bench_must(core->relay != NULL, "memory is out");
}

struct relay_connection *bench_core_connect(struct bench_core *core) {
    struct relay_sink sink = {core, count_frame, ignore_close};
    struct relay_principal principal = {.writer = {"w", 1}};
    struct relay_connection *connection = relay_connect(core->relay, &sink, &principal);
    bench_must(connection != NULL, "memory is out");
    return connection;
}

double bench_core_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
