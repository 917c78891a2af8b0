#include "tools/sync-server/schema.h"

#include <stdlib.h>
#include <string.h>

bool schema_hash(const struct json_document *document, uint32_t schema, struct hash *hash) {
    struct buffer canonical;
    buffer_init(&canonical, BUFFER_CEILING);
    json_canonical(document, schema, &canonical);
    bool done = !canonical.failed && hash_of(buffer_text(&canonical), hash);
    buffer_free(&canonical);
    return done;
}

static int compare_entries(const void *left, const void *right) {
    return text_compare(((const struct table_entry *)left)->name, ((const struct table_entry *)right)->name);
}

/* Names go into one buffer whose bytes may move while it grows, so entries hold offsets until it is full. */
static bool collect_entries(struct table_index *index, uint32_t object) {
    size_t at_entry = 0;
    for (uint32_t at = json_first(index->document, object); at != JSON_NONE;
         at = json_after(index->document, object, at + 1)) {
        size_t start = index->names.length;
        json_decode(index->document, at, &index->names);
        index->entries[at_entry++] = (struct table_entry){{(const char *)NULL, index->names.length - start}, at + 1};
    }
    if (index->names.failed) {
        return false;
    }
    size_t start = 0;
    for (size_t entry = 0; entry < index->count; entry++) {
        index->entries[entry].name.bytes = index->names.bytes ? index->names.bytes + start : "";
        start += index->entries[entry].name.length;
    }
    return true;
}

bool table_index_build(struct table_index *index, const struct json_document *document, uint32_t schema) {
    *index = (struct table_index){.document = document, .count = json_size(document, schema)};
    buffer_init(&index->names, BUFFER_CEILING);
    index->entries = calloc(index->count ? index->count : 1, sizeof *index->entries);
    if (!index->entries || !collect_entries(index, schema)) {
        table_index_free(index);
        return false;
    }
    qsort(index->entries, index->count, sizeof *index->entries, compare_entries);
    return true;
}

void table_index_free(struct table_index *index) {
    free(index->entries);
    buffer_free(&index->names);
    *index = (struct table_index){0};
}

uint32_t table_index_find(const struct table_index *index, struct text name) {
    struct table_entry wanted = {name, JSON_NONE};
    const struct table_entry *found =
        bsearch(&wanted, index->entries, index->count, sizeof *index->entries, compare_entries);
    return found ? found->table : JSON_NONE;
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
