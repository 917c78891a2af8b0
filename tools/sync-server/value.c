#include "tools/sync-server/value.h"

#include "tools/sync-server/identity.h"

#include <stdlib.h>

static enum value_kind kind_of(const struct json_document *document, uint32_t node) {
    switch (json_kind(document, node)) {
    case JSON_NULL:
        return VALUE_NULL;
    case JSON_FALSE:
    case JSON_TRUE:
        return VALUE_BOOLEAN;
    case JSON_NUMBER:
        return VALUE_NUMBER;
    case JSON_STRING:
        return VALUE_TEXT;
    case JSON_ARRAY:
        return VALUE_ARRAY;
    default:
        return VALUE_OBJECT;
    }
}

struct value value_of_raw(const struct json_document *document, uint32_t node) {
    if (node == JSON_NONE) {
        return (struct value){.kind = VALUE_MISSING};
    }
    return (struct value){.kind = kind_of(document, node), .document = document, .node = node};
}

struct value value_of_text(struct text text) {
    return (struct value){.kind = VALUE_TEXT, .plain = text};
}

bool value_of_tagged(const struct json_document *document, uint32_t node, struct value *value) {
    uint32_t type = json_member(document, node, "type");
    uint32_t inner = json_member(document, node, "value");
    if (!json_is(document, type, JSON_STRING)) {
        return false;
    }
    if (json_string_is(document, type, TEXT("Null"))) {
        *value = (struct value){.kind = VALUE_NULL};
        return true;
    }
    *value = value_of_raw(document, inner);
    value->tagged = json_string_is(document, type, TEXT("Array"));
    return value->kind != VALUE_MISSING;
}

bool comparison_read(const struct json_document *document, uint32_t node, enum comparison *comparison) {
    static const char *const names[] = {"Eq", "Ne", "Lt", "Le", "Gt", "Ge"};
    for (size_t at = 0; node != JSON_NONE && at < sizeof names / sizeof *names; at++) {
        if (json_string_is(document, node, text_of(names[at]))) {
            *comparison = (enum comparison)at;
            return true;
        }
    }
    return false;
}

/* The characters of a text value; `scratch` holds them where they must be decoded. */
static struct text characters(const struct value *value, struct buffer *scratch) {
    if (!value->document) {
        return value->plain;
    }
    json_decode(value->document, value->node, scratch);
    return buffer_text(scratch);
}

static bool elements_equal(const struct value *left, const struct value *right);

static bool numbers_equal(const struct value *left, const struct value *right) {
    struct buffer a;
    struct buffer b;
    buffer_init(&a, BUFFER_CEILING);
    buffer_init(&b, BUFFER_CEILING);
    json_canonical_number(json_text(left->document, left->node), &a);
    json_canonical_number(json_text(right->document, right->node), &b);
    bool equal = !a.failed && !b.failed && text_equal(buffer_text(&a), buffer_text(&b));
    buffer_free(&b);
    buffer_free(&a);
    return equal;
}

/* Below, at or above 0. Two UUIDs are the same in any case of their letters. */
static int compare_texts(const struct value *left, const struct value *right) {
    struct buffer a;
    struct buffer b;
    buffer_init(&a, BUFFER_CEILING);
    buffer_init(&b, BUFFER_CEILING);
    struct text left_text = characters(left, &a);
    struct text right_text = characters(right, &b);
    int order = text_compare(left_text, right_text);
    if (order != 0 && is_uuid(left_text) && is_uuid(right_text) && text_equal_ignoring_case(left_text, right_text)) {
        order = 0;
    }
    buffer_free(&b);
    buffer_free(&a);
    return order;
}

static bool objects_equal(const struct value *left, const struct value *right) {
    struct buffer a;
    struct buffer b;
    buffer_init(&a, BUFFER_CEILING);
    buffer_init(&b, BUFFER_CEILING);
    json_canonical(left->document, left->node, &a);
    json_canonical(right->document, right->node, &b);
    bool equal = !a.failed && !b.failed && text_equal(buffer_text(&a), buffer_text(&b));
    buffer_free(&b);
    buffer_free(&a);
    return equal;
}

static bool is_true(const struct value *value) {
    return json_kind(value->document, value->node) == JSON_TRUE;
}

