#include "relay-ref/tests/failing_memory.h"

#include <stdlib.h>

/* The wrapped functions have no argument that could carry this. */
static struct {
    size_t countdown; /* 0: nothing fails */
    bool forever, failed;
    size_t in_use;
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

size_t memory_in_use(void) {
    return plan.in_use;
}

static bool fails_now(void) {
    if (plan.countdown == 0 || --plan.countdown > 0)
        return false;
    plan.failed = true;
    plan.countdown = plan.forever ? 1 : 0;
    return true;
}

static void *counted(void *memory) {
    plan.in_use += memory != NULL;
    return memory;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size) {
    return fails_now() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails_now() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size) {
    if (fails_now())
        return NULL;
    return memory == NULL ? counted(__real_malloc(size)) : __real_realloc(memory, size);
}

void __wrap_free(void *memory) {
    plan.in_use -= memory != NULL;
    __real_free(memory);
}
