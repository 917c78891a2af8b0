/* Names that `$is` uses must be bound somewhere: a slip of the pen is found before anything runs. */
#include <stdlib.h>

#include "harness/base/memory.h"
#include "harness/base/nearest.h"
#include "harness/scenario/loader.h"

struct search {
    const struct json_value **pending; /* the last one is next */
    size_t count, capacity;
    const char **bound;
    size_t bound_count, bound_capacity;
    const struct json_value **used; /* the arguments of `$is`, in order */
    size_t used_count, used_capacity;
};

static void note(struct search *search, const struct json_value *node) {
    bool single = node->type == JSON_STRING;
    if (single && text_equal(node->key, TEXT("$is"))) {
        search->used = memory_room(search->used, search->used_count, &search->used_capacity, sizeof(*search->used));
        search->used[search->used_count++] = node;
    } else if (single && (text_equal(node->key, TEXT("$bind")) || text_equal(node->key, TEXT("counter")))) {
        search->bound =
            memory_room(search->bound, search->bound_count, &search->bound_capacity, sizeof(*search->bound));
        search->bound[search->bound_count++] = node->text.bytes;
    }
    if (node->first == NULL || text_equal(node->key, TEXT("$literal")))
        return;
    search->pending = memory_room(search->pending, search->count, &search->capacity, sizeof(*search->pending));
    search->pending[search->count++] = node;
}

/* `wire` is what the profile's wire version is found by. */
static bool is_bound(const struct search *search, struct text name) {
    if (text_equal(name, TEXT("wire")))
        return true;
    for (size_t i = 0; i < search->bound_count; i++)
        if (text_equal(text_of(search->bound[i]), name))
            return true;
    return false;
}

static const struct json_value *first_unbound(const struct search *search) {
    const struct json_value *first = NULL;
    for (size_t i = 0; i < search->used_count; i++) {
        const struct json_value *use = search->used[i];
        bool earlier =
            first == NULL || use->line < first->line || (use->line == first->line && use->column < first->column);
        if (earlier && !is_bound(search, use->text))
            first = use;
    }
    return first;
}

static void refuse_name(struct loader *loader, const struct search *search, const struct json_value *use) {
    struct buffer text = {.ceiling = ERROR_TEXT_CAPACITY};
    buffer_string(&text, "no $bind and no counter binds the name ");
    json_print_string(&text, use->text);
    nearest_suggest(&text, use->text, search->bound, search->bound_count);
    loader_fault(loader, use->line, use->column, "%s", text.bytes);
    buffer_free(&text);
}

bool loader_names(struct loader *loader, const struct json_value *steps) {
    struct search search = {0};
    note(&search, steps);
    while (search.count > 0) {
        const struct json_value *node = search.pending[--search.count];
        for (const struct json_value *child = node->first; child != NULL; child = child->next)
            note(&search, child);
    }
    const struct json_value *unbound = first_unbound(&search);
    if (unbound != NULL)
        refuse_name(loader, &search, unbound);
    free(search.pending);
    free(search.bound);
    free(search.used);
    return unbound == NULL;
}
