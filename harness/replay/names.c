#include "harness/replay/names.h"

static struct bound_name *find_name(const struct names *names, struct text name) {
    struct bound_name *bound = names->first;
    while (bound != NULL && !text_equal(bound->name, name))
        bound = bound->next;
    return bound;
}

static struct bound_name *find_minted(const struct names *names, struct text minted) {
    struct bound_name *bound = names->first;
    while (bound != NULL && !text_equal(bound->minted, minted))
        bound = bound->next;
    return bound;
}

static struct text keep(struct arena *arena, struct text text) {
    return (struct text){arena_copy(arena, text.bytes, text.length), text.length};
}

static struct bound_name *bind(struct names *names, struct text name, struct text minted) {
    struct bound_name *bound = arena_alloc(names->arena, sizeof *bound);
    *bound = (struct bound_name){
        .name = keep(names->arena, name), .minted = keep(names->arena, minted), .next = names->first};
    names->first = bound;
    return bound;
}

/* ---- one holder: an object with a minted member -------------------------------------------------- */

static const char *const members[] = {"epoch", "instance"};
enum { MEMBER_COUNT = sizeof members / sizeof *members };

static bool is_string(const struct json_value *value) {
    return value != NULL && value->type == JSON_STRING;
}

static void put(struct names *names, struct json_value *holder, const char *member, const struct bound_name *bound) {
    if (bound != NULL)
        json_set(holder, text_of(member), json_string(names->arena, bound->minted));
}

static void fill_holder(struct names *names, struct json_value *holder, bool restores) {
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        const struct json_value *name = json_get(holder, members[i]);
        if (!is_string(name))
            continue;
        const struct bound_name *bound = find_name(names, name->text);
        if (bound == NULL && restores)
            bound = bind(names, name->text, name->text);
        put(names, holder, members[i], bound);
    }
}

static void settle_holder(struct names *names, struct json_value *wanted, const struct json_value *came) {
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        const struct json_value *name = json_get(wanted, members[i]), *minted = json_get(came, members[i]);
        if (!is_string(name))
            continue;
        const struct bound_name *bound = find_name(names, name->text);
        if (bound == NULL && is_string(minted) && minted->text.length > 0 && find_minted(names, minted->text) == NULL)
            bound = bind(names, name->text, minted->text);
        put(names, wanted, members[i], bound);
    }
}

/* ---- everything that can hold one ---------------------------------------------------------------- */

static struct json_value *first_of(const struct json_value *list) {
    return list != NULL && list->type == JSON_ARRAY ? list->first : NULL;
}

void names_fill_message(struct names *names, struct json_value *message) {
    fill_holder(names, json_get(message, "env"), false);
}

void names_fill_snapshot(struct names *names, struct json_value *snapshot) {
    fill_holder(names, snapshot, true);
    for (struct json_value *entry = first_of(json_get(snapshot, "journal")); entry != NULL; entry = entry->next)
        fill_holder(names, entry, true);
}

void names_settle(struct names *names, struct json_value *wanted, const struct json_value *came) {
    settle_holder(names, wanted, came);
    settle_holder(names, json_get(wanted, "env"), json_get(came, "env"));
    settle_holder(names, json_get(wanted, "state"), json_get(came, "state"));
    const struct json_value *other = first_of(json_get(came, "envs"));
    for (struct json_value *entry = first_of(json_get(wanted, "envs")); entry != NULL; entry = entry->next) {
        settle_holder(names, entry, other);
        other = other != NULL ? other->next : NULL;
    }
}
