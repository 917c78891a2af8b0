/* The admin API below `/apps/{appId}/`: who may call it, its routes, and one transaction around each request. */
#ifndef SYNC_SERVER_ADMIN_H
#define SYNC_SERVER_ADMIN_H

#include "tools/sync-server/http_server.h"
#include "tools/sync-server/json.h"
#include "tools/sync-server/path.h"
#include "tools/sync-server/store.h"

/* What an admin handler works on. */
struct admin_call {
    struct store *store;
    struct text app;
    const struct path *path;
    const struct json_document *body; /* of a POST */
    int64_t now;                      /* milliseconds since 1970 */
    struct http_answer *answer;
};

enum secret_verdict { SECRET_RIGHT, SECRET_WRONG, SECRET_MISSING, SECRET_NONE_CONFIGURED };

/* store.auth: what the request's X-Jazz-Admin-Secret is worth. `secret` without a value: the store has none. */
enum secret_verdict admin_secret_verdict(const struct http_request *request, struct text secret);

/* Answers an admin request. True when it changed the store, so that what hangs may go on. */
bool admin_handle(struct store *store, const struct path *path, const struct http_request *request, struct text secret,
                  int64_t now, struct http_answer *answer);

/* ---- handlers ---------------------------------------------------------------------------------- */

void admin_list_schemas(struct admin_call *call);
void admin_get_schema(struct admin_call *call);
void admin_publish_schema(struct admin_call *call);
void admin_get_permissions(struct admin_call *call);
void admin_get_head(struct admin_call *call);
void admin_publish_permissions(struct admin_call *call);
void admin_publish_migration(struct admin_call *call);
void admin_connectivity(struct admin_call *call);

/* Answers 500 and false when a store call failed. */
bool admin_store_ok(struct admin_call *call, enum store_result result);

/* The decoded text of the body's string member `name`, appended to `out`; false when it is missing or no string. */
bool admin_body_string(const struct admin_call *call, const char *name, struct buffer *out);

#endif
