#include "harness/command/needs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/text.h"

static bool is_on_path(const char *program) {
    const char *path = getenv("PATH");
    for (const char *at = path != NULL ? path : ""; *at != '\0';) {
        size_t length = strcspn(at, ":");
        struct buffer file = {0};
        buffer_format(&file, "%.*s/%s", (int)length, at, program);
        bool there = access(file.bytes, X_OK) == 0;
        buffer_free(&file);
        if (there) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

const char *needs_missing(const char *const *needs) {
    for (size_t i = 0; needs[i] != NULL; i++) {
        if (strchr(needs[i], '/') != NULL ? access(needs[i], F_OK) != 0 : !is_on_path(needs[i])) {
            return needs[i];
        }
    }
    return NULL;
}
