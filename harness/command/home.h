/*
 * Where scenarios/ and fixtures/ are.
 */
#ifndef MESHSPEC_HOME_H
#define MESHSPEC_HOME_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

/*
 * Finds the folder that holds scenarios/ and fixtures/clauses/: $MESHSPEC_HOME, else the working directory, else the folder above the
 * program's own (a build tree), else ../share/meshspec beside it (an installed program). Writes its path, at most `capacity` bytes. False with ERROR_USAGE
 * when none of them has both.
 */
bool home_find(char *path, size_t capacity, struct error *error);

#endif
