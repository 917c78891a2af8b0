/*
 * What the clause catalogue holds besides clauses. Inside harness/scenario only.
 */
#ifndef MESHSPEC_CATALOGUE_H
#define MESHSPEC_CATALOGUE_H

#include "harness/base/arena.h"
#include "harness/scenario/clauses.h"
#include "harness/scenario/schema.h"

struct clauses {
    struct arena *arena;
    const char *fixtures; /* the folder that holds clauses/, apps/ and permissions/ */
    struct clause *clauses; /* in the order of the files */
    size_t count, capacity;
    const struct clause **sorted; /* by id */
    const char **ids;             /* in the order of `clauses`, for suggestions */
    struct schema *scenarios;     /* what every scenario must keep to; read once, with the catalogue */
};

#endif
