/* The slice of a store that an app owns: its compiled tables and its namespaces. */
#ifndef PROVISION_SLICE_H
#define PROVISION_SLICE_H

#include "tools/provision/run.h"

struct slice {
    struct json tables;           /* {"namespace__table": {"columns": […]}}, in the app's order */
    struct text_list namespaces;  /* decoded */
};

/* The namespace of a stored table: what precedes the first `__`; no text when the name starts with `__` or has none. */
struct text namespace_of(struct text table);

/* Whether the table lies in one of the slice's namespaces. `table` is the decoded name. */
bool slice_owns(const struct slice *slice, struct text table);

/*
 * Reads an app in any of its forms (see app.c) and compiles it.
 *
 * False with PROBLEM_BAD_INPUT at the place where the app is wrong (a bad name, an unknown reference, a missing or unknown part),
 * or PROBLEM_NOT_NESTED for a flat app (status.not-nested).
 */
bool slice_from_app(struct run *run, struct input app, struct slice *slice);

/*
 * For app.c: compiles the nested form's `namespaces` object into `slice`. Names are checked, table names mangled and
 * references resolved. False with PROBLEM_BAD_INPUT.
 */
bool slice_compile(struct run *run, struct input app, struct json namespaces, struct slice *slice);

#endif
