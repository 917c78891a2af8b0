/*
 * A target file: how a relay is reached, told who connects, and judged. tools/targets/README.md is the page for people,
 * fixtures/schemas/target.json says the same to tools.
 */
#ifndef MESHSPEC_TARGET_FILE_H
#define MESHSPEC_TARGET_FILE_H

#include "harness/base/arena.h"
#include "harness/target/principal.h"
#include "harness/target/trust.h"

#define TARGET_FILE_CEILING ((size_t)1 << 20) /* bytes */
#define TARGET_PROFILES_CEILING 8

/* NULL: the file does not say. Zero-initialise it; free with target_file_free. */
struct target_file {
    const char *url, *spawn, *ready, *exec, *control;
    const struct principal_way *principal;
    const char *options;                               /* JSON */
    const char *profiles[TARGET_PROFILES_CEILING + 1]; /* ended by NULL; none: the file does not say */
    const char *known_failing;                         /* a path that can be opened from here */
    struct trust trust;                                /* for wss://; a file that it names was looked into */
    bool hello_fences, real_time;
    struct arena *arena; /* owns all of it */
};

/* Whether a target's name on the command line is that of a file: it ends in .yaml or .yml. */
bool target_file_is_one(const char *name);

/*
 * Reads and checks one. `home` is the folder that holds fixtures/. False with ERROR_USAGE "FILE:LINE:COLUMN: what is
 * wrong, what was expected".
 */
bool target_file_read(struct target_file *file, const char *path, const char *home, struct error *error);

void target_file_free(struct target_file *file);

#endif
