/*
 * What a whole run judges: a relay, or a store with a provisioner. A suite knows no more of it than this.
 */
#ifndef MESHSPEC_SUBJECT_H
#define MESHSPEC_SUBJECT_H

#include "harness/run/case.h"
#include "harness/run/store_case.h"

struct subject {
    const char *name; /* as reports show it */
    void *context;
    /* Whether it answers at all; false with the reason in `error`. */
    bool (*reach)(void *context, const char *profile, struct error *error);
    struct case_result (*play)(void *context, struct scenario *scenario, const struct case_settings *settings);
};

/* Both borrow what they are given. */
struct subject subject_of_target(struct target *target);
struct subject subject_of_store(struct store_subject *store);

#endif
