/* The rules for the names that an app may give to its namespaces, tables and columns. */
#ifndef PROVISION_NAMES_H
#define PROVISION_NAMES_H

#include "tools/provision/run.h"

/*
 * Whether the name of `member` may name a namespace or a table: not empty, no `.`, no `__`. A namespace may not end in `_` either:
 * `a_` with the table `t` would be stored as `a___t`, whose namespace reads as `a`. `kind` ("namespace", "table") is
 * for the message. False with PROBLEM_BAD_INPUT.
 */
bool name_check(struct run *run, struct text file, struct json member, const char *kind);

/* Whether no two members of `object` have the same name. False with PROBLEM_BAD_INPUT at the second one. */
bool names_check_unique(struct run *run, struct text file, struct json object, const char *kind);

/* Whether the members of `object` are all among `allowed`, words with one space between. False with PROBLEM_BAD_INPUT. */
bool keys_check(struct run *run, struct text file, struct json object, const char *kind, const char *allowed);

#endif
