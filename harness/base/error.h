/*
 * Errors that travel upwards: a code that decides the exit status, and a text that gains context on its way.
 */
#ifndef MESHSPEC_ERROR_H
#define MESHSPEC_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

/* The codes are the exit statuses of the `meshspec` command. */
enum error_code {
    ERROR_NONE = 0,
    ERROR_FAILED = 1,  /* some case failed */
    ERROR_USAGE = 2,   /* bad usage, scenario, target file or other input file */
    ERROR_TARGET = 3,  /* the target could not be judged */
    ERROR_INTERNAL = 4 /* a fault of the suite itself, memory running out among them */
};

#define ERROR_TEXT_CAPACITY 2048 /* a longer text is cut, with "…" at its end */

struct error {
    enum error_code code;
    char text[ERROR_TEXT_CAPACITY];
};

/* Sets code and text (printf style). Always returns false, so that a caller can `return error_set(…)`. */
bool error_set(struct error *error, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "CONTEXT: " in front of the text that is there. Always returns false. */
bool error_context(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
