#include "harness/command/home.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_home(const char *path) {
    char probe[PATH_MAX];
    int length = snprintf(probe, sizeof probe, "%s/fixtures/clauses", path);
    if (length < 0 || (size_t)length >= sizeof probe || access(probe, R_OK) != 0) {
        return false;
    }
    snprintf(probe, sizeof probe, "%s/scenarios", path);
    return access(probe, R_OK) == 0;
}

static bool take(char *path, size_t capacity, const char *candidate) {
    if (!is_home(candidate)) {
        return false;
    }
    int length = snprintf(path, capacity, "%s", candidate);
    return length >= 0 && (size_t)length < capacity;
}

/* The folders above the program: a sanitizer's build lies two levels below the top, the plain one a single level. */
static bool take_beside_program(char *path, size_t capacity) {
    char program[PATH_MAX - 32];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        return false;
    }
    program[length] = '\0';
    for (int level = 0; level < 3; level++) {
        char *slash = strrchr(program, '/');
        if (slash == NULL) {
            return false;
        }
        *slash = '\0';
        char shared[PATH_MAX];
        snprintf(shared, sizeof shared, "%s/share/meshspec", program);
        if (take(path, capacity, program) || take(path, capacity, shared)) {
            return true;
        }
    }
    return false;
}

bool home_find(char *path, size_t capacity, struct error *error) {
    const char *named = getenv("MESHSPEC_HOME");
    if (named != NULL) {
        return take(path, capacity, named) ||
               error_set(error, ERROR_USAGE, "MESHSPEC_HOME is %s, but there is no scenarios/ and fixtures/clauses/ in it", named);
    }
    return take(path, capacity, ".") || take_beside_program(path, capacity) ||
           error_set(error, ERROR_USAGE,
                     "cannot find the suite's scenarios/ and fixtures/: run this in its folder, or set MESHSPEC_HOME to it");
}
