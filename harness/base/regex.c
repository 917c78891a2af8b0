#include "harness/base/regex.h"

#include <errno.h>

#include "harness/base/memory.h"

/* The libc answers "memory exhausted" to an expression that is too large for it, too, and "no match" when there is no memory
   for matching; errno tells. */
static int checked(int code) {
    if (code != 0)
        memory_check_errno("in a regular expression");
    return code;
}

int regex_compile(regex_t *regex, const char *source) {
    errno = 0;
    return checked(regcomp(regex, source, REG_EXTENDED));
}

bool regex_found(const regex_t *regex, struct text text) {
    regmatch_t whole = {0, (regoff_t)text.length};
    errno = 0;
    return checked(regexec(regex, text.bytes, 1, &whole, REG_STARTEND)) == 0;
}
