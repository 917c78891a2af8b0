/*
 * What a relay says of itself in the adapter protocol: its answer to `start`. Adapters and control URLs give the same.
 */
#ifndef MESHSPEC_TARGET_INTRODUCTION_H
#define MESHSPEC_TARGET_INTRODUCTION_H

#include "harness/json/value.h"

/* A command that nobody knows: who says yes to it would say yes to anything. */
#define INTRODUCTION_PROBE "meshspec-probe-that-nobody-knows"

/* Zero-initialise it; end with introduction_free. */
struct introduction {
    struct arena *arena;
    const char *about;         /* "some-relay 1.2.0 (Erlang)"; NULL: nothing was said yet */
    struct json_value *profiles, *can; /* arrays of strings */
};

/*
 * Keeps a copy of the answer, in place of an earlier one. NULL, or what is wrong with it as the rest of a sentence that
 * begins with who said it; the earlier one stays then.
 */
const char *introduction_read(struct introduction *introduction, const struct json_value *said);

void introduction_free(struct introduction *introduction);

/* Whether an array of strings, such as `can`, has this one; false for NULL. */
bool introduction_lists(const struct json_value *strings, const char *string);

#endif
