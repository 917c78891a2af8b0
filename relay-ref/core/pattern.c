#include "relay-ref/core/pattern.h"

#include <stdio.h>
#include <string.h>

#include "relay-ref/core/characters.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

enum operator{
    OPERATOR_NONE,
    OPERATOR_TYPE,
    OPERATOR_LT,
    OPERATOR_LTE,
    OPERATOR_GT,
    OPERATOR_GTE,
    OPERATOR_ANY,
    OPERATOR_ABSENT,
    OPERATOR_NOT,
    OPERATOR_ONE_OF,
    OPERATOR_ALL,
    OPERATOR_UNKNOWN
};

static const char *const operator_names[] = {
    [OPERATOR_TYPE] = "$type",     [OPERATOR_LT] = "$lt",   [OPERATOR_LTE] = "$lte",       [OPERATOR_GT] = "$gt",
    [OPERATOR_GTE] = "$gte",       [OPERATOR_ANY] = "$any", [OPERATOR_ABSENT] = "$absent", [OPERATOR_NOT] = "$not",
    [OPERATOR_ONE_OF] = "$one-of", [OPERATOR_ALL] = "$all",
};

static enum operator operator_named(const struct json_value *name) {
    if (name->length < 3 || name->bytes[1] != '$')
        return OPERATOR_NONE;
    for (size_t i = OPERATOR_TYPE; i < OPERATOR_UNKNOWN; i++)
        if (relay_string_is(name, operator_names[i]))
            return (enum operator)i;
    return OPERATOR_UNKNOWN;
}

/* The operator that an object pattern is, with its operand; OPERATOR_NONE for a plain object. */
static enum operator operator_of(struct json_value pattern, struct json_value *name, struct json_value *operand) {
    struct json_scanner scanner;
    enum operator found = OPERATOR_NONE;
    relay_scan_start(&scanner, pattern.bytes, pattern.length);
    relay_scan_enter(&scanner);
    if (relay_scan_member(&scanner, name) && relay_scan_value(&scanner, operand))
        found = operator_named(name);
    struct json_value second;
    if (found != OPERATOR_NONE && relay_scan_member(&scanner, &second))
        found = OPERATOR_UNKNOWN;
    relay_scan_end(&scanner);
    return found;
}

/* ---- checking ------------------------------------------------------------------------------------ */

static bool check_at(struct json_value pattern, unsigned depth, char *reason, size_t capacity);

/* Every inner pattern of an array or a plain object. */
static bool check_inner(struct json_value pattern, unsigned depth, char *reason, size_t capacity) {
    struct json_scanner scanner;
    struct json_value name, inner;
    bool fine = true;
    relay_scan_start(&scanner, pattern.bytes, pattern.length);
    relay_scan_enter(&scanner);
    while (fine && (pattern.kind == JSON_OBJECT ? relay_scan_member(&scanner, &name) : relay_scan_element(&scanner)) &&
           relay_scan_value(&scanner, &inner))
        fine = check_at(inner, depth + 1, reason, capacity);
    relay_scan_end(&scanner);
    return fine;
}

static enum json_kind kind_named(const struct json_value *name, bool *boolean) {
    *boolean = relay_string_is(name, "boolean");
    return relay_string_is(name, "null")     ? JSON_NULL
           : relay_string_is(name, "number") ? JSON_NUMBER
           : relay_string_is(name, "string") ? JSON_STRING
           : relay_string_is(name, "array")  ? JSON_ARRAY
           : relay_string_is(name, "object") ? JSON_OBJECT
           : *boolean                        ? JSON_TRUE
                                             : JSON_ABSENT;
}

static bool operand_fits(enum operator kind, const struct json_value *operand) {
    bool boolean;
    switch (kind) {
    case OPERATOR_TYPE:
        return kind_named(operand, &boolean) != JSON_ABSENT;
    case OPERATOR_LT:
    case OPERATOR_LTE:
    case OPERATOR_GT:
    case OPERATOR_GTE:
        return operand->kind == JSON_NUMBER;
    case OPERATOR_ANY:
    case OPERATOR_ABSENT:
        return operand->kind == JSON_TRUE;
    case OPERATOR_ONE_OF:
    case OPERATOR_ALL:
        return operand->kind == JSON_ARRAY;
    default:
        return true;
    }
}

static bool check_operator(enum operator kind, const struct json_value *name, struct json_value operand, unsigned depth,
                           char *reason, size_t capacity) {
    int length = name->length > 60 ? 60 : (int)name->length;
    if (kind == OPERATOR_UNKNOWN) {
        snprintf(reason, capacity, "This relay does not know the pattern operator %.*s.", length, name->bytes);
        return false;
    }
    if (!operand_fits(kind, &operand)) {
        snprintf(reason, capacity, "The pattern operator %.*s has an operand that does not fit.", length, name->bytes);
        return false;
    }
    if (kind == OPERATOR_NOT)
        return check_at(operand, depth + 1, reason, capacity);
    return kind != OPERATOR_ONE_OF && kind != OPERATOR_ALL ? true : check_inner(operand, depth, reason, capacity);
}

static bool check_at(struct json_value pattern, unsigned depth, char *reason, size_t capacity) {
    if (depth > PATTERN_DEPTH) {
        snprintf(reason, capacity, "A pattern nests deeper than %d levels.", PATTERN_DEPTH);
        return false;
    }
    if (pattern.kind == JSON_ARRAY)
        return check_inner(pattern, depth, reason, capacity);
    if (pattern.kind != JSON_OBJECT)
        return true;
    struct json_value name, operand;
    enum operator kind = operator_of(pattern, &name, &operand);
    if (kind == OPERATOR_NONE)
        return check_inner(pattern, depth, reason, capacity);
    return check_operator(kind, &name, operand, depth, reason, capacity);
}

