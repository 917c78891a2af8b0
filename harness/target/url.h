/*
 * WebSocket URLs, taken apart for connecting.
 */
#ifndef MESHSPEC_TARGET_URL_H
#define MESHSPEC_TARGET_URL_H

#include "harness/base/error.h"
#include "harness/base/text.h"

struct url {
    bool tls;           /* wss:// */
    char *host;         /* without the brackets of an IPv6 address */
    int port;           /* 80 or 443 when it has none */
    char *host_header;  /* as the Host header has it */
    struct buffer path; /* with the query; begins with "/" */
};

/* Reads ws://HOST[:PORT][/PATH][?QUERY] or wss://…; a fragment is left out. False with ERROR_USAGE when it is no such
 * URL. Free with url_free. */
bool url_read(struct url *url, const char *text, struct error *error);

void url_free(struct url *url);

#endif
