#include "tools/provision/store.h"

#define HASH_LENGTH 64

static bool is_hash(struct text text) {
    if (text.length != HASH_LENGTH) return false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
    }
    return true;
}

/* Reads a hash out of an answer. It goes into later URLs, so nothing but a hash may pass. */
static bool take_hash(struct run *run, struct http_client *client, struct json value, struct text *hash) {
    *hash = json_string(run->arena, value);
    return is_hash(*hash) || http_unexpected(client, "it has no hash of 64 lower-case hex digits where one must be");
}

/* ---- reading ----------------------------------------------------------------------------------- */

static bool read_head(struct run *run, struct http_client *client, struct json head, struct deployment *deployment) {
    struct json bundle = json_member(head, "bundleObjectId");
    if (!take_hash(run, client, json_member(head, "schemaHash"), &deployment->head_hash)) return false;
    if (!json_is(bundle, JSON_STRING)) return http_unexpected(client, "its head has no bundleObjectId");
    deployment->bundle = json_raw(bundle);
    return true;
}

static bool read_permissions(struct run *run, struct http_client *client, struct deployment *deployment) {
    struct json answer = {0};
    if (!http_get(client, text_from("admin/permissions"), &answer)) return false;
    struct json head = json_member(answer, "head"), policies = json_member(answer, "permissions");
    if (json_is_null_or_absent(head)) {
        deployment->deployed = false;
        return json_present(head) || http_unexpected(client, "it has no head");
    }
    if (!json_is_null_or_absent(policies) && !json_is(policies, JSON_OBJECT))
        return http_unexpected(client, "its permissions are not an object");
    if (json_is(policies, JSON_OBJECT)) deployment->policies = policies;
    return read_head(run, client, head, deployment);
}

static bool read_schema(struct run *run, struct http_client *client, struct deployment *deployment) {
    struct builder path = {.arena = run->arena};
    struct json answer = {0};
    builder_add_string(&path, "schema/");
    builder_add(&path, deployment->head_hash);
    if (!http_get(client, builder_text(&path), &answer)) return false;
    deployment->tables = json_member(answer, "schema");
    return json_is(deployment->tables, JSON_OBJECT) || http_unexpected(client, "it has no schema");
}

bool store_read(struct run *run, struct http_client *client, struct deployment *deployment) {
    struct json answer = {0};
    *deployment = (struct deployment){0};
    if (!http_get(client, text_from("schemas"), &answer)) return false;
    struct json hashes = json_member(answer, "hashes");
    if (!json_is(hashes, JSON_ARRAY)) return http_unexpected(client, "it has no list of hashes");
    deployment->deployed = json_count(hashes) > 0;
    if (!read_permissions(run, client, deployment)) return false;
    if (deployment->deployed) return read_schema(run, client, deployment);
    *deployment = (struct deployment){0};
    return true;
}

/* ---- publishing -------------------------------------------------------------------------------- */

/* Adds `"name":value` with what must stand before it. */
static void add_part(struct builder *body, const char *before, const char *name, struct text value) {
    builder_format(body, "%s\"%s\":", before, name);
    builder_add(body, value);
}

static struct text quoted(struct run *run, struct text text) {
    struct builder out = {.arena = run->arena};
    builder_add_quoted(&out, text);
    return builder_text(&out);
}

static struct text finish(struct builder *body) {
    builder_add_string(body, "}");
    return builder_text(body);
}

bool store_publish_schema(struct run *run, struct http_client *client, struct text tables, struct text *hash) {
    struct builder body = {.arena = run->arena};
    struct json answer = {0};
    add_part(&body, "{", "schema", tables);
    return http_post(client, text_from("admin/schemas"), finish(&body), &answer) &&
           take_hash(run, client, json_member(answer, "hash"), hash);
}

bool store_publish_permissions(struct run *run, struct http_client *client, struct text schema_hash, struct text permissions,
                               struct text parent, struct text *head_hash) {
    struct builder body = {.arena = run->arena};
    struct json answer = {0};
    add_part(&body, "{", "schemaHash", quoted(run, schema_hash));
    add_part(&body, ",", "permissions", permissions);
    add_part(&body, ",", "expectedParentBundleObjectId", parent);
    return http_post(client, text_from("admin/permissions"), finish(&body), &answer) &&
           take_hash(run, client, json_member(json_member(answer, "head"), "schemaHash"), head_hash);
}

bool store_publish_migration(struct run *run, struct http_client *client, struct text from_hash, struct text to_hash,
                             struct text lenses) {
    struct builder body = {.arena = run->arena};
    struct json answer = {0};
    add_part(&body, "{", "fromHash", quoted(run, from_hash));
    add_part(&body, ",", "toHash", quoted(run, to_hash));
    add_part(&body, ",", "forward", lenses);
    return http_post(client, text_from("admin/migrations"), finish(&body), &answer);
}

bool store_connected(struct run *run, struct http_client *client, struct text from_hash, struct text to_hash, bool *connected) {
    struct builder path = {.arena = run->arena};
    struct json answer = {0};
    builder_add_string(&path, "admin/schema-connectivity?fromHash=");
    builder_add(&path, from_hash);
    builder_add_string(&path, "&toHash=");
    builder_add(&path, to_hash);
    if (!http_get(client, builder_text(&path), &answer)) return false;
    struct json value = json_member(answer, "connected");
    *connected = json_is(value, JSON_TRUE);
    return *connected || json_is(value, JSON_FALSE) || http_unexpected(client, "it does not say whether they are connected");
}
