#include "harness/json/members.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

int json_key_compare(struct text a, struct text b) {
    if (a.length != b.length)
        return a.length < b.length ? -1 : 1;
    return a.length == 0 ? 0 : memcmp(a.bytes, b.bytes, a.length);
}

/* Merges two sorted runs; the first one's elements stay in front of equal ones. */
static void merge(struct json_value **out, struct json_value **left, struct json_value **right,
                  struct json_value **end) {
    struct json_value **middle = right;
    while (left < middle && right < end)
        *out++ = json_key_compare((*left)->key, (*right)->key) <= 0 ? *left++ : *right++;
    while (left < middle)
        *out++ = *left++;
    while (right < end)
        *out++ = *right++;
}

/* A stable sort that needs no recursion: runs of 1, 2, 4, … are merged back and forth. */
static struct json_value **merge_sort(struct json_value **from, struct json_value **to, size_t count) {
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t start = 0; start < count; start += 2 * run) {
            size_t middle = start + run < count ? start + run : count;
            size_t end = start + 2 * run < count ? start + 2 * run : count;
            merge(to + start, from + start, from + middle, from + end);
        }
        struct json_value **swap = from;
        from = to;
        to = swap;
    }
    return from;
}

struct json_value **json_members_sorted(const struct json_value *object) {
    size_t count = object->count;
    struct json_value **members = memory_zeroed(count, sizeof(struct json_value *));
    struct json_value **spare = memory_zeroed(count, sizeof(struct json_value *));
    size_t i = 0;
    for (struct json_value *member = object->first; member != NULL; member = member->next)
        members[i++] = member;
    struct json_value **sorted = merge_sort(members, spare, count);
    free(sorted == members ? spare : members);
    return sorted;
}

struct json_members json_members_of(const struct json_value *object) {
    struct json_members members = {.object = object};
    if (object->count > JSON_WALKED_MEMBERS)
        members.sorted = json_members_sorted(object);
    return members;
}

void json_members_free(struct json_members *members) {
    free(members->sorted);
    members->sorted = NULL;
}

static struct json_value *walk(const struct json_value *object, struct text key) {
    for (struct json_value *member = object->first; member != NULL; member = member->next)
        if (text_equal(member->key, key))
            return member;
    return NULL;
}

struct json_value *json_members_find(const struct json_members *members, struct text key) {
    if (members->sorted == NULL)
        return walk(members->object, key);
    size_t low = 0, high = members->object->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = json_key_compare(members->sorted[middle]->key, key);
        if (order == 0)
            return members->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
