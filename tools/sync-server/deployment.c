#include "tools/sync-server/deployment.h"

static enum deployment_result find_head(struct store *store, struct text app, struct text client_hash,
                                        struct bundle *head, struct buffer *permissions) {
    enum store_result result = store_head(store, app, head, permissions);
    if (result == STORE_OK) {
        result = store_connected(store, app, client_hash, text_of(head->schema_hash.digits));
    }
    switch (result) {
    case STORE_OK:
        return DEPLOYMENT_READY;
    case STORE_NOTHING:
        return DEPLOYMENT_NOT_READY;
    default:
        return DEPLOYMENT_STORE_FAILED;
    }
}

enum deployment_result deployment_state(struct store *store, struct text app, struct text client_hash) {
    struct bundle head;
    return find_head(store, app, client_hash, &head, NULL);
}

static enum deployment_result read_schema(struct store *store, struct text app, struct text hash, struct buffer *text,
                                          struct json_document *schema) {
    int64_t published_at;
    struct json_error error;
    if (store_schema_get(store, app, hash, text, &published_at) != STORE_OK) {
        return DEPLOYMENT_STORE_FAILED;
    }
    return !text->failed && json_read(schema, buffer_text(text), &error) ? DEPLOYMENT_READY : DEPLOYMENT_NO_MEMORY;
}

enum deployment_result deployment_load(struct deployment *deployment, struct store *store, struct text app,
                                       struct text client_hash) {
    struct bundle head;
    struct json_error error;
    *deployment = (struct deployment){0};
    buffer_init(&deployment->permissions_text, BUFFER_CEILING);
    buffer_init(&deployment->head_text, BUFFER_CEILING);
    buffer_init(&deployment->client_text, BUFFER_CEILING);
    enum deployment_result result = find_head(store, app, client_hash, &head, &deployment->permissions_text);
    if (result != DEPLOYMENT_READY) {
        return result;
    }
    if (deployment->permissions_text.failed ||
        !json_read(&deployment->permissions, buffer_text(&deployment->permissions_text), &error)) {
        return DEPLOYMENT_NO_MEMORY;
    }
    result =
        read_schema(store, app, text_of(head.schema_hash.digits), &deployment->head_text, &deployment->head_schema);
    if (result == DEPLOYMENT_READY) {
        result = read_schema(store, app, client_hash, &deployment->client_text, &deployment->client_schema);
    }
    return result;
}

void deployment_free(struct deployment *deployment) {
    json_free(&deployment->client_schema);
    json_free(&deployment->head_schema);
    json_free(&deployment->permissions);
    buffer_free(&deployment->client_text);
    buffer_free(&deployment->head_text);
    buffer_free(&deployment->permissions_text);
}
