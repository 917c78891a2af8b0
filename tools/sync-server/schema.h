/*
 * Schemas: what is a well-formed one, what its hash is, and how to find a column in it.
 */
#ifndef SYNC_SERVER_SCHEMA_H
#define SYNC_SERVER_SCHEMA_H

#include "tools/sync-server/identity.h"
#include "tools/sync-server/json.h"

/* Whether `schema` is `{table: {"columns": [column, …]}, …}` with known column types; names are not empty, tables
 * and the columns of one table each have names of their own. If not, appends to `why` which table and
 * column, and what was expected. Members that the format does not name are let through: they are kept and count for the
 * hash. */
bool schema_valid(const struct json_document *document, uint32_t schema, struct buffer *why);

/* store.hash-stable, store.hash-structure, store.hash-table-order: SHA-256 over the schema's canonical JSON. Everything
 * in it counts, the order of columns too (they are an array); the order of tables and other members, whitespace and the
 * spelling of numbers and escapes do not. An absent member differs from a null one, since a stored schema comes back as
 * it was (store.schema-verbatim). Answers false when memory ran out. */
bool schema_hash(const struct json_document *document, uint32_t schema, struct hash *hash);

/* The column of that name in a table of a valid schema, or JSON_NONE. */
uint32_t schema_column(const struct json_document *document, uint32_t table, struct text name);

#endif
