#include "harness/target/trust.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>

bool trust_check_file(const char *ca, struct error *error) {
    FILE *file = fopen(ca, "r");
    if (file == NULL)
        return error_set(error, ERROR_USAGE, "%s: %s", ca, strerror(errno));
    X509 *certificate = PEM_read_X509(file, NULL, NULL, NULL);
    fclose(file);
    if (certificate == NULL) {
        ERR_clear_error();
        return error_set(error, ERROR_USAGE, "%s: there is no certificate in PEM form in it", ca);
    }
    X509_free(certificate);
    return true;
}

bool trust_check(const struct trust *trust, struct error *error) {
    if (trust->ca != NULL && trust->insecure)
        return error_set(error, ERROR_USAGE, "--ca says whom to trust, --insecure trusts everybody: only one of them can be meant");
    return trust->ca == NULL || trust_check_file(trust->ca, error) || error_context(error, "--ca");
}
