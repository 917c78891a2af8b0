/* The middle one of some measurements: one that another program spoiled does not count. */
#ifndef MESHSPEC_BENCH_MEDIAN_H
#define MESHSPEC_BENCH_MEDIAN_H

#include <stddef.h>

/* Of `count` samples, at least one; puts them in order. */
double bench_median(double *samples, size_t count);

#endif
