/*
 * Values as policies compare them. They come in three spellings: raw JSON (a row's values, a session's claims), tagged
 * JSON (`{"type":"Integer","value":3}`, literals in policies), and plain text (a row's id, its author).
 */
#ifndef SYNC_SERVER_VALUE_H
#define SYNC_SERVER_VALUE_H

#include "tools/sync-server/json.h"

enum value_kind {
    VALUE_MISSING, /* nothing there: a claim that the session does not have */
    VALUE_NULL,
    VALUE_BOOLEAN,
    VALUE_NUMBER,
    VALUE_TEXT,
    VALUE_ARRAY,
    VALUE_OBJECT
};

/* Borrows the document or text that it was made from. */
struct value {
    enum value_kind kind;
    bool tagged; /* an array's elements are tagged */
    const struct json_document *document;
    uint32_t node;
    struct text plain; /* a text that is in no document: `document` is NULL then */
};

struct value value_of_raw(const struct json_document *document, uint32_t node);
struct value value_of_text(struct text text);

/* False when the node is no tagged value. */
bool value_of_tagged(const struct json_document *document, uint32_t node, struct value *value);

enum comparison { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

/* Reads `Eq`, `Ne`, `Lt`, `Le`, `Gt` or `Ge`. */
bool comparison_read(const struct json_document *document, uint32_t node, enum comparison *comparison);

/* A missing value fits nothing, not even Ne. Null equals null and stands in no order. Numbers compare exactly for
 * equality. UUIDs compare without regard to case. Values of different kinds are unequal and in no order. */
bool value_compare(const struct value *left, enum comparison comparison, const struct value *right);

/* Whether an array has an element equal to `part`, or a text contains the text `part`. */
bool value_contains(const struct value *whole, const struct value *part);

#endif
