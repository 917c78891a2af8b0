#include "harness/target/options.h"

#include "harness/json/value.h"

static const char defaults[] =
    "{\"policyVersion\":0,\"journalLimit\":1000,\"limits\":{\"maxOpsPerEnvelope\":1024},\"policy\":{}}";

/* The options with the defaults filled in; NULL when they are no JSON object. */
static struct json_value *filled(struct arena *arena, struct text options) {
    struct error ignored = {0};
    struct json_value *all = json_parse(arena, text_of(defaults), &ignored), *given = json_parse(arena, options, &ignored);
    if (given == NULL || given->type != JSON_OBJECT)
        return NULL;
    for (const struct json_value *option = given->first; option != NULL; option = option->next)
        if (!text_equal(option->key, TEXT("limits")))
            json_set(all, option->key, json_copy(arena, option));
    struct json_value *limits = json_get(all, "limits"), *own = json_get(given, "limits");
    for (const struct json_value *limit = own != NULL ? own->first : NULL; limit != NULL; limit = limit->next)
        json_set(limits, limit->key, json_copy(arena, limit));
    return all;
}

bool options_same(struct text a, struct text b) {
    struct arena *arena = arena_new();
    const struct json_value *left = filled(arena, a), *right = filled(arena, b);
    bool same = left != NULL && right != NULL && json_equal(left, right);
    arena_free(arena);
    return same;
}
