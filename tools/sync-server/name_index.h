/* Finding many names in one big object or list: an index, sorted once, instead of a walk for each name. */
#ifndef SYNC_SERVER_NAME_INDEX_H
#define SYNC_SERVER_NAME_INDEX_H

#include "tools/sync-server/json.h"

struct name_entry {
    struct text name; /* decoded; in the index's `names` */
    uint32_t node;    /* what it names */
};

/* Borrows the document. */
struct name_index {
    struct name_entry *entries; /* sorted by name; equal names in the order of the text */
    size_t count;
    struct buffer names;
};

/* Indexes an object's members by their names. False when memory ran out. Free it either way. */
bool name_index_members(struct name_index *index, const struct json_document *document, uint32_t object);

/* Indexes an array of objects by the string that each has under "name". All must have one. */
bool name_index_named(struct name_index *index, const struct json_document *document, uint32_t array);

void name_index_free(struct name_index *index);

/* The node of that name, the last where there are several (as JSON.parse takes it), or JSON_NONE. */
uint32_t name_index_find(const struct name_index *index, struct text name);

/* The same for the name that a string of a document spells. */
uint32_t name_index_find_string(const struct name_index *index, const struct json_document *document, uint32_t string);

/* Whether no two names are equal. */
bool name_index_distinct(const struct name_index *index);

#endif
