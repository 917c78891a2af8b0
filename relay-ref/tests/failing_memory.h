/* Makes allocations of everything that is linked into the tests fail (the linker sends them here with --wrap). */
#ifndef MESHSPEC_RELAY_TESTS_FAILING_MEMORY_H
#define MESHSPEC_RELAY_TESTS_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The allocation number `nth` from now on (1 is the next) fails; with `forever`, all after it too. */
void memory_fails_at(size_t nth, bool forever);

/* Allocations work again. True when one failed since memory_fails_at. */
bool memory_works_again(void);

/* Allocations that were not freed yet. */
size_t memory_in_use(void);

#endif
