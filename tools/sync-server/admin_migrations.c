#include "tools/sync-server/admin.h"
#include "tools/sync-server/answer.h"
#include "tools/sync-server/lens.h"
#include "tools/sync-server/name_index.h"

/* A stored schema, read again to look its tables up. */
struct stored_schema {
    struct buffer text;
    struct json_document document;
    struct name_index tables;
};

static void stored_schema_free(struct stored_schema *schema) {
    name_index_free(&schema->tables);
    json_free(&schema->document);
    buffer_free(&schema->text);
}

/* False after an error was answered: 404 for an unknown hash (store.migration-known). Free it either way. */
static bool stored_schema_load(struct admin_call *call, struct text hash, struct stored_schema *schema) {
    *schema = (struct stored_schema){0};
    buffer_init(&schema->text, BUFFER_CEILING);
    int64_t published_at;
    struct json_error error;
    enum store_result result = store_schema_get(call->store, call->app, hash, &schema->text, &published_at);
    if (!admin_store_ok(call, result)) {
        return false;
    }
    if (result == STORE_NOTHING) {
        answer_error(call->answer, 404, "the store does not know both schemas of this migration");
        return false;
    }
    if (schema->text.failed || !json_read(&schema->document, buffer_text(&schema->text), &error) ||
        !name_index_members(&schema->tables, &schema->document, 0)) {
        answer_error(call->answer, 500, "there is not enough memory for this migration");
        return false;
    }
    return true;
}

/* The same migration published again answers the same id and is kept once. */
static bool migration_object_id(struct admin_call *call, struct text from, struct text to, uint32_t forward,
                                struct uuid *id) {
    struct buffer name;
    buffer_init(&name, BUFFER_CEILING);
    buffer_append_string(&name, "migration ");
    buffer_append_text(&name, from);
    buffer_append_byte(&name, ' ');
    buffer_append_text(&name, to);
    buffer_append_byte(&name, ' ');
    json_canonical(call->body, forward, &name);
    buffer_append_byte(&name, ' ');
    buffer_append_text(&name, call->app);
    bool done = !name.failed && uuid_of_name(buffer_text(&name), id);
    buffer_free(&name);
    return done;
}

static void keep_migration(struct admin_call *call, struct text from, struct text to, uint32_t forward) {
    struct uuid id;
    struct buffer text;
    buffer_init(&text, BUFFER_CEILING);
    json_compact(call->body, forward, &text);
    if (text.failed || !migration_object_id(call, from, to, forward, &id)) {
        answer_error(call->answer, 500, "there is not enough memory for this migration");
    } else if (admin_store_ok(call, store_migration_put(call->store, call->app, text_of(id.digits), from, to,
                                                        buffer_text(&text)))) {
        buffer_format(&call->answer->body, "{\"objectId\":\"%s\",\"fromHash\":\"%.64s\",\"toHash\":\"%.64s\"}",
                      id.digits, from.bytes, to.bytes);
        call->answer->status = 201;
    }
    buffer_free(&text);
}

static void check_and_keep(struct admin_call *call, struct text from, struct text to, uint32_t forward) {
    struct stored_schema source;
    struct stored_schema target = {0};
    struct buffer why;
    buffer_init(&why, 4096);
    if (stored_schema_load(call, from, &source) && stored_schema_load(call, to, &target)) {
        if (lenses_valid(call->body, forward, &source.tables, &target.tables, &why)) {
            keep_migration(call, from, to, forward);
        } else {
            answer_error_text(call->answer, 400, buffer_text(&why));
        }
    }
    buffer_free(&why);
    stored_schema_free(&target);
    stored_schema_free(&source);
}

void admin_publish_migration(struct admin_call *call) {
    struct buffer from;
    struct buffer to;
    buffer_init(&from, BUFFER_CEILING);
    buffer_init(&to, BUFFER_CEILING);
    uint32_t forward = json_member(call->body, 0, "forward");
    if (!admin_body_string(call, "fromHash", &from) || !is_hash(buffer_text(&from)) ||
        !admin_body_string(call, "toHash", &to) || !is_hash(buffer_text(&to))) {
        answer_error(call->answer, 400, "\"fromHash\" and \"toHash\" are 64 lower-case hex digits each");
    } else if (forward == JSON_NONE || json_kind(call->body, forward) != JSON_ARRAY) {
        answer_error(call->answer, 400, "\"forward\" must be an array of lenses");
    } else {
        check_and_keep(call, buffer_text(&from), buffer_text(&to), forward);
    }
    buffer_free(&to);
    buffer_free(&from);
}

void admin_connectivity(struct admin_call *call) {
    struct buffer from;
    struct buffer to;
    buffer_init(&from, BUFFER_CEILING);
    buffer_init(&to, BUFFER_CEILING);
    if (!query_field(call->path->query, "fromHash", &from) || !is_hash(buffer_text(&from)) ||
        !query_field(call->path->query, "toHash", &to) || !is_hash(buffer_text(&to))) {
        answer_error(call->answer, 400, "fromHash and toHash are 64 lower-case hex digits each");
    } else {
        enum store_result result = store_connected(call->store, call->app, buffer_text(&from), buffer_text(&to));
        if (admin_store_ok(call, result)) {
            buffer_append_string(&call->answer->body,
                                 result == STORE_OK ? "{\"connected\":true}" : "{\"connected\":false}");
            call->answer->status = 200;
        }
    }
    buffer_free(&to);
    buffer_free(&from);
}
