#include "harness/base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/base/memory.h"

#define FIRST_BLOCK ((size_t)2048)        /* bytes; most messages fit */
#define LARGEST_BLOCK ((size_t)256 << 10) /* blocks double up to this; anything larger gets a block of its own */
#define ALIGNMENT alignof(max_align_t)

struct block {
    struct block *next;
    alignas(max_align_t) char bytes[];
};

struct arena {
    struct block *blocks;
    char *free_start; /* of the newest block */
    char *free_end;
    size_t next_size;
    alignas(max_align_t) char first[FIRST_BLOCK]; /* so that a small arena is one allocation */
};

struct arena *arena_new(void) {
    struct arena *arena = memory_new(sizeof(*arena));
    arena->blocks = NULL;
    arena->free_start = arena->first;
    arena->free_end = arena->first + FIRST_BLOCK;
    arena->next_size = 2 * FIRST_BLOCK;
    return arena;
}

void arena_free(struct arena *arena) {
    if (arena == NULL)
        return;
    for (struct block *block = arena->blocks; block != NULL;) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
    free(arena);
}

static struct block *add_block(struct arena *arena, size_t size) {
    if (size > SIZE_MAX - sizeof(struct block))
        memory_is_out("%zu bytes were asked for", size);
    struct block *block = memory_new(sizeof(*block) + size);
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

/* `size` bytes that hold anything. */
static char *take(struct arena *arena, size_t size) {
    if (size > SIZE_MAX - ALIGNMENT)
        size = SIZE_MAX - ALIGNMENT; /* refused below, with the message */
    size = size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size <= (size_t)(arena->free_end - arena->free_start)) {
        char *taken = arena->free_start;
        arena->free_start += size;
        return taken;
    }
    if (size > arena->next_size / 4)
        return add_block(arena, size)->bytes; /* the newest block's rest stays in use */
    struct block *block = add_block(arena, arena->next_size);
    arena->free_start = block->bytes + size;
    arena->free_end = block->bytes + arena->next_size;
    if (arena->next_size < LARGEST_BLOCK)
        arena->next_size *= 2;
    return block->bytes;
}

void *arena_alloc(struct arena *arena, size_t size) {
    char *taken = take(arena, size);
    memset(taken, 0, size);
    return taken;
}

char *arena_copy(struct arena *arena, const char *bytes, size_t length) {
    char *copy = take(arena, length + 1);
    if (length > 0)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *text = take(arena, size);
    text[0] = '\0';
    vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}
