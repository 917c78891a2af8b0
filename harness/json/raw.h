/*
 * JSON as it is spelled: the text of single values, with nothing but the whitespace around tokens taken out. Key order,
 * number spelling, escapes and doubled keys stay. Every text here must have passed json_parse before.
 */
#ifndef MESHSPEC_JSON_RAW_H
#define MESHSPEC_JSON_RAW_H

#include "harness/json/value.h"

/* The text without its whitespace outside strings, in the arena. */
struct text json_raw_compact(struct arena *arena, struct text text);

struct json_raw_member {
    struct text key;   /* as it is spelled, quotes included */
    struct text value; /* as it is spelled */
};

/*
 * The member of a compact object that begins at `*at`, which is moved behind it; start with 0. False when there is none
 * left, or when `object` is no object.
 */
bool json_raw_next(struct text object, size_t *at, struct json_raw_member *member);

#endif
