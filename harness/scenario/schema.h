/*
 * A small interpreter of JSON Schema (draft 2020-12): the part of it that the suite's own schemas need, with messages
 * that name file, line, column and what was expected.
 *
 * Keywords: $schema, $id, $comment, title, description, $defs, $ref (to "#/$defs/NAME"), type, enum, const,
 * properties, required, additionalProperties, propertyNames, minProperties, maxProperties, dependentRequired, items,
 * minItems, maxItems, uniqueItems, minLength, pattern (POSIX extended and ECMA alike), minimum, maximum,
 * exclusiveMinimum, allOf, anyOf, oneOf, not, if, then, else. Any other keyword is an error of the schema, except two
 * of our own, which other validators ignore:
 *   x-noun     what a key or a value of this schema is called in messages ("verb")
 *   x-message  what to say when a value fails this schema itself (not something inside it)
 */
#ifndef MESHSPEC_SCHEMA_H
#define MESHSPEC_SCHEMA_H

#include "harness/json/value.h"

#define SCHEMA_FILE_CEILING ((size_t)1 << 20) /* bytes */
#define SCHEMA_DEPTH_CEILING 64               /* schemas in schemas, where they are written */

struct schema;

/* Reads a schema. NULL with ERROR_USAGE, "FILE:LINE:COLUMN: …", when it is none that this interpreter knows. */
struct schema *schema_read(const char *file, struct error *error);

/* NULL is allowed. */
void schema_free(struct schema *schema);

/*
 * Checks a value, which must have come out of yaml_parse (so that its depth has a ceiling). `file` is named in the
 * message. False with ERROR_USAGE "FILE:LINE:COLUMN: …" for the first thing that is wrong, in the order of the file.
 */
bool schema_check(const struct schema *schema, const char *file, const struct json_value *value, struct error *error);

#endif
