#include "tools/sync-server/admin.h"
#include "tools/sync-server/answer.h"
#include "tools/sync-server/schema.h"

static void append_hash(void *context, struct text hash) {
    struct buffer *body = context;
    if (body->length > 0 && body->bytes[body->length - 1] != '[') {
        buffer_append_byte(body, ',');
    }
    json_quote(body, hash);
}

/* store.fresh: an app that never published has none. */
void admin_list_schemas(struct admin_call *call) {
    struct buffer *body = &call->answer->body;
    buffer_append_string(body, "{\"hashes\":[");
    if (admin_store_ok(call, store_schema_hashes(call->store, call->app, append_hash, body))) {
        buffer_append_string(body, "]}");
        call->answer->status = 200;
    }
}

void admin_get_schema(struct admin_call *call) {
    struct text hash = call->path->segments[3];
    if (!is_hash(hash)) {
        answer_error(call->answer, 400, "a schema's hash is 64 lower-case hex digits");
        return;
    }
    struct buffer *body = &call->answer->body;
    int64_t published_at = 0;
    buffer_append_string(body, "{\"schema\":");
    enum store_result result = store_schema_get(call->store, call->app, hash, body, &published_at);
    if (!admin_store_ok(call, result)) {
        return;
    }
    if (result == STORE_NOTHING) {
        answer_error(call->answer, 404, "the store has no schema of this hash");
        return;
    }
    buffer_append_string(body, ",\"publishedAt\":");
    buffer_append_number(body, published_at);
    buffer_append_byte(body, '}');
    call->answer->status = 200;
}

/* The id always belongs to the app's schema of this hash, so that a repeated publishing answers the same. */
static bool schema_object_id(struct text app, const struct hash *hash, struct uuid *id) {
    struct buffer name;
    buffer_init(&name, BUFFER_CEILING);
    buffer_append_string(&name, "schema ");
    buffer_append_string(&name, hash->digits);
    buffer_append_byte(&name, ' ');
    buffer_append_text(&name, app);
    bool done = !name.failed && uuid_of_name(buffer_text(&name), id);
    buffer_free(&name);
    return done;
}

static void keep_schema(struct admin_call *call, uint32_t schema) {
    struct hash hash;
    struct uuid id;
    struct buffer text;
    buffer_init(&text, BUFFER_CEILING);
    /* store.schema-verbatim: what is kept is the text that came, less its whitespace. */
    json_compact(call->body, schema, &text);
    if (text.failed || !schema_hash(call->body, schema, &hash) || !schema_object_id(call->app, &hash, &id)) {
        answer_error(call->answer, 500, "there is not enough memory for this schema");
        buffer_free(&text);
        return;
    }
    enum store_result result = store_schema_put(call->store, call->app, text_of(hash.digits), text_of(id.digits),
                                                call->now, buffer_text(&text));
    buffer_free(&text);
    if (admin_store_ok(call, result)) {
        buffer_format(&call->answer->body, "{\"objectId\":\"%s\",\"hash\":\"%s\"}", id.digits, hash.digits);
        call->answer->status = 201;
    }
}

void admin_publish_schema(struct admin_call *call) {
    uint32_t schema = json_member(call->body, 0, "schema");
    if (json_member(call->body, 0, "permissions") != JSON_NONE) {
        answer_error(call->answer, 400, "permissions are published by themselves, at admin/permissions");
        return;
    }
    if (schema == JSON_NONE) {
        answer_error(call->answer, 400, "\"schema\" is missing");
        return;
    }
    struct buffer why;
    buffer_init(&why, 4096);
    if (schema_valid(call->body, schema, &why)) {
        keep_schema(call, schema);
    } else {
        answer_error_text(call->answer, 400, buffer_text(&why));
    }
    buffer_free(&why);
}