bool relay_pattern_check(struct json_value pattern, char *reason, size_t capacity) {
    return check_at(pattern, 1, reason, capacity);
}

/* ---- matching ------------------------------------------------------------------------------------ */

static bool strings_equal(const struct json_value *left, const struct json_value *right, bool *failed) {
    struct characters characters;
    bool equal = false;
    if (relay_characters_read(&characters, left))
        equal = relay_string_equals(right, characters.text.bytes, characters.text.length);
    else
        *failed = true;
    relay_characters_end(&characters);
    return equal;
}

static bool scalar_matches(const struct json_value *pattern, const struct json_value *value, bool *failed) {
    double wanted;
    if (pattern->kind != value->kind)
        return false;
    if (relay_number_read(pattern, &wanted))
        return relay_number_equals(value, wanted);
    return pattern->kind != JSON_STRING || strings_equal(pattern, value, failed);
}

/* The value of the last member of that name; JSON_ABSENT when there is none. */
static struct json_value member_named(struct json_value object, const struct json_value *name, bool *failed) {
    struct json_scanner scanner;
    struct json_value found = {.kind = JSON_ABSENT}, candidate, value;
    relay_scan_start(&scanner, object.bytes, object.length);
    relay_scan_enter(&scanner);
    while (relay_scan_member(&scanner, &candidate) && relay_scan_value(&scanner, &value))
        if (strings_equal(name, &candidate, failed))
            found = value;
    *failed = *failed || scanner.error == JSON_NO_MEMORY;
    relay_scan_end(&scanner);
    return found;
}

static bool object_matches(struct json_value pattern, struct json_value value, bool *failed) {
    struct json_scanner scanner;
    struct json_value name, wanted;
    bool matches = value.kind == JSON_OBJECT;
    relay_scan_start(&scanner, pattern.bytes, pattern.length);
    relay_scan_enter(&scanner);
    while (matches && relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &wanted))
        matches = relay_pattern_matches(wanted, member_named(value, &name, failed), failed);
    relay_scan_end(&scanner);
    return matches;
}

static bool array_matches(struct json_value pattern, struct json_value value, bool *failed) {
    struct json_scanner wanted, given;
    struct json_value want, have;
    bool matches = value.kind == JSON_ARRAY, more = matches;
    if (!matches)
        return false;
    relay_scan_start(&wanted, pattern.bytes, pattern.length);
    relay_scan_start(&given, value.bytes, value.length);
    relay_scan_enter(&wanted);
    relay_scan_enter(&given);
    while (matches && more) {
        more = relay_scan_element(&wanted);
        matches = more == relay_scan_element(&given);
        if (matches && more)
            matches = relay_scan_value(&wanted, &want) && relay_scan_value(&given, &have) &&
                      relay_pattern_matches(want, have, failed);
    }
    *failed = *failed || given.error == JSON_NO_MEMORY;
    relay_scan_end(&given);
    relay_scan_end(&wanted);
    return matches;
}

static bool type_matches(const struct json_value *name, const struct json_value *value) {
    bool boolean;
    enum json_kind kind = kind_named(name, &boolean);
    return boolean ? value->kind == JSON_TRUE || value->kind == JSON_FALSE : value->kind == kind;
}

static bool number_compares(enum operator kind, const struct json_value *limit, const struct json_value *value) {
    double wanted = 0, number = 0;
    if (!relay_number_read(limit, &wanted) || !relay_number_read(value, &number))
        return false;
    return kind == OPERATOR_LT    ? number < wanted
           : kind == OPERATOR_LTE ? number <= wanted
           : kind == OPERATOR_GT  ? number > wanted
                                  : number >= wanted;
}

/* $one-of: some pattern matches; $all: none fails. */
static bool list_matches(struct json_value patterns, struct json_value value, bool all, bool *failed) {
    struct json_scanner scanner;
    struct json_value pattern;
    bool matches = all;
    relay_scan_start(&scanner, patterns.bytes, patterns.length);
    relay_scan_enter(&scanner);
    while (matches == all && relay_scan_element(&scanner) && relay_scan_value(&scanner, &pattern))
        matches = relay_pattern_matches(pattern, value, failed);
    relay_scan_end(&scanner);
    return matches;
}

static bool operator_matches(enum operator kind, struct json_value operand, struct json_value value, bool *failed) {
    switch (kind) {
    case OPERATOR_TYPE:
        return type_matches(&operand, &value);
    case OPERATOR_ANY:
        return value.kind != JSON_ABSENT;
    case OPERATOR_ABSENT:
        return value.kind == JSON_ABSENT;
    case OPERATOR_NOT:
        return !relay_pattern_matches(operand, value, failed);
    case OPERATOR_ONE_OF:
    case OPERATOR_ALL:
        return list_matches(operand, value, kind == OPERATOR_ALL, failed);
    default:
        return number_compares(kind, &operand, &value);
    }
}

bool relay_pattern_matches(struct json_value pattern, struct json_value value, bool *failed) {
    if (pattern.kind == JSON_ARRAY)
        return array_matches(pattern, value, failed);
    if (pattern.kind != JSON_OBJECT)
        return scalar_matches(&pattern, &value, failed);
    struct json_value name, operand;
    enum operator kind = operator_of(pattern, &name, &operand);
    return kind == OPERATOR_NONE ? object_matches(pattern, value, failed)
                                 : operator_matches(kind, operand, value, failed);
}
