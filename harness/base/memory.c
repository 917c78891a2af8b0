#include "harness/base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/error.h"

#define FIRST_CAPACITY 16

void memory_is_out(const char *format, ...) {
    va_list arguments;
    fputs("meshspec: out of memory (", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(")\n", stderr);
    exit(ERROR_INTERNAL);
}

void memory_check_errno(const char *what) {
    if (errno == ENOMEM)
        memory_is_out("%s", what);
}

static void *checked(void *memory, size_t size) {
    if (memory == NULL)
        memory_is_out("%zu bytes were asked for", size);
    return memory;
}

void *memory_new(size_t size) {
    return checked(malloc(size > 0 ? size : 1), size);
}

void *memory_resize(void *memory, size_t size) {
    return checked(realloc(memory, size > 0 ? size : 1), size);
}

void *memory_zeroed(size_t count, size_t size) {
    return checked(calloc(count > 0 ? count : 1, size > 0 ? size : 1), count * size);
}

void *memory_room(void *array, size_t count, size_t *capacity, size_t element_size) {
    if (count < *capacity)
        return array;
    size_t wanted = *capacity > 0 ? *capacity * 2 : FIRST_CAPACITY;
    if (wanted > SIZE_MAX / element_size)
        return checked(NULL, SIZE_MAX);
    *capacity = wanted;
    return memory_resize(array, wanted * element_size);
}
