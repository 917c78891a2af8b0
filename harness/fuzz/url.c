/*
 * Requests that open a WebSocket, from any URL and any principal: what is accepted can be connected to, and neither a
 * URL nor a principal puts a line of its own into the request.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/target/principal.h"

static const struct principal_token tokens[] = {{.writer = {"a", 1}, .token = {"secret", 6}}};

static const struct principal_way ways[] = {
    {.query = {.writer = "writer", .kind = "kind", .claims = "claims"}},
    {.header = {.writer = "X-Writer", .kind = "X-Kind", .claims = "X-Claims"}},
    {.subprotocol = "mesh.{writer}.{kind}.{claims}"},
    {.header = {.token = "Authorization"}, .query = {.token = "t"}, .tokens = tokens, .token_count = 1},
};

static void check_url(const struct url *url) {
    if (url->port < 1 || url->port > 65535 || url->host[0] == '\0' || url->path.bytes[0] != '/')
        found("host \"%s\", port %d, path %s", url->host, url->port, url->path.bytes);
}

/* A path ends at a blank, as a subprotocol does. */
static void check_word(const struct buffer *word) {
    for (size_t i = 0; i < word->length; i++)
        if ((unsigned char)word->bytes[i] <= ' ' || (unsigned char)word->bytes[i] >= 0x7F)
            found("the byte 0x%02x in %s", (unsigned char)word->bytes[i], word->bytes);
}

/* Each line is a name, a colon and visible characters, and ends in CR LF. */
static void check_headers(const struct buffer *headers) {
    struct text left = {headers->bytes, headers->length};
    while (left.length > 0) {
        const char *end = memchr(left.bytes, '\r', left.length);
        size_t length = end == NULL ? left.length : (size_t)(end - left.bytes);
        if (left.length < length + 2 || left.bytes[length + 1] != '\n' || memchr(left.bytes, ':', length) == NULL)
            found("a header that is no line: %s", headers->bytes);
        for (size_t i = 0; i < length; i++)
            if ((unsigned char)left.bytes[i] < ' ' || (unsigned char)left.bytes[i] >= 0x7F)
                found("the byte 0x%02x in %s", (unsigned char)left.bytes[i], headers->bytes);
        left.bytes += length + 2;
        left.length -= length + 2;
    }
}

static void check_request(const struct url *url, const struct principal_way *way, const struct target_principal *who) {
    struct principal_request request = {0};
    struct error error = {0};
    enum target_outcome outcome = principal_put(&request, url, way, who, &error);
    if (outcome == TARGET_OK) {
        check_word(&request.path);
        check_word(&request.subprotocol);
        check_headers(&request.headers);
    } else if (error.text[0] == '\0') {
        found("a principal is refused without a reason");
    }
    principal_request_free(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, size};
    struct target_principal who = {.writer = {"a", 1}, .kind = {NULL, 0}, .claims = {NULL, 0}};
    const struct principal_way *way = &ways[bytes_choose(&bytes, sizeof ways / sizeof *ways)];
    struct url url;
    struct error error = {0};
    unsigned parts = bytes_choose(&bytes, 8);
    if ((parts & 1) != 0)
        who.writer.bytes = bytes_raw(&bytes, 20, &who.writer.length);
    if ((parts & 2) != 0)
        who.kind.bytes = bytes_raw(&bytes, 20, &who.kind.length);
    if ((parts & 4) != 0)
        who.claims.bytes = bytes_raw(&bytes, 40, &who.claims.length);
    char *text = malloc(bytes.left + 1);
    memcpy(text, bytes.at, bytes.left);
    text[bytes.left] = '\0';
    if (url_read(&url, text, &error)) {
        check_url(&url);
        check_request(&url, way, &who);
        url_free(&url);
    } else if (error.code != ERROR_USAGE || error.text[0] == '\0') {
        found("a URL is refused without a reason");
    }
    free(text);
    return 0;
}
