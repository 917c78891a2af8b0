/*
 * What a run takes from outside: the clock, chance, and the date.
 */
#ifndef MESHSPEC_MOMENT_H
#define MESHSPEC_MOMENT_H

#include "harness/run/case.h"

#define MOMENT_CAPACITY 32

/* The machine's monotonic clock. */
struct run_clock moment_clock(void);

/* A number that nobody can guess, from the machine. */
uint64_t moment_random(void);

/* A seed for races, short enough to be typed again. */
uint64_t moment_seed(void);

/* Writes the date and time in UTC as RFC 3339 has it, at most MOMENT_CAPACITY bytes. */
void moment_print(char *out);

#endif
