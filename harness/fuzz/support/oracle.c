#include "harness/fuzz/support/oracle.h"

#include "harness/history/fold.h"
#include "harness/json/characters.h"
#include "harness/json/value.h"

static struct json_value *read(struct arena *arena, const char *text, size_t length) {
    struct error error = {0};
    return text == NULL ? NULL : json_parse(arena, (struct text){text, length}, &error);
}

bool oracle_accepts(const char *text, size_t length) {
    struct arena *arena = arena_new();
    bool accepted = read(arena, text, length) != NULL;
    arena_free(arena);
    return accepted;
}

bool oracle_equal(const char *left, size_t left_length, const char *right, size_t right_length) {
    struct arena *arena = arena_new();
    const struct json_value *first = read(arena, left, left_length), *second = read(arena, right, right_length);
    bool equal = first != NULL && second != NULL && json_equal(first, second);
    arena_free(arena);
    return equal;
}

bool oracle_has_characters(const char *text, size_t length, const char *characters, size_t characters_length) {
    struct arena *arena = arena_new();
    const struct json_value *string = read(arena, text, length);
    bool same = string != NULL && string->type == JSON_STRING &&
                text_equal(string->text, (struct text){characters, characters_length});
    arena_free(arena);
    return same;
}

double oracle_number(const char *text, size_t length) {
    struct arena *arena = arena_new();
    const struct json_value *value = read(arena, text, length);
    double number = value == NULL ? 0 : value->number;
    arena_free(arena);
    return number;
}

bool oracle_utf8(const char *text, size_t length) {
    return utf8_valid((struct text){text, length});
}

bool oracle_folds(const char *base, size_t base_length, const char *ops, size_t ops_length, const char *root,
                  size_t root_length) {
    struct arena *arena = arena_new();
    struct fold fold = {.arena = arena, .root = read(arena, base, base_length)};
    const struct json_value *list = read(arena, ops, ops_length), *came = read(arena, root, root_length);
    for (const struct json_value *op = list == NULL ? NULL : list->first; op != NULL && !fold.is_free; op = op->next)
        fold_op(&fold, op);
    bool same = fold.root == NULL || came == NULL ? fold.root == came : json_equal(fold.root, came);
    arena_free(arena);
    return fold.is_free || same;
}
