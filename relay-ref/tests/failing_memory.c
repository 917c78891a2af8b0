#include "relay-ref/tests/failing_memory.h"

#include <stdlib.h>

/* The wrapped functions have no argument that could carry this. */
static struct {
    size_t countdown; /* 0: nothing fails */
    bool forever, failed;
} plan;

void memory_fails_at(size_t nth, bool forever) {
    plan.countdown = nth;
    plan.forever = forever;
    plan.failed = false;
}

bool memory_works_again(void) {
    plan.countdown = 0;
    return plan.failed;
}

static bool fails_now(void) {
    if (plan.countdown == 0 || --plan.countdown > 0)
        return false;
    plan.failed = true;
    plan.countdown = plan.forever ? 1 : 0;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size) {
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    return fails_now() ? NULL : __real_realloc(memory, size);
}
