/* The admin API of a store, as far as provisioning needs it (store-provisioning, section 1). */
#ifndef PROVISION_STORE_H
#define PROVISION_STORE_H

#include "tools/provision/http.h"

/* What is deployed at a store. */
struct deployment {
    bool deployed;         /* there are hashes and a head; if not, nothing below is set */
    struct text head_hash; /* 64 lower-case hex digits */
    struct text bundle;    /* the head's bundleObjectId, as a JSON string with quotes */
    struct json tables;    /* the head's schema */
    struct json policies;  /* the head's permissions, an object or no value */
};

/* Reads it with GET requests only (status.read-only). Each function here gives false with PROBLEM_HTTP. */
bool store_read(struct run *run, struct http_client *client, struct deployment *deployment);

/* Publishes a schema (an object of tables, JSON text) and gives its hash. */
bool store_publish_schema(struct run *run, struct http_client *client, struct text tables, struct text *hash);

/*
 * Publishes permissions (an object, JSON text) for a schema, chained to `parent` (a JSON string with quotes, or `null`), and gives the
 * hash that then enforces permissions.
 */
bool store_publish_permissions(struct run *run, struct http_client *client, struct text schema_hash, struct text permissions,
                               struct text parent, struct text *head_hash);

/* Publishes a migration; `lenses` is a JSON array. */
bool store_publish_migration(struct run *run, struct http_client *client, struct text from_hash, struct text to_hash,
                             struct text lenses);

/* Whether the store says that the two schemas are connected. */
bool store_connected(struct run *run, struct http_client *client, struct text from_hash, struct text to_hash, bool *connected);

#endif
