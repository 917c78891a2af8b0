#include "harness/target/url.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

static bool bad(struct error *error, const char *text, const char *what) {
    return error_set(error, ERROR_USAGE, "\"%s\" is no WebSocket URL: %s (expected ws://HOST[:PORT][/PATH] or wss://…)",
                     text, what);
}

static char *copy(const char *bytes, size_t length) {
    char *result = memory_new(length + 1);
    memcpy(result, bytes, length);
    result[length] = '\0';
    return result;
}

/* The port behind `text`'s colon; 0 when it is none. */
static int read_port(const char *text, size_t length) {
    int port = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || port > 65535)
            return 0;
        port = port * 10 + (text[i] - '0');
    }
    return port <= 65535 ? port : 0;
}

/* Reads `length` bytes of HOST[:PORT] at `at`; NULL or what is wrong with them. */
static const char *read_authority(struct url *url, const char *at, size_t length) {
    const char *host = at, *end = at + length, *host_end;
    if (memchr(at, '@', length) != NULL)
        return "a user name cannot travel in it";
    if (length > 0 && *at == '[') {
        host = at + 1;
        host_end = memchr(at, ']', length);
        if (host_end == NULL)
            return "the bracket of its address is not closed";
    } else {
        host_end = memchr(at, ':', length);
        if (host_end == NULL)
            host_end = end;
    }
    if (host_end == host)
        return "it has no host";
    const char *rest = host_end + (host != at ? 1 : 0);
    url->port = url->tls ? 443 : 80;
    if (rest < end)
        url->port = *rest == ':' ? read_port(rest + 1, (size_t)(end - rest - 1)) : 0;
    if (url->port == 0)
        return "its port is not a number from 1 to 65535";
    url->host = copy(host, (size_t)(host_end - host));
    url->host_header = copy(at, length);
    return NULL;
}

bool url_read(struct url *url, const char *text, struct error *error) {
    *url = (struct url){0};
    for (const unsigned char *byte = (const unsigned char *)text; *byte != '\0'; byte++)
        if (*byte <= ' ' || *byte >= 0x7f)
            return bad(error, text, "it has a blank, a control character or one outside ASCII");
    url->tls = strncmp(text, "wss://", 6) == 0;
    if (!url->tls && strncmp(text, "ws://", 5) != 0)
        return bad(error, text, "it does not begin with ws:// or wss://");
    const char *authority = strstr(text, "://") + 3;
    size_t length = strcspn(authority, "/?#");
    const char *wrong = read_authority(url, authority, length);
    if (wrong != NULL)
        return bad(error, text, wrong);
    const char *path = authority + length;
    if (*path != '/')
        buffer_string(&url->path, "/");
    buffer_append(&url->path, path, strcspn(path, "#"));
    return true;
}

void url_free(struct url *url) {
    free(url->host);
    free(url->host_header);
    buffer_free(&url->path);
}
