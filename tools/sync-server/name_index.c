#include "tools/sync-server/name_index.h"

#include <stdlib.h>

static int compare_entries(const void *left, const void *right) {
    const struct name_entry *a = left;
    const struct name_entry *b = right;
    int order = text_compare(a->name, b->name);
    return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

static bool allocate(struct name_index *index, size_t count) {
    *index = (struct name_index){.count = count};
    buffer_init(&index->names, BUFFER_CEILING);
    index->entries = calloc(count ? count : 1, sizeof *index->entries);
    return index->entries != NULL;
}

static void add(struct name_index *index, size_t at, const struct json_document *document, uint32_t name,
                uint32_t node) {
    size_t start = index->names.length;
    json_decode(document, name, &index->names);
    index->entries[at] = (struct name_entry){{NULL, index->names.length - start}, node};
}

/* The names' bytes may move while the buffer grows, so the entries learn only now where theirs are. */
static bool finish(struct name_index *index) {
    if (index->names.failed) {
        return false;
    }
    size_t start = 0;
    for (size_t at = 0; at < index->count; at++) {
        index->entries[at].name.bytes = buffer_text(&index->names).bytes + start;
        start += index->entries[at].name.length;
    }
    qsort(index->entries, index->count, sizeof *index->entries, compare_entries);
    return true;
}

bool name_index_members(struct name_index *index, const struct json_document *document, uint32_t object) {
    if (!allocate(index, json_size(document, object))) {
        return false;
    }
    size_t filled = 0;
    for (uint32_t at = json_first(document, object); at != JSON_NONE; at = json_after(document, object, at + 1)) {
        add(index, filled++, document, at, at + 1);
    }
    return finish(index);
}

bool name_index_named(struct name_index *index, const struct json_document *document, uint32_t array) {
    if (!allocate(index, json_size(document, array))) {
        return false;
    }
    size_t filled = 0;
    for (uint32_t at = json_first(document, array); at != JSON_NONE; at = json_after(document, array, at)) {
        add(index, filled++, document, json_member(document, at, "name"), at);
    }
    return finish(index);
}

void name_index_free(struct name_index *index) {
    free(index->entries);
    buffer_free(&index->names);
    *index = (struct name_index){0};
}

uint32_t name_index_find(const struct name_index *index, struct text name) {
    size_t low = 0;
    size_t high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text_compare(index->entries[middle].name, name) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low > 0 && text_equal(index->entries[low - 1].name, name);
    return found ? index->entries[low - 1].node : JSON_NONE;
}

uint32_t name_index_find_string(const struct name_index *index, const struct json_document *document, uint32_t string) {
    struct buffer name;
    buffer_init(&name, BUFFER_CEILING);
    json_decode(document, string, &name);
    uint32_t node = name.failed ? JSON_NONE : name_index_find(index, buffer_text(&name));
    buffer_free(&name);
    return node;
}

bool name_index_distinct(const struct name_index *index) {
    for (size_t at = 1; at < index->count; at++) {
        if (text_equal(index->entries[at - 1].name, index->entries[at].name)) {
            return false;
        }
    }
    return true;
}
