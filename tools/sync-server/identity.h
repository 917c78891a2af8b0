/* The names that the store gives: hashes, object ids; and how secrets are compared. */
#ifndef SYNC_SERVER_IDENTITY_H
#define SYNC_SERVER_IDENTITY_H

#include "tools/sync-server/text.h"

#define HASH_LENGTH 64
#define UUID_LENGTH 36

/* A hash or an object id, both with their NUL. */
struct hash {
    char digits[HASH_LENGTH + 1];
};
struct uuid {
    char digits[UUID_LENGTH + 1];
};

/* 64 lower-case hex digits of SHA-256 over `content`. Answers false when OpenSSL refuses. */
bool hash_of(struct text content, struct hash *hash);

/* Whether `text` is 64 lower-case hex digits. */
bool is_hash(struct text text);

/* Whether `text` is 8-4-4-4-12 hex digits of any case. */
bool is_uuid(struct text text);

/* A fresh random id (UUID version 4). Answers false when there is no randomness. */
bool uuid_random(struct uuid *uuid);

/* The id that always belongs to `name` (UUID version 8, from its SHA-256). */
bool uuid_of_name(struct text name, struct uuid *uuid);

/* Whether two secrets are the same, in a time that tells nothing about where they differ or how long they are. */
bool secret_equal(struct text given, struct text right);

#endif
