/*
 * YAML as data: one document, read into JSON values that know their line and column.
 *
 * Plain scalars mean what YAML 1.2's core schema says (null, ~, true, false, integers, floats); everything in quotes is
 * a string. What JSON has no word for is refused, with its place: anchors, aliases, tags, merge keys, .inf and .nan,
 * keys that are no scalars, doubled keys, a second document.
 */
#ifndef MESHSPEC_YAML_H
#define MESHSPEC_YAML_H

#include "harness/json/value.h"

#define YAML_DEPTH_CEILING 200 /* levels of lists and maps */

/*
 * Reads `text`; `file` is named in messages. Returns NULL with ERROR_USAGE "FILE:LINE:COLUMN: …".
 */
struct json_value *yaml_parse(struct arena *arena, const char *file, struct text text, struct error *error);

/* Reads a file of at most `ceiling` bytes and parses it. */
struct json_value *yaml_read(struct arena *arena, const char *file, size_t ceiling, struct error *error);

/*
 * Makes the value that a plain scalar stands for. False when it stands for a number that JSON does not have.
 */
bool yaml_resolve_plain(struct arena *arena, struct text text, struct json_value *value);

#endif
