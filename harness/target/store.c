/* What all stores have in common: how they are asked. */
#include "harness/target/store.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "harness/base/memory.h"

#define SECRET_BYTES 20

char *store_format(const char *format, ...) {
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        memory_is_out("%s", format);
    }
    return text;
}

char *store_draw_secret(void) {
    unsigned char bytes[SECRET_BYTES];
    char *secret = memory_new(2 * SECRET_BYTES + 1);
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        abort();
    }
    for (size_t i = 0; i < SECRET_BYTES; i++) {
        sprintf(secret + 2 * i, "%02x", bytes[i]);
    }
    return secret;
}

bool store_prepare(struct store *store, struct error *error) {
    store->wrong_secret = store_draw_secret();
    store->client = http_client_new(error);
    return store->client != NULL;
}

void store_release(struct store *store) {
    http_client_free(store->client);
    free(store->url);
    free(store->app);
    free(store->secret);
    free(store->wrong_secret);
}

static char *request_url(const struct store *store, const struct store_request *request) {
    int length = (int)request->path.length;
    if (length > 0 && request->path.bytes[0] == '/') {
        return store_format("%s%.*s", store->url, length, request->path.bytes);
    }
    return store_format("%s/apps/%s%s%.*s/%.*s", store->url, store->app, request->other_app.length > 0 ? "-" : "",
                        (int)request->other_app.length, request->other_app.bytes, length, request->path.bytes);
}

static bool names_content_type(const char *const *headers) {
    for (const char *const *header = headers; header != NULL && *header != NULL; header++) {
        if (strncasecmp(*header, "content-type:", strlen("content-type:")) == 0) {
            return true;
        }
    }
    return false;
}

struct http_call *store_start(struct store *store, const struct store_request *request, struct error *error) {
    const char *headers[HTTP_HEADERS_CEILING + 1];
    size_t count = 0;
    char *url = request_url(store, request);
    const char *secret = request->secret == STORE_SECRET_RIGHT   ? store->secret
                         : request->secret == STORE_SECRET_WRONG ? store->wrong_secret
                                                                 : NULL;
    char *secret_header = store_format("X-Jazz-Admin-Secret: %s", secret == NULL ? "" : secret);
    if (secret != NULL) {
        headers[count++] = secret_header;
    }
    if (request->body.bytes != NULL && !names_content_type(request->headers)) {
        headers[count++] = "Content-Type: application/json";
    }
    for (const char *const *header = request->headers;
         header != NULL && *header != NULL && count < HTTP_HEADERS_CEILING; header++) {
        headers[count++] = *header;
    }
    headers[count] = NULL;
    struct http_request plain = {request->method, url, request->body, headers};
    struct http_call *call = http_start(store->client, &plain, error);
    free(secret_header);
    free(url);
    return call;
}

bool store_is_named(const char *target) {
    return strcmp(target, "store") == 0 || strncmp(target, "http://", 7) == 0 || strncmp(target, "https://", 8) == 0;
}

/* A quote inside quotes ends them, stands escaped, and begins them again. */
static void append_quoted(struct buffer *out, const char *word) {
    buffer_string(out, "'");
    for (const char *at = word; *at != '\0'; at++) {
        buffer_string(out, *at == '\'' ? "'\\''" : (char[]){*at, '\0'});
    }
    buffer_string(out, "'");
}

char *store_program_beside(const char *name) {
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    char *path = store_format("%s/%s", own, name);
    struct buffer quoted = {0};
    append_quoted(&quoted, path);
    free(path);
    return quoted.bytes;
}
