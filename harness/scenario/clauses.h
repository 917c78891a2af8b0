/*
 * The clause catalogue: every rule of the protocol by its permanent id, read from fixtures/clauses/ (one YAML file a
 * page of rules).
 */
#ifndef MESHSPEC_CLAUSES_H
#define MESHSPEC_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/scenario/profile.h"

enum clause_level { CLAUSE_MUST, CLAUSE_SHOULD, CLAUSE_MAY, CLAUSE_FREE };

struct clause {
    const char *id;   /* "join.delta" */
    const char *area; /* "join" */
    const char *text; /* the rule, one paragraph */
    enum clause_level level;
    const char *profile; /* the one profile of its page, "store"; NULL: the page is about protocol versions */
    const char *since; /* a version; NULL: from the first */
    const char *until; /* a version, inclusive; NULL: to the last */
    bool observed;     /* it binds only where a relay lets it be observed */
    const char *file;  /* where it is written */
    unsigned line;
};

struct clauses;

/*
 * Reads every *.yaml of `folder`, and the two schemas in `folder`/../schemas/: by clauses.json the pages are checked,
 * by scenario.json every scenario that is loaded with these clauses. NULL with ERROR_USAGE (file, line, column) for a
 * bad file or a doubled id.
 */
struct clauses *clauses_load(const char *folder, struct error *error);
void clauses_free(struct clauses *clauses);

/* NULL when there is no such id. */
const struct clause *clauses_find(const struct clauses *clauses, const char *id);

size_t clauses_count(const struct clauses *clauses);
const struct clause *clauses_at(const struct clauses *clauses, size_t index); /* in the order of the files */

/* Whether the clause holds in a profile: a version such as "0.2.0", or PROFILE_STORE. */
bool clause_holds(const struct clause *clause, const char *profile);

const char *clause_level_name(enum clause_level level);

/* Compares dotted versions by their numbers: negative, 0, positive. */
int version_compare(const char *a, const char *b);

/* Whether `version` lies in a range such as ">=0.1.0 <0.9" (comparators =, <, <=, >, >= joined by spaces; a bare
   version is =). False with `valid` false when the range is malformed. */
bool version_in_range(const char *version, const char *range, bool *valid);

#endif
