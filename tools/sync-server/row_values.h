/* A row's values against a table's columns: which fit, what fills the gaps, what a client of a schema gets to see. */
#ifndef SYNC_SERVER_ROW_VALUES_H
#define SYNC_SERVER_ROW_VALUES_H

#include "tools/sync-server/name_index.h"

/* A table of a client's schema. */
struct client_table {
    const struct json_document *schema;
    uint32_t columns;          /* the array */
    struct name_index by_name; /* of the columns */
};

/* Makes ready for `table`, a table of the valid schema. False when memory ran out. Free it either way. */
bool client_table_open(struct client_table *client, const struct json_document *schema, uint32_t table);
void client_table_free(struct client_table *client);

/* Whether `values` is an object whose members are columns of the table with values of their types: Text, Uuid and Enum
 * are strings, Boolean true or false, Integer a whole number in 32 bits, BigInt and Timestamp whole numbers, Double a
 * number, Bytea an array of numbers from 0 to 255, Array an array, Row an object, Json anything. Null fits nullable
 * columns. If not, appends to `why` which column it is and what was expected. */
bool row_values_valid(const struct client_table *table, const struct json_document *document, uint32_t values,
                      struct buffer *why);

/* Appends the whole new row as JSON: given values, else defaults, else null. False, with the reason in `why`, when a
 * column without a default must not be null. Where memory runs out, `out` has failed; so in the next two. */
bool row_values_complete(const struct client_table *table, const struct json_document *document, uint32_t values,
                         struct buffer *out, struct buffer *why);

/* Appends the stored row with the given values in place of its own; what other schemas' columns hold stays. */
void row_values_merge(const struct json_document *stored, const struct json_document *document, uint32_t values,
                      struct buffer *out);

/* Appends the stored row as a client of the table sees it: its columns, in their order; what the row lacks is the
 * default or null. */
void row_values_project(const struct client_table *table, const struct json_document *stored, struct buffer *out);

#endif
