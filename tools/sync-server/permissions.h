/* Permission bundles: what is a well-formed one, and the chain that they form. */
#ifndef SYNC_SERVER_PERMISSIONS_H
#define SYNC_SERVER_PERMISSIONS_H

#include "tools/sync-server/json.h"
#include "tools/sync-server/store.h"

struct bundle_request {
    struct hash schema_hash;
    bool has_parent; /* false: the first bundle is meant */
    struct uuid parent;
    uint32_t permissions; /* node in the document */
};

/* Whether `permissions` is `{table: {select|insert|update|delete: {"using"?: object, "with_check"?: object}}}`. Other
 * members of a table are let through. If not, appends to `why` which table it is and what was expected. */
bool permissions_valid(const struct json_document *document, uint32_t permissions, struct buffer *why);

enum publish_result {
    PUBLISHED,
    PUBLISH_UNKNOWN_SCHEMA,
    PUBLISH_STALE_PARENT,
    PUBLISH_NO_MEMORY,
    PUBLISH_STORE_FAILED
};

/* Appends a bundle to the app's chain, inside the caller's writing transaction. `head` becomes the head that is then in
 * force (store.perm-chain, store.perm-stale, store.perm-idempotent, store.perm-unknown-schema). */
enum publish_result permissions_publish(struct store *store, struct text app, const struct json_document *document,
                                        const struct bundle_request *request, struct bundle *head);

#endif
