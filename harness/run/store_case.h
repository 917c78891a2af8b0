/*
 * One case of a scenario about stores: played against a store, with a provisioner.
 */
#ifndef MESHSPEC_STORE_CASE_H
#define MESHSPEC_STORE_CASE_H

#include "harness/run/case.h"
#include "harness/target/store.h"

struct store_subject {
    struct store *store;
    const char *provisioner; /* its command, run by /bin/sh: one JSON request in, one JSON answer out */
};

/* As case_run. The suffix of the settings becomes the case's app id. */
struct case_result store_case_run(struct scenario *scenario, const struct store_subject *subject,
                                  const struct case_settings *settings);

#endif
