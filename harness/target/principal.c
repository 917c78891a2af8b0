#include "harness/target/principal.h"

#include <string.h>
#include <strings.h>

#include "harness/json/value.h"
#include "harness/target/outcome.h"

const struct principal_way principal_by_query = {.query = {.writer = "writer", .kind = "kind", .claims = "claims"}};

/* What is to travel; bytes NULL: there is no such part. */
struct parts {
    struct text writer, kind, claims, token;
};

/* ---- encoding ------------------------------------------------------------------------------------ */

static bool is_unreserved(unsigned char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           (byte != '\0' && strchr("-._~", byte) != NULL);
}

static bool is_visible(unsigned char byte) {
    return byte >= ' ' && byte < 0x7f && byte != '%';
}

static void put_encoded(struct buffer *out, struct text text, bool (*plain)(unsigned char byte)) {
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (plain(byte))
            buffer_append(out, text.bytes + i, 1);
        else
            buffer_format(out, "%%%02X", byte);
    }
}

/* ---- the three places ---------------------------------------------------------------------------- */

static void put_query_field(struct buffer *path, const char *name, struct text value) {
    if (name == NULL || value.bytes == NULL)
        return;
    char last = path->bytes[path->length - 1];
    bool has_query = memchr(path->bytes, '?', path->length) != NULL;
    buffer_format(path, "%s%s=", !has_query ? "?" : last == '?' || last == '&' ? "" : "&", name);
    put_encoded(path, value, is_unreserved);
}

static void put_query(struct buffer *path, const struct principal_fields *names, const struct parts *parts) {
    put_query_field(path, names->writer, parts->writer);
    put_query_field(path, names->kind, parts->kind);
    put_query_field(path, names->claims, parts->claims);
    put_query_field(path, names->token, parts->token);
}

static void put_header(struct buffer *headers, const char *name, const char *before, struct text value) {
    if (name == NULL || value.bytes == NULL)
        return;
    buffer_format(headers, "%s: %s", name, before);
    put_encoded(headers, value, is_visible);
    buffer_string(headers, "\r\n");
}

static void put_headers(struct buffer *headers, const struct principal_fields *names, const struct parts *parts) {
    bool bearer = names->token != NULL && strcasecmp(names->token, "Authorization") == 0;
    put_header(headers, names->writer, "", parts->writer);
    put_header(headers, names->kind, "", parts->kind);
    put_header(headers, names->claims, "", parts->claims);
    put_header(headers, names->token, bearer ? "Bearer " : "", parts->token);
}

static void put_subprotocol(struct buffer *out, const char *pattern, const struct parts *parts) {
    const struct {
        struct text name, value;
    } places[] = {{TEXT("{writer}"), parts->writer},
                  {TEXT("{kind}"), parts->kind},
                  {TEXT("{claims}"), parts->claims},
                  {TEXT("{token}"), parts->token}};
    for (struct text rest = text_of(pattern); rest.length > 0;) {
        size_t i = 0;
        while (i < 4 && !text_starts_with(rest, places[i].name))
            i++;
        size_t taken = i < 4 ? places[i].name.length : 1;
        if (i < 4)
            put_encoded(out, places[i].value, is_unreserved);
        else
            buffer_append(out, rest.bytes, 1);
        rest = (struct text){rest.bytes + taken, rest.length - taken};
    }
}

/* ---- whether it can travel ----------------------------------------------------------------------- */

static bool carries(const struct principal_way *way, const char *query, const char *header, const char *place) {
    return query != NULL || header != NULL || (way->subprotocol != NULL && strstr(way->subprotocol, place) != NULL);
}

static bool same_claims(struct text a, struct text b) {
    if (a.bytes == NULL || b.bytes == NULL)
        return a.bytes == b.bytes;
    struct arena *arena = arena_new();
    struct error ignored = {0};
    const struct json_value *left = json_parse(arena, a, &ignored), *right = json_parse(arena, b, &ignored);
    bool same = left != NULL && right != NULL && json_equal(left, right);
    arena_free(arena);
    return same;
}

static bool same_kind(struct text a, struct text b) {
    return (a.bytes == NULL) == (b.bytes == NULL) && text_equal(a, b);
}

/* The first token of that writer; NULL: none. */
static const struct principal_token *token_of(const struct principal_way *way, struct text writer) {
    if (text_equal(writer, TEXT(TARGET_PROBE_WRITER)))
        return way->tokens;
    for (size_t i = 0; i < way->token_count; i++)
        if (text_equal(way->tokens[i].writer, writer))
            return &way->tokens[i];
    return NULL;
}

static enum target_outcome choose_parts(const struct principal_way *way, const struct target_principal *principal,
                                        struct parts *parts, struct error *error) {
    const struct principal_token none = {0}, *token = &none;
    if (way->token_count > 0 && (token = token_of(way, principal->writer)) == NULL)
        return target_lacks(error, "needs a writer that the target file has no token for");
    bool kind_travels = carries(way, way->query.kind, way->header.kind, "{kind}");
    bool claims_travel = carries(way, way->query.claims, way->header.claims, "{claims}");
    if (!kind_travels && !same_kind(principal->kind, token->kind))
        return target_lacks(error, "needs a kind of writer that the target file has no way for");
    if (!claims_travel && !same_claims(principal->claims, token->claims))
        return target_lacks(error, "needs claims of a writer that the target file has no way for");
    *parts = (struct parts){.writer = principal->writer,
                            .kind = principal->kind,
                            .claims = principal->claims,
                            .token = token->token};
    return TARGET_OK;
}

enum target_outcome principal_put(struct principal_request *request, const struct url *url,
                                  const struct principal_way *way, const struct target_principal *principal,
                                  struct error *error) {
    struct parts parts;
    enum target_outcome outcome = choose_parts(way, principal, &parts, error);
    if (outcome != TARGET_OK)
        return outcome;
    buffer_append(&request->path, url->path.bytes, url->path.length);
    put_query(&request->path, &way->query, &parts);
    put_headers(&request->headers, &way->header, &parts);
    if (way->subprotocol != NULL)
        put_subprotocol(&request->subprotocol, way->subprotocol, &parts);
    return TARGET_OK;
}

void principal_request_free(struct principal_request *request) {
    buffer_free(&request->path);
    buffer_free(&request->headers);
    buffer_free(&request->subprotocol);
}
