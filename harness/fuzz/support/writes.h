/* Writes of wire version 3 from decisions: ops that cite earlier writes, their stamps and their versions. */
#ifndef MESHSPEC_FUZZ_WRITES_H
#define MESHSPEC_FUZZ_WRITES_H

#include "harness/fuzz/support/bytes.h"

#define WRITES_DOTS 8
#define WRITES_ORIGINS 4

extern const char *const writes_origins[WRITES_ORIGINS];

/* One write, as others cite it. */
struct dot {
    const char *origin; /* NULL: there is none */
    int64_t p;
    unsigned l;
};

/* Zero-initialise it. */
struct writes {
    struct dot dots[WRITES_DOTS]; /* the last ones */
    size_t count;
};

/* The stamp of a write of `origin` at about `p`, which is kept to be cited; `l` tells stamps apart. */
struct dot writes_next(struct writes *writes, struct bytes *bytes, const char *origin, int64_t p, unsigned l);

/* The next version after `*last`, which it becomes, as a rule; else the same again, an older one, or one with a gap before it. */
unsigned writes_version(struct bytes *bytes, unsigned *last);

/* Writes a JSON array of ops, seldom two at one path (valid.details). They cite writes that were, and now and then one at about `p`
   that may never have been. */
void writes_put_ops(const struct writes *writes, struct bytes *bytes, int64_t p, FILE *out);

#endif
