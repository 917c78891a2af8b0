#include "tools/provision/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_SIZE ((size_t)64 * 1024)

struct block {
    struct block *before;
    size_t used;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

struct arena {
    struct block *newest;
    size_t taken;
    size_t ceiling;
};

void arena_out_of_memory(void) {
    fputs("meshspec-provision: out of memory: the input or an answer of the store is too large\n", stderr);
    exit(1);
}

struct arena *arena_new(size_t ceiling) {
    struct arena *arena = calloc(1, sizeof *arena);
    if (arena == NULL) arena_out_of_memory();
    arena->ceiling = ceiling;
    return arena;
}

void arena_free(struct arena *arena) {
    if (arena == NULL) return;
    while (arena->newest != NULL) {
        struct block *before = arena->newest->before;
        free(arena->newest);
        arena->newest = before;
    }
    free(arena);
}

static struct block *add_block(struct arena *arena, size_t size) {
    struct block *block = calloc(1, sizeof *block + size);
    if (block == NULL) arena_out_of_memory();
    block->size = size;
    block->before = arena->newest;
    arena->newest = block;
    return block;
}

void *arena_take(struct arena *arena, size_t size) {
    const size_t unit = alignof(max_align_t);
    if (size > arena->ceiling || arena->taken > arena->ceiling - size) arena_out_of_memory();
    size = (size + unit - 1) / unit * unit;
    arena->taken += size;
    struct block *block = arena->newest;
    if (block == NULL || block->size - block->used < size)
        block = add_block(arena, size > BLOCK_SIZE ? size : BLOCK_SIZE);
    void *bytes = block->bytes + block->used;
    block->used += size;
    return bytes;
}
