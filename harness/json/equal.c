#include <stdlib.h>

#include "harness/base/memory.h"
#include "harness/json/members.h"

/* Pairs of containers whose children are still to be compared. */
struct pairs {
    struct pair {
        const struct json_value *a, *b;
    } * items;
    size_t count, capacity;
};

/* Compares two values; containers are only noted. */
static bool compare(struct pairs *pairs, const struct json_value *a, const struct json_value *b) {
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case JSON_NULL:
        return true;
    case JSON_BOOLEAN:
        return a->boolean == b->boolean;
    case JSON_NUMBER:
        return a->number == b->number;
    case JSON_STRING:
        return text_equal(a->text, b->text);
    default:
        break;
    }
    if (a->count != b->count)
        return false;
    if (a->count > 0) {
        pairs->items = memory_room(pairs->items, pairs->count, &pairs->capacity, sizeof(*pairs->items));
        pairs->items[pairs->count++] = (struct pair){a, b};
    }
    return true;
}

static bool compare_elements(struct pairs *pairs, const struct json_value *a, const struct json_value *b) {
    for (a = a->first, b = b->first; a != NULL; a = a->next, b = b->next)
        if (!compare(pairs, a, b))
            return false;
    return true;
}

/* Most objects that are equal have their keys in the same order: only from the first key that differs are they looked
   up. */
static bool compare_members(struct pairs *pairs, const struct json_value *a, const struct json_value *b) {
    const struct json_value *member = a->first;
    for (const struct json_value *other = b->first; member != NULL && text_equal(member->key, other->key);
         member = member->next, other = other->next)
        if (!compare(pairs, member, other))
            return false;
    if (member == NULL)
        return true;
    struct json_members others = json_members_of(b);
    bool equal = true;
    for (; equal && member != NULL; member = member->next) {
        const struct json_value *other = json_members_find(&others, member->key);
        equal = other != NULL && compare(pairs, member, other);
    }
    json_members_free(&others);
    return equal;
}

bool json_equal(const struct json_value *a, const struct json_value *b) {
    struct pairs pairs = {0};
    bool equal = compare(&pairs, a, b);
    while (equal && pairs.count > 0) {
        struct pair pair = pairs.items[--pairs.count];
        equal = pair.a->type == JSON_ARRAY ? compare_elements(&pairs, pair.a, pair.b)
                                           : compare_members(&pairs, pair.a, pair.b);
    }
    free(pairs.items);
    return equal;
}
