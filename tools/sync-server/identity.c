#include "tools/sync-server/identity.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <string.h>

#define DIGEST_LENGTH 32

static bool digest(struct text content, unsigned char bytes[DIGEST_LENGTH]) {
    return EVP_Digest(content.bytes, content.length, bytes, NULL, EVP_sha256(), NULL) == 1;
}

bool hash_of(struct text content, struct hash *hash) {
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[DIGEST_LENGTH];
    if (!digest(content, bytes)) {
        return false;
    }
    for (size_t at = 0; at < DIGEST_LENGTH; at++) {
        hash->digits[at * 2] = hex[bytes[at] >> 4];
        hash->digits[at * 2 + 1] = hex[bytes[at] & 15];
    }
    hash->digits[HASH_LENGTH] = '\0';
    return true;
}

static bool is_hex_digit(char c, bool any_case) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (any_case && c >= 'A' && c <= 'F');
}

bool is_hash(struct text text) {
    if (text.length != HASH_LENGTH) {
        return false;
    }
    for (size_t at = 0; at < text.length; at++) {
        if (!is_hex_digit(text.bytes[at], false)) {
            return false;
        }
    }
    return true;
}

static bool is_dash_place(size_t at) {
    return at == 8 || at == 13 || at == 18 || at == 23;
}

bool is_uuid(struct text text) {
    if (text.length != UUID_LENGTH) {
        return false;
    }
    for (size_t at = 0; at < text.length; at++) {
        if (is_dash_place(at) ? text.bytes[at] != '-' : !is_hex_digit(text.bytes[at], true)) {
            return false;
        }
    }
    return true;
}

static void write_uuid(unsigned char bytes[16], unsigned version, struct uuid *uuid) {
    static const char hex[] = "0123456789abcdef";
    bytes[6] = (unsigned char)((bytes[6] & 0x0F) | version << 4);
    bytes[8] = (unsigned char)((bytes[8] & 0x3F) | 0x80);
    size_t out = 0;
    for (size_t at = 0; at < 16; at++) {
        if (is_dash_place(out)) {
            uuid->digits[out++] = '-';
        }
        uuid->digits[out++] = hex[bytes[at] >> 4];
        uuid->digits[out++] = hex[bytes[at] & 15];
    }
    uuid->digits[UUID_LENGTH] = '\0';
}

bool uuid_random(struct uuid *uuid) {
    unsigned char bytes[16];
    if (RAND_bytes(bytes, sizeof bytes) != 1) {
        return false;
    }
    write_uuid(bytes, 4, uuid);
    return true;
}

bool uuid_of_name(struct text name, struct uuid *uuid) {
    unsigned char bytes[DIGEST_LENGTH];
    if (!digest(name, bytes)) {
        return false;
    }
    write_uuid(bytes, 8, uuid);
    return true;
}

bool secret_equal(struct text given, struct text right) {
    unsigned char a[DIGEST_LENGTH];
    unsigned char b[DIGEST_LENGTH];
    return digest(given, a) && digest(right, b) && CRYPTO_memcmp(a, b, DIGEST_LENGTH) == 0;
}
