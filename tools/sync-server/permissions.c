#include "tools/sync-server/permissions.h"

#include "tools/sync-server/utf8.h"

#include <string.h>
#include <strings.h>

static const char *condition_problem(const struct json_document *document, uint32_t operation, const char *name) {
    uint32_t condition = json_member(document, operation, name);
    if (condition == JSON_NONE || json_kind(document, condition) == JSON_NULL) {
        return NULL;
    }
    if (!json_is(document, json_member(document, condition, "type"), JSON_STRING)) {
        return "\"using\" and \"with_check\" are expressions: objects with a string \"type\"";
    }
    return NULL;
}

static const char *table_problem(const struct json_document *document, uint32_t table) {
    static const char *const operations[] = {"select", "insert", "update", "delete"};
    if (!json_is(document, table, JSON_OBJECT)) {
        return "a table's permissions are an object";
    }
    for (size_t at = 0; at < sizeof operations / sizeof *operations; at++) {
        uint32_t operation = json_member(document, table, operations[at]);
        if (operation == JSON_NONE) {
            continue;
        }
        if (!json_is(document, operation, JSON_OBJECT)) {
            return "select, insert, update and delete are objects";
        }
        const char *problem = condition_problem(document, operation, "using");
        problem = problem ? problem : condition_problem(document, operation, "with_check");
        if (problem) {
            return problem;
        }
    }
    return NULL;
}

bool permissions_valid(const struct json_document *document, uint32_t permissions, struct buffer *why) {
    if (!json_is(document, permissions, JSON_OBJECT)) {
        buffer_append_string(why, "\"permissions\" must be an object of tables");
        return false;
    }
    for (uint32_t at = json_first(document, permissions); at != JSON_NONE;
         at = json_after(document, permissions, at + 1)) {
        const char *problem = table_problem(document, at + 1);
        if (problem) {
            buffer_append_string(why, "permissions of table ");
            utf8_append_short(why, json_text(document, at), 200);
            buffer_append_string(why, ": ");
            buffer_append_string(why, problem);
            return false;
        }
    }
    return true;
}

static bool fingerprint_of(const struct json_document *document, uint32_t permissions, struct hash *fingerprint) {
    struct buffer canonical;
    buffer_init(&canonical, BUFFER_CEILING);
    json_canonical(document, permissions, &canonical);
    bool done = !canonical.failed && hash_of(buffer_text(&canonical), fingerprint);
    buffer_free(&canonical);
    return done;
}

/* store.perm-stale: the parent that the client expects is the head, or both are none. */
static bool parent_is_head(const struct bundle_request *request, bool has_head, const struct bundle *head) {
    if (request->has_parent != has_head) {
        return false;
    }
    return !has_head || strcasecmp(request->parent.digits, head->id.digits) == 0;
}

/* store.perm-chain: version 1 without a parent, then one more each time with the former head as parent. */
static enum publish_result append_bundle(struct store *store, struct text app, struct text permissions,
                                         const struct bundle *former, struct bundle *next) {
    next->version = former ? former->version + 1 : 1;
    next->has_parent = former != NULL;
    if (former) {
        next->parent = former->id;
    }
    if (!uuid_random(&next->id)) {
        return PUBLISH_NO_MEMORY;
    }
    switch (store_bundle_put(store, app, next, permissions)) {
    case STORE_OK:
        return PUBLISHED;
    case STORE_CONFLICT:
        return PUBLISH_STALE_PARENT;
    default:
        return PUBLISH_STORE_FAILED;
    }
}

enum publish_result permissions_publish(struct store *store, struct text app, const struct json_document *document,
                                        const struct bundle_request *request, struct bundle *head) {
    struct bundle next = {.schema_hash = request->schema_hash};
    enum store_result known = store_schema_known(store, app, text_of(request->schema_hash.digits));
    enum store_result found = known == STORE_OK ? store_head(store, app, head, NULL) : known;
    if (known == STORE_ERROR || found == STORE_ERROR) {
        return PUBLISH_STORE_FAILED;
    }
    if (known == STORE_NOTHING) {
        return PUBLISH_UNKNOWN_SCHEMA;
    }
    if (!parent_is_head(request, found == STORE_OK, head)) {
        return PUBLISH_STALE_PARENT;
    }
    if (!fingerprint_of(document, request->permissions, &next.fingerprint)) {
        return PUBLISH_NO_MEMORY;
    }
    /* store.perm-idempotent: the head already says exactly this. */
    if (found == STORE_OK && memcmp(&head->schema_hash, &next.schema_hash, sizeof next.schema_hash) == 0 &&
        memcmp(&head->fingerprint, &next.fingerprint, sizeof next.fingerprint) == 0) {
        return PUBLISHED;
    }
    struct buffer text;
    buffer_init(&text, BUFFER_CEILING);
    json_compact(document, request->permissions, &text);
    enum publish_result result =
        text.failed ? PUBLISH_NO_MEMORY
                    : append_bundle(store, app, buffer_text(&text), found == STORE_OK ? head : NULL, &next);
    buffer_free(&text);
    *head = next;
    return result;
}
