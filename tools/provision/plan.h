/* What provisioning will do to a store: made from what is deployed, before anything is written. Pure. */
#ifndef PROVISION_PLAN_H
#define PROVISION_PLAN_H

#include "tools/provision/status.h"

struct plan {
    enum store_state state; /* the state it starts from; never drift, which is refused */
    struct text head_hash;  /* of the deployed head; no text in STATE_NO_SCHEMA */
    struct text parent;     /* what the bundle will name as its parent: a JSON string with quotes, or `null` */

    /* What changes and what stays, as JSON strings with quotes, for people to read. */
    struct text_list tables_added, tables_kept;
    struct text_list policies_added, policies_replaced, policies_removed, policies_kept;

    /* What will be published, as JSON text. No text where the state has no use for it. */
    struct text slice_tables; /* the slice by itself, which gives the app's own hash */
    struct text union_tables; /* the stored tables, then the missing ones */
    struct text merge_lenses; /* head -> union: the missing tables */
    struct text slice_lenses; /* slice -> head or union: the stored tables that the slice lacks */
    struct text permissions;  /* the complete bundle */
};

/* The outcome that carrying out the plan has: "created", "updated" or "unchanged". */
const char *plan_outcome(const struct plan *plan);

/*
 * Plans how to bring `slice` and `permissions` (checked by `permissions_check`) into the deployed store. False with
 * PROBLEM_SCHEMA_DRIFT (naming the tables), or with the problems of `permissions_encode` where permissions will be written.
 */
bool plan_make(struct run *run, const struct slice *slice, struct input permissions, const struct deployment *deployment,
               struct plan *plan);

#endif
