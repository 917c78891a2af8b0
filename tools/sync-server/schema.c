#include "tools/sync-server/schema.h"

bool schema_hash(const struct json_document *document, uint32_t schema, struct hash *hash) {
    struct buffer canonical;
    buffer_init(&canonical, BUFFER_CEILING);
    json_canonical(document, schema, &canonical);
    bool done = !canonical.failed && hash_of(buffer_text(&canonical), hash);
    buffer_free(&canonical);
    return done;
}

uint32_t schema_column(const struct json_document *document, uint32_t table, struct text name) {
    uint32_t columns = json_member(document, table, "columns");
    if (columns == JSON_NONE) {
        return JSON_NONE;
    }
    for (uint32_t at = json_first(document, columns); at != JSON_NONE; at = json_after(document, columns, at)) {
        if (json_string_is(document, json_member(document, at, "name"), name)) {
            return at;
        }
    }
    return JSON_NONE;
}
