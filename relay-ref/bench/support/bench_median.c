#include "relay-ref/bench/support/bench_median.h"

#include <stdlib.h>

static int by_size(const void *left, const void *right) {
    const double *first = left, *second = right;
    return (*first > *second) - (*first < *second);
}

double bench_median(double *samples, size_t count) {
    qsort(samples, count, sizeof *samples, by_size);
    return samples[count / 2];
}
