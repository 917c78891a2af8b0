/*
 * Reading whole files.
 */
#ifndef MESHSPEC_FILE_H
#define MESHSPEC_FILE_H

#include "harness/base/arena.h"
#include "harness/base/error.h"
#include "harness/base/text.h"

/*
 * Reads a file of at most `ceiling` bytes into the arena; a NUL stands behind the text. False with ERROR_USAGE "FILE:
 * …" when it cannot be read, is no plain file, or is larger.
 */
bool file_read(struct arena *arena, const char *file, size_t ceiling, struct text *text, struct error *error);

#endif
