/* Encoding conditions: raw literals become the tagged ones of the wire (encode.literals, .expressions, .relations). */
#ifndef PROVISION_ENCODE_H
#define PROVISION_ENCODE_H

#include "tools/provision/run.h"

/* Where encoding writes, and the file that its problems are in. Members that carry no literal are copied as they are written. */
struct encoder {
    struct run *run;
    struct text file;
    struct builder *out;
};

/* How one part of an object is encoded. */
typedef bool encode_function(struct encoder *encoder, struct json value);

/* A part of an expression or relation that must be there and is encoded; all other parts are copied. */
struct encoded_part {
    const char *name; /* NULL ends a list */
    encode_function *encode;
};

#define ENCODED_PARTS 2 /* the most that one expression or relation has; a list has one more, its end */

/*
 * Each writes the encoding of `value`. False with PROBLEM_POLICY_LITERAL for a literal that the wire cannot carry, or
 * PROBLEM_BAD_INPUT for a condition that is not well formed. Recursion is bounded by JSON_MAX_DEPTH.
 */
encode_function encode_literal, encode_expression, encode_relation;

/* ---- for encode_*.c ----------------------------------------------------------------------------- */

/* Copies `value` as it is written. */
encode_function encode_copy;

/* Encodes each element with `encode`; PROBLEM_BAD_INPUT when `list` is not an array. */
bool encode_list(struct encoder *encoder, struct json list, encode_function *encode);

/*
 * Writes `object` with its `parts` encoded and all else copied. A part that is missing is refused: PROBLEM_POLICY_LITERAL
 * for "value" (there is no literal that it could be), else PROBLEM_BAD_INPUT.
 */
bool encode_parts(struct encoder *encoder, struct json object, const struct encoded_part *parts);

/* Writes an object member by member, `encode` writing the value of each. */
bool encode_members(struct encoder *encoder, struct json object, encode_function *encode);

#endif
