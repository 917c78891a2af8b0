/*
 * Memory for one run: everything that a run makes lives in one arena and goes with it.
 *
 * The program does one thing and ends, so that a failed allocation has one sensible answer: say so and stop.
 * `arena_take` therefore never returns NULL, and no caller checks for it.
 */
#ifndef PROVISION_ARENA_H
#define PROVISION_ARENA_H

#include <stddef.h>

struct arena;

/* Makes an empty arena that gives out at most `ceiling` bytes. Ends the program when memory is out. */
struct arena *arena_new(size_t ceiling);

/* Frees the arena and everything taken from it. NULL is allowed. */
void arena_free(struct arena *arena);

/*
 * `size` zeroed bytes, aligned for any type, owned by the arena. When memory is out or the ceiling reached, writes one line
 * to standard error and ends the program with exit code 1.
 */
void *arena_take(struct arena *arena, size_t size);

/* The same end, for memory that a library could not get. */
_Noreturn void arena_out_of_memory(void);

#endif
