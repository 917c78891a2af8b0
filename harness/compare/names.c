#include "harness/compare/names.h"

typedef void visitor(void *context, struct json_value *name);

static void visit_holder(const struct json_value *holder, visitor *visit, void *context) {
    static const char *const keys[] = {"epoch", "instance"};
    for (size_t i = 0; i < 2; i++) {
        struct json_value *name = json_get(holder, keys[i]);
        if (name != NULL && name->type == JSON_STRING)
            visit(context, name);
    }
}

static void visit_list(const struct json_value *list, visitor *visit, void *context) {
    for (const struct json_value *one = list != NULL && list->type == JSON_ARRAY ? list->first : NULL; one != NULL; one = one->next)
        visit_holder(one, visit, context);
}

void names_visit(struct json_value *value, visitor *visit, void *context) {
    visit_holder(value, visit, context);
    visit_holder(json_get(value, "env"), visit, context);
    visit_list(json_get(value, "envs"), visit, context);
    visit_holder(json_get(value, "state"), visit, context);
    visit_holder(json_get(json_get(value, "msg"), "env"), visit, context);
    const struct json_value *snapshot = json_get(value, "snapshot");
    visit_holder(snapshot, visit, context);
    visit_list(json_get(snapshot, "journal"), visit, context);
}

static struct shared_name *bind(struct shared_names *names, struct text shared, struct text minted) {
    struct shared_name *name = arena_alloc(names->arena, sizeof *name);
    *name = (struct shared_name){.shared = shared, .minted = minted, .next = names->first};
    names->first = name;
    return name;
}

static void share_one(void *context, struct json_value *value) {
    struct shared_names *names = context;
    struct shared_name *name = names->first;
    while (name != NULL && !text_equal(name->minted, value->text))
        name = name->next;
    if (name == NULL)
        name = bind(names, text_of(arena_format(names->arena, "$%u", ++names->count)), value->text);
    value->text = name->shared;
}

static void mint_one(void *context, struct json_value *value) {
    struct shared_names *names = context;
    struct shared_name *name = names->first;
    while (name != NULL && !text_equal(name->shared, value->text))
        name = name->next;
    if (name == NULL)
        name = bind(names, value->text, value->text);
    value->text = name->minted;
}

void names_share(struct shared_names *names, struct json_value *value) {
    names_visit(value, share_one, names);
}

void names_mint(struct shared_names *names, struct json_value *value) {
    names_visit(value, mint_one, names);
}
