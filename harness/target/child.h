/*
 * A child process that answers lines with lines: /bin/sh runs a command in a process group of its own, with pipes for
 * its standard input, output and error. Nothing here knows what the lines mean.
 */
#ifndef MESHSPEC_TARGET_CHILD_H
#define MESHSPEC_TARGET_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/base/text.h"

#define CHILD_LINE_CEILING ((size_t)256 << 20) /* bytes of one line that it writes */
#define CHILD_LOG_CEILING ((size_t)16 << 10)   /* bytes of its standard error that are kept, the last ones */

struct child;

enum child_outcome {
    CHILD_LINE,     /* a line came */
    CHILD_LATE,     /* none until the deadline */
    CHILD_ENDED,    /* it closed its standard output, most likely because it ended */
    CHILD_TOO_LONG, /* a line passed CHILD_LINE_CEILING */
};

/* Milliseconds of a clock that never jumps; deadlines are readings of it. */
int64_t child_now(void);

/* Starts `command`. NULL with ERROR_TARGET when no process can be made. Free with child_stop. */
struct child *child_start(const char *command, struct error *error);

/* Queues bytes for its standard input; they are written during child_read_line. Copied. */
void child_write(struct child *child, struct text bytes);

/*
 * The next line of its standard output, without its line feed; valid until the next call. Meanwhile writes what is
 * queued and collects its standard error, so that neither side waits for the other.
 */
enum child_outcome child_read_line(struct child *child, int64_t deadline, struct text *line);

/* The end of what it wrote to its standard error since child_forget_log; valid until the next call of any function
 * here. */
struct text child_log(struct child *child);
void child_forget_log(struct child *child);

/*
 * Ends it: closes its standard input, gives it `grace_ms` to go by itself, then kills its whole process group. Appends
 * how it ended as half a sentence, such as "ended with status 3", to `how`, and the end of its log to `log` (both may
 * be NULL). Frees `child`; NULL is allowed.
 */
void child_stop(struct child *child, int grace_ms, struct buffer *how, struct buffer *log);

#endif
