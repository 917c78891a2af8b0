/*
 * A file that a verb writes: opened before the work, so that a name that cannot be written is found at once and a verb
 * that is broken off leaves an empty file rather than an old one.
 */
#ifndef MESHSPEC_OUTPUT_H
#define MESHSPEC_OUTPUT_H

#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/text.h"

/* Zero-initialise it, set `file`. */
struct output {
    const char *file; /* "-": standard output; NULL: not asked for */
    FILE *stream;     /* open between output_open and output_write */
};

bool output_is_standard(const struct output *output);

/*
 * A name that was forgotten makes an option take the scenario behind it, which is not to be written over: false with ERROR_USAGE for
 * *.yaml and *.yml.
 */
bool output_check_name(const char *file, struct error *error);

/* Nothing when it was not asked for. False with ERROR_USAGE naming the file, which output_check_name must like. */
bool output_open(struct output *output, struct error *error);

/* Writes the buffer, closes the file and frees the buffer; only the latter when it was not asked for. False with ERROR_USAGE naming the file. */
bool output_write(struct output *output, struct buffer *buffer, struct error *error);

/* Closes it without writing. */
void output_close(struct output *output);

#endif
