#include "relay-ref/adapters/query.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "relay-ref/json/scanner.h"
#include "relay-ref/json/utf8.h"

bool refuse(struct refusal *refusal, unsigned status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal->text, sizeof refusal->text, format, arguments);
    va_end(arguments);
    refusal->status = status;
    return false;
}

bool query_is_utf8(struct relay_text text) {
    for (size_t at = 0; at < text.length;) {
        size_t step = relay_utf8_step(text.bytes + at, text.length - at);
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

bool query_is_json_object(struct relay_text text) {
    struct json_value value;
    return relay_json_check(text.bytes, text.length, &value) == JSON_FINE && value.kind == JSON_OBJECT;
}

bool query_find(const struct query_field *fields, size_t count, const char *name, struct relay_text *out,
                struct refusal *refusal) {
    size_t length = strlen(name);
    *out = (struct relay_text){0};
    for (size_t i = 0; i < count; i++) {
        if (fields[i].name.length != length || memcmp(fields[i].name.bytes, name, length) != 0)
            continue;
        if (out->bytes != NULL)
            return refuse(refusal, 400, "The query has `%s` more than once; it must be there at most once.", name);
        *out = fields[i].value;
    }
    return true;
}

bool query_principal(const struct query_field *fields, size_t count, struct relay_principal *out,
                     struct refusal *refusal) {
    *out = (struct relay_principal){0};
    if (!query_find(fields, count, "writer", &out->writer, refusal) ||
        !query_find(fields, count, "kind", &out->kind, refusal) ||
        !query_find(fields, count, "claims", &out->claims, refusal))
        return false;
    if (out->writer.length == 0)
        return refuse(refusal, 401, "The query has no `writer`: say who you are, for instance ?writer=ana.");
    if (!query_is_utf8(out->writer) || (out->kind.bytes != NULL && !query_is_utf8(out->kind)))
        return refuse(refusal, 400, "`writer` and `kind` must be UTF-8 after percent-decoding.");
    if (out->kind.length == 0)
        out->kind = (struct relay_text){0};
    if (out->claims.bytes != NULL && !query_is_json_object(out->claims))
        return refuse(refusal, 400, "`claims` must be a JSON object, for instance claims={\"role\":\"admin\"}.");
    return true;
}
