/*
 * Files that a file names: their paths start from its folder.
 */
#ifndef MESHSPEC_BESIDE_H
#define MESHSPEC_BESIDE_H

#include "harness/base/arena.h"

/* The path of `name`, as the file at `path` says it, from here: in `arena`, or `name` itself where that is as good. NULL for NULL. */
const char *beside(struct arena *arena, const char *path, const char *name);

#endif
