/*
 * JSON that is read without being changed: a scanner that leaves the source text where it is and says where each
 * value begins and ends. What is stored and sent on is always a piece of that text, so that key order, number
 * spelling and escapes survive (store.schema-verbatim, provision.siblings-verbatim).
 *
 * A document is an array of nodes in the order of the text. A container's first child is the node right
 * behind it; `next` leads behind a node's whole subtree. An object's children are name, value, name, value, …
 */
#ifndef SYNC_SERVER_JSON_H
#define SYNC_SERVER_JSON_H

#include "tools/sync-server/text.h"

/* The deepest nesting that is read: the 513th open bracket is an error. Functions that walk a document recursively rely
 * on it. */
#define JSON_DEPTH_CEILING 512

/* The longest text that is read, in bytes, so that positions fit into 32 bits. */
#define JSON_LENGTH_CEILING ((size_t)1 << 31)

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_node {
    uint32_t start; /* of the value's text, quotes and brackets included */
    uint32_t end;   /* one behind it */
    uint32_t next;  /* the node behind this value and all that is in it */
    uint8_t kind;   /* enum json_kind */
    bool escaped;   /* a string with at least one backslash */
};

/* A read document. It borrows its source, which must outlive it. */
struct json_document {
    const char *source;
    struct json_node *nodes;
    uint32_t count;
    uint32_t capacity;
};

/* No such node; what lookups answer when there is nothing. */
#define JSON_NONE UINT32_MAX

struct json_error {
    const char *message; /* static text: what was expected */
    size_t offset;       /* in bytes from the start of the source */
    bool out_of_memory;
};

/* Reads `source` whole: one value in UTF-8, with nothing but whitespace around it. Node 0 is the value.
 * Answers false and fills `error` where it is not JSON, is not UTF-8, is nested too deeply, is too long or memory ran
 * out; `document` is then empty. Free it with `json_free` either way. */
bool json_read(struct json_document *document, struct text source, struct json_error *error);
void json_free(struct json_document *document);

static inline enum json_kind json_kind(const struct json_document *document, uint32_t node) {
    return (enum json_kind)document->nodes[node].kind;
}

/* Whether there is such a node and it is of that kind; `node` may be JSON_NONE. */
static inline bool json_is(const struct json_document *document, uint32_t node, enum json_kind kind) {
    return node != JSON_NONE && document->nodes[node].kind == (uint8_t)kind;
}

/* A value's text as it stands in the source. */
struct text json_text(const struct json_document *document, uint32_t node);

/* The first child of a container, or JSON_NONE; then the sibling after `child` inside `parent`, or JSON_NONE. */
uint32_t json_first(const struct json_document *document, uint32_t parent);
uint32_t json_after(const struct json_document *document, uint32_t parent, uint32_t child);

/* How many elements an array has, or members an object. Takes time in their number. */
size_t json_size(const struct json_document *document, uint32_t container);

/* The value of member `name` of an object: the last one of that name, as JSON.parse does; JSON_NONE when there is none
 * or `object` is no object. Names are compared decoded. */
uint32_t json_member(const struct json_document *document, uint32_t object, const char *name);
uint32_t json_member_text(const struct json_document *document, uint32_t object, struct text name);

/* ---- strings (json_string.c) ------------------------------------------------------------------- */

/* Appends a string's characters as UTF-8, escapes decoded; a lone surrogate becomes its three-byte form. */
void json_decode(const struct json_document *document, uint32_t string, struct buffer *out);

/* Whether the node is a string with exactly these characters. */
bool json_string_is(const struct json_document *document, uint32_t node, struct text characters);

/* Appends `characters` (UTF-8; the three-byte form of a lone surrogate is allowed) as a JSON string. */
void json_quote(struct buffer *out, struct text characters);

/* ---- whole values (json_canonical.c) ------------------------------------------------------------ */

/* Appends a value's text without the whitespace between tokens. Nothing else changes. */
void json_compact(const struct json_document *document, uint32_t node, struct buffer *out);

/* Appends the one spelling that all JSON-equal values share: names sorted, strings decoded, numbers as
 * digits and exponent. Of members with the same name the last counts. */
void json_canonical(const struct json_document *document, uint32_t node, struct buffer *out);

/* Appends the canonical spelling of a number's text. Exact: it never rounds. */
void json_canonical_number(struct text number, struct buffer *out);

#endif
