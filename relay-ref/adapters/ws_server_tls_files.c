/* The files of --cert and --key, looked into by OpenSSL itself, for libwebsockets only says that something is wrong. */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>

#include "relay-ref/adapters/ws_server_tls.h"

static bool say(char *reason, size_t capacity, const char *path, const char *what) {
    snprintf(reason, capacity, "%s: %s", path, what);
    ERR_clear_error();
    return false;
}

static bool can_be_read(const char *path, char *reason, size_t capacity) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return say(reason, capacity, path, strerror(errno));
    fclose(file);
    return true;
}

/* Nobody can be asked for a passphrase here. */
static int no_passphrase(char *buffer, int size, int writing, void *user) {
    (void)buffer;
    (void)size;
    (void)writing;
    (void)user;
    return 0;
}

static bool check(SSL_CTX *context, const struct server_flags *flags, char *reason, size_t capacity) {
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    if (SSL_CTX_use_certificate_chain_file(context, flags->certificate_file) != 1)
        return say(reason, capacity, flags->certificate_file, "there is no certificate in PEM form in it");
    if (SSL_CTX_use_PrivateKey_file(context, flags->key_file, SSL_FILETYPE_PEM) != 1) {
        if (ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH)
            return say(reason, capacity, flags->key_file, "it is not the key of the certificate");
        return say(reason, capacity, flags->key_file, "there is no private key in PEM form, without a passphrase, in it");
    }
    if (SSL_CTX_check_private_key(context) != 1)
        return say(reason, capacity, flags->key_file, "it is not the key of the certificate");
    return true;
}

bool tls_check_files(const struct server_flags *flags, char *reason, size_t capacity) {
    if (!can_be_read(flags->certificate_file, reason, capacity) || !can_be_read(flags->key_file, reason, capacity))
        return false;
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    bool fine = context != NULL ? check(context, flags, reason, capacity)
                                : say(reason, capacity, flags->certificate_file, "out of memory");
    SSL_CTX_free(context);
    return fine;
}
