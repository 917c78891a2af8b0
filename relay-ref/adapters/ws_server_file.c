#include "relay-ref/adapters/ws_server_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY ((size_t)4096)

/* Reads on until the end, growing; NULL when that fails. */
static char *read_all(FILE *file, size_t ceiling, size_t *length, const char **why) {
    size_t capacity = FIRST_CAPACITY;
    char *bytes = malloc(capacity);
    *length = 0;
    *why = "out of memory";
    while (bytes != NULL) {
        *length += fread(bytes + *length, 1, capacity - *length, file);
        if (*length < capacity)
            break;
        char *larger = capacity <= ceiling ? realloc(bytes, capacity * 2) : NULL;
        if (larger == NULL) {
            free(bytes);
            *why = capacity > ceiling ? "the file is too large" : *why;
            return NULL;
        }
        bytes = larger;
        capacity *= 2;
    }
    if (bytes != NULL && (ferror(file) || *length > ceiling)) {
        *why = ferror(file) ? "it cannot be read" : "the file is too large";
        free(bytes);
        return NULL;
    }
    return bytes;
}

struct relay_text file_read(const char *path, size_t ceiling, char *reason, size_t capacity) {
    struct relay_text text = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        snprintf(reason, capacity, "%s: %s", path, strerror(errno));
        return text;
    }
    const char *why;
    text.bytes = read_all(file, ceiling, &text.length, &why);
    if (text.bytes == NULL)
        snprintf(reason, capacity, "%s: %s", path, why);
    fclose(file);
    return text;
}
