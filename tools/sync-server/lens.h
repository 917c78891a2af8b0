/* Lenses: what a migration says about each table, and which of it contradicts itself or the schemas. */
#ifndef SYNC_SERVER_LENS_H
#define SYNC_SERVER_LENS_H

#include "tools/sync-server/name_index.h"

/* Whether `forward` is an array of well-formed lenses between two schemas (store.lens-conflict):
 * `{"table", "added"?, "removed"?, "renamedFrom"?, "operations": [{"type": "introduce"|"drop"|"rename", "column",
 * …}]}`. If not, appends to `why` which lens it is, counted from 0, and what was expected. */
bool lenses_valid(const struct json_document *document, uint32_t forward, const struct name_index *source,
                  const struct name_index *target, struct buffer *why);

#endif