/* Recursive over arrays: json_read holds the depth at JSON_DEPTH_CEILING. */
static bool values_equal(const struct value *left, const struct value *right) {
    if (left->kind != right->kind) {
        return false;
    }
    switch (left->kind) {
    case VALUE_MISSING:
        return false;
    case VALUE_NULL:
        return true;
    case VALUE_BOOLEAN:
        return is_true(left) == is_true(right);
    case VALUE_NUMBER:
        return numbers_equal(left, right);
    case VALUE_TEXT:
        return compare_texts(left, right) == 0;
    case VALUE_ARRAY:
        return elements_equal(left, right);
    case VALUE_OBJECT:
        return objects_equal(left, right);
    }
    return false;
}

static bool element_at(const struct value *array, uint32_t node, struct value *element) {
    if (array->tagged) {
        return value_of_tagged(array->document, node, element);
    }
    *element = value_of_raw(array->document, node);
    return true;
}

static bool elements_equal(const struct value *left, const struct value *right) {
    uint32_t a = json_first(left->document, left->node);
    uint32_t b = json_first(right->document, right->node);
    while (a != JSON_NONE && b != JSON_NONE) {
        struct value left_element;
        struct value right_element;
        if (!element_at(left, a, &left_element) || !element_at(right, b, &right_element) ||
            !values_equal(&left_element, &right_element)) {
            return false;
        }
        a = json_after(left->document, left->node, a);
        b = json_after(right->document, right->node, b);
    }
    return a == JSON_NONE && b == JSON_NONE;
}

static bool as_integer(const struct value *value, int64_t *number) {
    struct text text = json_text(value->document, value->node);
    uint64_t magnitude;
    bool negative = text.bytes[0] == '-';
    struct text digits = {text.bytes + negative, text.length - negative};
    if (!text_to_number(digits, &magnitude)) {
        return false;
    }
    *number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static double as_double(const struct value *value) {
    /* A copy, since the source need not end behind the number. */
    struct buffer copy;
    buffer_init(&copy, BUFFER_CEILING);
    buffer_append_text(&copy, json_text(value->document, value->node));
    buffer_append_byte(&copy, '\0');
    double number = copy.failed ? 0.0 : strtod(copy.bytes, NULL);
    buffer_free(&copy);
    return number;
}

static int compare_numbers(const struct value *left, const struct value *right) {
    int64_t a;
    int64_t b;
    if (as_integer(left, &a) && as_integer(right, &b)) {
        return (a > b) - (a < b);
    }
    double x = as_double(left);
    double y = as_double(right);
    return (x > y) - (x < y);
}

/* Whether the two stand in an order at all, and then in which. */
static bool values_order(const struct value *left, const struct value *right, int *order) {
    if (left->kind != right->kind) {
        return false;
    }
    if (left->kind == VALUE_NUMBER) {
        *order = compare_numbers(left, right);
        return true;
    }
    if (left->kind == VALUE_TEXT) {
        *order = compare_texts(left, right);
        return true;
    }
    if (left->kind == VALUE_BOOLEAN) {
        *order = (int)is_true(left) - (int)is_true(right);
        return true;
    }
    return false;
}

bool value_compare(const struct value *left, enum comparison comparison, const struct value *right) {
    if (left->kind == VALUE_MISSING || right->kind == VALUE_MISSING) {
        return false;
    }
    if (comparison == COMPARE_EQ || comparison == COMPARE_NE) {
        return values_equal(left, right) == (comparison == COMPARE_EQ);
    }
    int order;
    if (!values_order(left, right, &order)) {
        return false;
    }
    switch (comparison) {
    case COMPARE_LT:
        return order < 0;
    case COMPARE_LE:
        return order <= 0;
    case COMPARE_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool text_contains(const struct value *whole, const struct value *part) {
    struct buffer a;
    struct buffer b;
    buffer_init(&a, BUFFER_CEILING);
    buffer_init(&b, BUFFER_CEILING);
    struct text needle = characters(part, &b);
    bool contains = needle.length == 0 || text_find(characters(whole, &a), needle) != SIZE_MAX;
    buffer_free(&b);
    buffer_free(&a);
    return contains;
}

bool value_contains(const struct value *whole, const struct value *part) {
    if (whole->kind == VALUE_TEXT && part->kind == VALUE_TEXT) {
        return text_contains(whole, part);
    }
    if (whole->kind != VALUE_ARRAY) {
        return false;
    }
    for (uint32_t at = json_first(whole->document, whole->node); at != JSON_NONE;
         at = json_after(whole->document, whole->node, at)) {
        struct value element;
        if (element_at(whole, at, &element) && values_equal(&element, part)) {
            return true;
        }
    }
    return false;
}
