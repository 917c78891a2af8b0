#include "tools/provision/status.h"

#include <stdlib.h>

struct column {
    struct text name;
    struct json value;
};

static int compare_columns(const void *left, const void *right) {
    const struct column *a = left, *b = right;
    int order = text_compare(a->name, b->name);
    if (order != 0) return order;
    return (a->value.index > b->value.index) - (a->value.index < b->value.index);
}

static struct column *sorted_columns(struct arena *arena, struct json columns) {
    size_t at = 0;
    struct column *sorted = arena_take(arena, (json_count(columns) + 1) * sizeof *sorted);
    for (struct json column = json_first(columns); json_present(column); column = json_next(column))
        sorted[at++] = (struct column){json_string(arena, json_member(column, "name")), column};
    qsort(sorted, at, sizeof *sorted, compare_columns);
    return sorted;
}

/* An absent part is as good as `without`. */
static bool part_same(struct arena *arena, struct json a, struct json b, const char *part, enum json_kind without) {
    struct json left = json_member(a, part), right = json_member(b, part);
    bool left_bare = json_is_null_or_absent(left) || json_is(left, without);
    bool right_bare = json_is_null_or_absent(right) || json_is(right, without);
    if (left_bare || right_bare) return left_bare == right_bare;
    return json_equal(arena, left, right);
}

static bool column_same(struct arena *arena, struct json a, struct json b) {
    return json_equal(arena, json_member(a, "name"), json_member(b, "name")) &&
           json_equal(arena, json_member(a, "column_type"), json_member(b, "column_type")) &&
           part_same(arena, a, b, "nullable", JSON_FALSE) && part_same(arena, a, b, "references", JSON_NULL) &&
           part_same(arena, a, b, "default", JSON_NULL) && part_same(arena, a, b, "merge_strategy", JSON_NULL);
}

/* status.column-order: a different column order alone is no difference. */
bool tables_same(struct arena *arena, struct json a, struct json b) {
    struct json left = json_member(a, "columns"), right = json_member(b, "columns");
    if (!json_is(left, JSON_ARRAY) || !json_is(right, JSON_ARRAY)) return false;
    size_t count = json_count(left);
    if (count != json_count(right)) return false;
    struct column *ours = sorted_columns(arena, left), *theirs = sorted_columns(arena, right);
    for (size_t i = 0; i < count; i++)
        if (!column_same(arena, ours[i].value, theirs[i].value)) return false;
    return true;
}
