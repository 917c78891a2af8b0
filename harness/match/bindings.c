#include "harness/match/match.h"

static struct binding *find(const struct bindings *bindings, struct text name) {
    for (struct binding *binding = bindings->first; binding != NULL; binding = binding->next)
        if (text_equal(binding->name, name))
            return binding;
    return NULL;
}

const struct json_value *bindings_get(const struct bindings *bindings, struct text name) {
    const struct binding *binding = find(bindings, name);
    return binding != NULL ? binding->value : NULL;
}

void bindings_set(struct bindings *bindings, struct text name, const struct json_value *value) {
    struct binding *binding = find(bindings, name);
    if (binding == NULL) {
        binding = arena_alloc(bindings->arena, sizeof(*binding));
        binding->name = (struct text){arena_copy(bindings->arena, name.bytes, name.length), name.length};
        binding->next = bindings->first;
        bindings->first = binding;
    }
    binding->value = json_copy(bindings->arena, value);
}
