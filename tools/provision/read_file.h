/* Reading a file or a stream whole, up to a ceiling. */
#ifndef PROVISION_READ_FILE_H
#define PROVISION_READ_FILE_H

#include "tools/provision/run.h"

#include <stdio.h>

#define INPUT_MAX_BYTES ((size_t)64 << 20)

/* Everything up to the end of `stream`. `name` is for the message. False with PROBLEM_BAD_INPUT when reading fails or it is too long. */
bool read_stream(struct run *run, FILE *stream, const char *name, struct text *text);

/* The same for a file by its path. */
bool read_file(struct run *run, const char *path, struct text *text);

#endif
