/* POSIX extended regular expressions. Running out of memory in them ends the process, as it does elsewhere (memory.h). */
#ifndef MESHSPEC_REGEX_H
#define MESHSPEC_REGEX_H

#include <regex.h>
#include <stdbool.h>

#include "harness/base/text.h"

/* 0, or the code that regerror explains; regfree() it then not. */
int regex_compile(regex_t *regex, const char *source);

/* Whether it matches somewhere in the text, which may contain NUL. */
bool regex_found(const regex_t *regex, struct text text);

#endif
