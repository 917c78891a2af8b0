/*
 * Plain memory that is never NULL: running out ends the process with a message and status 4, for the harness has
 * nothing sensible to judge with then.
 */
#ifndef MESHSPEC_MEMORY_H
#define MESHSPEC_MEMORY_H

#include <stddef.h>

/* Ends the process with "out of memory", what was being done (printf style) and status 4. For what a library could not
   allocate. */
_Noreturn void memory_is_out(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* After a call of the system's that failed: the same when it failed for want of memory (errno), nothing otherwise. */
void memory_check_errno(const char *what);

/* `size` bytes that hold anything; free with free(). */
void *memory_new(size_t size);

/* Grows or shrinks what memory_new gave (NULL: like memory_new). */
void *memory_resize(void *memory, size_t size);

/* `count` times `size` zeroed bytes; free with free(). */
void *memory_zeroed(size_t count, size_t size);

/*
 * Makes room in a growing array for one element more: doubles `*capacity` when `count` has reached it. Returns the
 * array, moved or not. Owner and free() as with memory_new.
 */
void *memory_room(void *array, size_t count, size_t *capacity, size_t element_size);

#endif
