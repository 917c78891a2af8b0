#include "tools/provision/apply.h"

/*
 * Makes sure that the slice's own hash, which the app's clients declare, leads to `head_hash` (provision.self-heal,
 * provision.old-hash). Publishing the slice again is harmless and is the only way to learn its hash.
 */
static bool ensure_connected(struct run *run, struct http_client *client, const struct plan *plan, struct text head_hash) {
    struct text slice_hash = {0};
    bool connected = false;
    if (!store_publish_schema(run, client, plan->slice_tables, &slice_hash)) return false;
    if (text_equal(slice_hash, head_hash)) return true;
    if (!store_connected(run, client, slice_hash, head_hash, &connected)) return false;
    return connected || store_publish_migration(run, client, slice_hash, head_hash, plan->slice_lenses);
}

static bool create(struct run *run, struct http_client *client, const struct plan *plan, struct text *head_hash) {
    struct text schema_hash = {0};
    return store_publish_schema(run, client, plan->slice_tables, &schema_hash) &&
           store_publish_permissions(run, client, schema_hash, plan->permissions, plan->parent, head_hash);
}

/* The head moves only with the permissions, when its schema and the way to it are there. */
static bool merge(struct run *run, struct http_client *client, const struct plan *plan, struct text *head_hash) {
    struct text union_hash = {0};
    return store_publish_schema(run, client, plan->union_tables, &union_hash) &&
           store_publish_migration(run, client, plan->head_hash, union_hash, plan->merge_lenses) &&
           store_publish_permissions(run, client, union_hash, plan->permissions, plan->parent, head_hash) &&
           ensure_connected(run, client, plan, union_hash);
}

bool plan_apply(struct run *run, struct http_client *client, const struct plan *plan, struct text *head_hash) {
    if (plan->state == STATE_NO_SCHEMA) return create(run, client, plan, head_hash);
    if (plan->state == STATE_OUT_OF_DATE) return merge(run, client, plan, head_hash);
    *head_hash = plan->head_hash;
    return ensure_connected(run, client, plan, plan->head_hash);
}
