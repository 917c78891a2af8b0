/* What is in force for one client: the head's bundle and schema, and the schema that the client was compiled with. */
#ifndef SYNC_SERVER_DEPLOYMENT_H
#define SYNC_SERVER_DEPLOYMENT_H

#include "tools/sync-server/json.h"
#include "tools/sync-server/store.h"

struct deployment {
    struct buffer permissions_text;
    struct buffer head_text;
    struct buffer client_text;
    struct json_document permissions;
    struct json_document head_schema;
    struct json_document client_schema;
};

enum deployment_result { DEPLOYMENT_READY, DEPLOYMENT_NOT_READY, DEPLOYMENT_NO_MEMORY, DEPLOYMENT_STORE_FAILED };

/* Whether a bundle is in force and the client's hash is connected to its schema (data.hang, data.old-hash). Cheap. */
enum deployment_result deployment_state(struct store *store, struct text app, struct text client_hash);

/* The same, with everything read when it is ready. Free it either way. */
enum deployment_result deployment_load(struct deployment *deployment, struct store *store, struct text app,
                                       struct text client_hash);
void deployment_free(struct deployment *deployment);

#endif
