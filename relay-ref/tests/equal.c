#include "relay-ref/tests/equal.h"

#include "harness/json/value.h"

bool equal_json(const char *left, size_t left_length, const char *right, size_t right_length) {
    struct arena *arena = arena_new();
    struct error error = {0};
    struct json_value *first = json_parse(arena, (struct text){left, left_length}, &error);
    struct json_value *second = json_parse(arena, (struct text){right, right_length}, &error);
    bool equal = first != NULL && second != NULL && json_equal(first, second);
    arena_free(arena);
    return equal;
}
