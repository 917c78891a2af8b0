#include "tools/sync-server/admin.h"
#include "tools/sync-server/answer.h"
#include "tools/sync-server/permissions.h"

static void append_head(struct buffer *body, const struct bundle *head) {
    buffer_format(body, "{\"schemaHash\":\"%s\",\"version\":", head->schema_hash.digits);
    buffer_append_number(body, head->version);
    if (head->has_parent) {
        buffer_format(body, ",\"parentBundleObjectId\":\"%s\"", head->parent.digits);
    } else {
        buffer_append_string(body, ",\"parentBundleObjectId\":null");
    }
    buffer_format(body, ",\"bundleObjectId\":\"%s\"}", head->id.digits);
}

static void answer_head(struct admin_call *call, int status, const struct bundle *head) {
    struct buffer *body = &call->answer->body;
    buffer_append_string(body, "{\"head\":");
    if (head) {
        append_head(body, head);
    } else {
        buffer_append_string(body, "null");
    }
    buffer_append_byte(body, '}');
    call->answer->status = status;
}

void admin_get_head(struct admin_call *call) {
    struct bundle head;
    enum store_result result = store_head(call->store, call->app, &head, NULL);
    if (admin_store_ok(call, result)) {
        answer_head(call, 200, result == STORE_OK ? &head : NULL);
    }
}

/* store.fresh: both null before the first bundle. */
void admin_get_permissions(struct admin_call *call) {
    struct bundle head;
    struct buffer permissions;
    struct buffer *body = &call->answer->body;
    buffer_init(&permissions, BUFFER_CEILING);
    enum store_result result = store_head(call->store, call->app, &head, &permissions);
    if (admin_store_ok(call, result)) {
        buffer_append_string(body, "{\"head\":");
        if (result == STORE_OK) {
            append_head(body, &head);
        } else {
            buffer_append_string(body, "null");
        }
        buffer_append_string(body, ",\"permissions\":");
        buffer_append_text(body, result == STORE_OK ? buffer_text(&permissions) : TEXT("null"));
        buffer_append_byte(body, '}');
        body->failed = body->failed || permissions.failed;
        call->answer->status = 200;
    }
    buffer_free(&permissions);
}

/* Reads the body; false after an error was answered. */
static bool read_request(struct admin_call *call, struct bundle_request *request) {
    struct buffer text;
    buffer_init(&text, BUFFER_CEILING);
    const char *problem = NULL;
    *request = (struct bundle_request){.permissions = json_member(call->body, 0, "permissions")};
    uint32_t parent = json_member(call->body, 0, "expectedParentBundleObjectId");
    if (!admin_body_string(call, "schemaHash", &text) || !is_hash(buffer_text(&text))) {
        problem = "\"schemaHash\" is 64 lower-case hex digits";
    } else {
        buffer_append_byte(&text, '\0');
        request->schema_hash = *(struct hash *)text.bytes;
    }
    buffer_clear(&text);
    if (!problem && parent == JSON_NONE) {
        problem = "\"expectedParentBundleObjectId\" is missing; it is the head's id, or null for the first bundle";
    } else if (!problem && json_kind(call->body, parent) != JSON_NULL) {
        if (!admin_body_string(call, "expectedParentBundleObjectId", &text) || !is_uuid(buffer_text(&text))) {
            problem = "\"expectedParentBundleObjectId\" is a UUID or null";
        } else {
            buffer_append_byte(&text, '\0');
            request->has_parent = true;
            request->parent = *(struct uuid *)text.bytes;
        }
    }
    buffer_free(&text);
    if (problem) {
        answer_error(call->answer, 400, problem);
    }
    return !problem;
}

void admin_publish_permissions(struct admin_call *call) {
    struct bundle_request request;
    struct bundle head;
    struct buffer why;
    if (!read_request(call, &request)) {
        return;
    }
    buffer_init(&why, 4096);
    if (!permissions_valid(call->body, request.permissions, &why)) {
        answer_error_text(call->answer, 400, buffer_text(&why));
        buffer_free(&why);
        return;
    }
    buffer_free(&why);
    switch (permissions_publish(call->store, call->app, call->body, &request, &head)) {
    case PUBLISHED:
        answer_head(call, 201, &head);
        return;
    case PUBLISH_UNKNOWN_SCHEMA:
        answer_error(call->answer, 404, "the store has no schema of this hash");
        return;
    case PUBLISH_STALE_PARENT:
        answer_error(call->answer, 409, "expectedParentBundleObjectId is not the current head's bundleObjectId");
        return;
    case PUBLISH_NO_MEMORY:
        answer_error(call->answer, 500, "there is not enough memory for these permissions");
        return;
    case PUBLISH_STORE_FAILED:
        answer_store_failed(call->answer, store_error(call->store));
        return;
    }
}
