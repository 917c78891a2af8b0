/*
 * A lossless JSON scanner: it finds where every value stands in a text and keeps the text as it is.
 *
 * What is carried on (a sibling's table, a policy read back from the store) is copied from the text, never decoded and printed
 * again, so that key order, number spelling and escapes stay (provision.siblings-verbatim). Scanning is a loop and needs no
 * stack; what walks a document afterwards may recurse, because none is nested deeper than JSON_MAX_DEPTH.
 */
#ifndef PROVISION_JSON_H
#define PROVISION_JSON_H

#include "tools/provision/text.h"

#include <stdint.h>

#define JSON_MAX_DEPTH 1000            /* arrays and objects inside each other */
#define JSON_MAX_VALUES 4000000        /* values in one document */
#define JSON_MAX_BYTES (256u << 20)    /* bytes of one document */

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_document;

/* One value of a scanned document; `document` is NULL where there is no value. Pass it by value. */
struct json {
    const struct json_document *document;
    uint32_t index;
};

/* What is wrong with a text that is not JSON. */
struct json_fault {
    const char *what; /* an English phrase with static life time */
    size_t offset;    /* bytes before the place */
};

/*
 * Scans `text`, which must stay as it is while the document is used; the document is the arena's. Gives the root
 * value, or no value and `fault` when the text is not one JSON value in UTF-8 (RFC 8259) or is past a ceiling above.
 */
struct json json_scan(struct arena *arena, struct text text, struct json_fault *fault);

/* ---- looking at values: every function also takes "no value" ----------------------------------- */

bool json_present(struct json value);
bool json_is(struct json value, enum json_kind kind); /* false for no value */
bool json_is_null_or_absent(struct json value);

/* The members of an object or elements of an array one after the other; no value at the end. */
struct json json_first(struct json value);
struct json json_next(struct json value);
size_t json_count(struct json value);

/* The member of that name (the last one, should there be several), or no value. `name` is decoded text. */
struct json json_member(struct json object, const char *name);
struct json json_member_named(struct json object, struct text name);

/* The value as it stands in the text, and the name of a member with its quotes. */
struct text json_raw(struct json value);
struct text json_raw_key(struct json member);

/* A string, or the name of a member, decoded to UTF-8; a lone surrogate stays three bytes. Owned by the arena or the text. */
struct text json_string(struct arena *arena, struct json value);
struct text json_key(struct arena *arena, struct json member);

/* Whether it is a string that says `wanted`. */
bool json_string_is(struct json value, const char *wanted);

/* A number as the nearest double, infinite when it is beyond all of them. 0 for anything else. */
double json_number(struct arena *arena, struct json value);

/* JSON equality: key order is nothing, numbers compare as doubles. Two absent values are equal. */
bool json_equal(struct arena *arena, struct json a, struct json b);

/* ---- places ------------------------------------------------------------------------------------ */

struct place {
    unsigned long line;   /* from 1; 0 where there is no place */
    unsigned long column; /* from 1, in characters */
    struct text path;     /* as $.tables.notes.columns[2]; no text for a syntax error */
};

/* Where the value stands (a member: where its name stands). */
struct place json_place(struct arena *arena, struct json value);

/* The line and column of a byte offset. */
struct place text_place(struct text text, size_t offset);

/*
 * Decodes the escape (or the pair of escapes of one character) at `at`, if there is one: gives the bytes that it takes in `text`, 0 for none,
 * and writes the `*written` bytes that it stands for. `text` need not be well-formed JSON.
 */
size_t json_escape(struct text text, size_t at, char out[4], size_t *written);

/* ---- for json_*.c only ------------------------------------------------------------------------- */

struct json_node {
    uint32_t key_start, key_end; /* with the quotes; both 0 when the value is not a member */
    uint32_t start, end;
    uint32_t parent;
    uint32_t next;  /* the sibling behind it; 0: none */
    uint32_t last;  /* the last child so far; used while scanning */
    uint32_t count; /* children */
    enum json_kind kind;
};

struct json_document {
    struct text text;
    struct json_node *nodes; /* in the order of the text; the root is 0, a first child stands behind its parent */
    uint32_t count;
};

#endif
