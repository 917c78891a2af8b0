/*
 * A list of cases that are known to fail, so that a run can be green while they do, and red as soon as the list is no longer true.
 *
 * One line a case or group of them: `GLOB: reason`. GLOB is matched against the scenario's name, or, when it has an `@`, against
 * `name@profile`. Empty lines and lines that begin with `#` say nothing.
 *
 * A target that crashes, hangs or speaks nonsense in the middle of a listed case fails as known, too; one that cannot be opened for it is still an error.
 */
#ifndef MESHSPEC_KNOWN_H
#define MESHSPEC_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/base/text.h"

#define KNOWN_FILE_CEILING ((size_t)1 << 20) /* bytes */

struct known_line {
    const char *glob;
    const char *reason;
    unsigned line;  /* in the file */
    bool matched;   /* some case of the run was meant */
};

struct known {
    struct known_line *lines;
    size_t count;
    char *content; /* what the lines point into */
};

/* Reads the file. False with ERROR_USAGE (file, line, what was expected) when it cannot be read or a line has no reason. Free with known_free. */
bool known_load(struct known *known, const char *file, struct error *error);

/* The first line that means this case, noted as matched; NULL: none. */
const struct known_line *known_find(struct known *known, const char *scenario, const char *profile);

void known_free(struct known *known);

#endif
