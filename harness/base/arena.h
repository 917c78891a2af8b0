/*
 * An arena: memory for one unit of work (a scenario file, a message, a case), freed all at once.
 */
#ifndef MESHSPEC_ARENA_H
#define MESHSPEC_ARENA_H

#include <stddef.h>

struct arena;

/* Makes an empty arena. Aborts the process with a message and status 4 when memory is out, as all functions here do:
   the harness has nothing sensible to judge with then. */
struct arena *arena_new(void);

/* Frees everything that was allocated from it. NULL is allowed. */
void arena_free(struct arena *arena);

/* `size` zeroed bytes, aligned for any type, valid until arena_free. Never NULL; size 0 gives a unique pointer. */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy of `length` bytes with a NUL behind them. */
char *arena_copy(struct arena *arena, const char *bytes, size_t length);

/* A printf-formatted text. */
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
