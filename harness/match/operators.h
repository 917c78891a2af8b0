/*
 * The operators of patterns and templates: their names, and where they may stand. Inside harness/match only.
 */
#ifndef MESHSPEC_OPERATORS_H
#define MESHSPEC_OPERATORS_H

#include "harness/json/value.h"

enum operator{
    OPERATOR_NONE, /* plain JSON */
    OPERATOR_UNKNOWN,
    OPERATOR_BIND,
    OPERATOR_ANY,
    OPERATOR_EXACTLY,
    OPERATOR_UNORDERED,
    OPERATOR_CONTAINS,
    OPERATOR_TYPE,
    OPERATOR_GT,
    OPERATOR_GTE,
    OPERATOR_LT,
    OPERATOR_LTE,
    OPERATOR_REGEX,
    OPERATOR_NOT,
    OPERATOR_ONE_OF,
    OPERATOR_ALL,
    OPERATOR_LENGTH,
    /* in templates too */
    OPERATOR_ABSENT,
    OPERATOR_IS,
    OPERATOR_JSON,
    OPERATOR_LITERAL,
    OPERATOR_REPEAT,
    OPERATOR_NESTED,
    OPERATOR_CONCAT,
    OPERATOR_PLUS
};

/* Operators may stand in operators this deep: the one place where matching and filling recurse. */
#define OPERATOR_DEPTH_CEILING 64

#define REGEX_CEILING 1000     /* bytes of one regular expression */
#define REGEX_REPEATS 100000   /* its repeat counts, multiplied: so many copies of something it may come to */
#define UNORDERED_CEILING 2000 /* patterns of one $unordered */
#define NESTED_CEILING 1000000 /* levels of one $nested */

/* What an object with one key that starts with `$` is; OPERATOR_NONE for everything else. */
enum operator operator_of(const struct json_value *node);

/* Whether an object has several keys of which one starts with `$`; that key's member, or NULL. */
const struct json_value *operator_in_company(const struct json_value *node);

bool operator_in_templates(enum operator kind);

/* An operator that stands for one value: those of templates without $absent. */
bool operator_is_value(enum operator kind);

const char *operator_name(enum operator kind); /* "$bind" */

/* Sets "unknown operator …" with a suggestion from those that may stand there; returns false. */
bool operator_unknown(const struct json_value *member, bool in_template, struct error *error);

/* Sets ERROR_USAGE "LINE:COLUMN: …", without the position where there is none; returns false. */
bool fault_at(struct error *error, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
