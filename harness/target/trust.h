/*
 * Whose certificates are believed when a relay is reached over TLS.
 */
#ifndef MESHSPEC_TARGET_TRUST_H
#define MESHSPEC_TARGET_TRUST_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

/* Zero-initialised: the system's authorities, and SSL_CERT_FILE as OpenSSL reads it. Texts are borrowed. */
struct trust {
    const char *ca; /* a file with further authorities, PEM; NULL: none */
    bool insecure;  /* any certificate will do: unknown, expired, somebody else's */
};

/* Whether somebody chose something. */
static inline bool trust_is_chosen(const struct trust *trust) {
    return trust->ca != NULL || trust->insecure;
}

/* Looks into a file of authorities. False with ERROR_USAGE "FILE: …" when there is no certificate in it. */
bool trust_check_file(const char *ca, struct error *error);

/* For options of the command line: looks into the file. False with ERROR_USAGE when both are given, or there is no certificate in it. */
bool trust_check(const struct trust *trust, struct error *error);

#endif
