/*
 * The harness' own lossless JSON: what a relay sends is read here, never with the reference relay's scanner.
 *
 * Strings hold U+0000 and lone surrogates exactly: they are kept in WTF-8 (UTF-8 in which a surrogate that has no
 * partner stands as its three-byte form; a pair is always one four-byte character), so that two strings are equal
 * code unit by code unit exactly when their bytes are equal. Numbers keep their spelling and compare as doubles.
 * Values live in an arena. Nothing here recurses over the depth of the input.
 */
#ifndef MESHSPEC_JSON_VALUE_H
#define MESHSPEC_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/arena.h"
#include "harness/base/error.h"
#include "harness/base/text.h"

enum json_type { JSON_NULL, JSON_BOOLEAN, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/*
 * One value. Children of arrays and objects are a list in order of appearance. `line` and `column` count from 1 and
 * are 0 where the value does not come from a file.
 */
struct json_value {
    enum json_type type;
    bool boolean;
    bool plain; /* from YAML: a scalar written without quotes */
    double number;
    struct text text;         /* JSON_STRING: the characters; JSON_NUMBER: its spelling */
    struct text key;          /* as a member of an object */
    struct json_value *first; /* children */
    struct json_value *last;
    struct json_value *next;       /* the next sibling */
    size_t count;                  /* of children */
    uint32_t line, column;         /* where the value starts */
    uint32_t key_line, key_column; /* where its key starts */
};

/* ---- reading and writing ---- */

#define JSON_VALUES_CEILING ((size_t)10000000) /* values in one text; about 1.2 GB */

/*
 * Parses one JSON text (RFC 8259, strict: no trailing text, valid UTF-8 only). Duplicate keys: the last one wins, in
 * the place of the first. A number past the largest double is infinite. Returns NULL and an ERROR_USAGE with the byte
 * offset and what was expected there when `text` is not JSON, or holds more than JSON_VALUES_CEILING values.
 */
struct json_value *json_parse(struct arena *arena, struct text text, struct error *error);

/* Appends the value as compact JSON: numbers as they were spelled, U+0000 and lone surrogates as \uXXXX, everything
   else as UTF-8. */
void json_print(struct buffer *out, const struct json_value *value);

/* Appends one string, quoted. */
void json_print_string(struct buffer *out, struct text text);

/* ---- making ---- */

struct json_value *json_null(struct arena *arena);
struct json_value *json_boolean(struct arena *arena, bool boolean);
struct json_value *json_number(struct arena *arena, double number); /* spelled shortest; infinity as 1e400; not a NaN */
struct json_value *json_string(struct arena *arena, struct text text); /* the bytes are copied */
struct json_value *json_array(struct arena *arena);
struct json_value *json_object(struct arena *arena);

/* Appends `child` (which must not be in another parent) to an array. */
void json_append(struct json_value *array, struct json_value *child);

/* Sets a member: replaces one of that key in its place, else appends. The key is borrowed: it must live as long as
   the arena. */
void json_set(struct json_value *object, struct text key, struct json_value *child);

/* Takes a member out; nothing when it is not there. */
void json_remove(struct json_value *object, struct text key);

/* A deep copy, positions included. */
struct json_value *json_copy(struct arena *arena, const struct json_value *value);

/* ---- looking ---- */

/* The member of that key, or NULL; also NULL when `value` is NULL or not an object. */
struct json_value *json_get(const struct json_value *value, const char *key);

/* JSON equality: keys unordered, arrays ordered, numbers as doubles, strings code unit by code unit. */
bool json_equal(const struct json_value *a, const struct json_value *b);

bool json_is_string(const struct json_value *value, const char *string); /* false for NULL */
const char *json_type_name(enum json_type type);                         /* "null", "boolean", … */

#endif
