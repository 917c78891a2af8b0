#include "harness/command/moment.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static int64_t now_us(void *context) {
    (void)context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct run_clock moment_clock(void) {
    return (struct run_clock){NULL, now_us};
}

uint64_t moment_random(void) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) {
        number = (uint64_t)now_us(NULL) ^ (uint64_t)getpid();
    }
    return number;
}

uint64_t moment_seed(void) {
    return moment_random() % 1000000;
}

void moment_print(char *out) {
    time_t now = time(NULL);
    struct tm broken;
    strftime(out, MOMENT_CAPACITY, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &broken));
}
