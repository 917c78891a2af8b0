#include "tools/provision/names.h"

#include <stdlib.h>
#include <string.h>

bool name_check(struct run *run, struct text file, struct json member, const char *kind) {
    struct text name = json_key(run->arena, member), raw = json_raw_key(member);
    bool is_namespace = strcmp(kind, "namespace") == 0;
    if (name.length == 0) return problem_at(run, PROBLEM_BAD_INPUT, file, member, "the name of a %s is empty", kind);
    if (text_find(name, ".") < name.length)
        return problem_at(run, PROBLEM_BAD_INPUT, file, member, "the name of the %s %.*s must not hold a dot", kind,
                          TEXT_ARGUMENTS(raw));
    if (text_find(name, "__") < name.length)
        return problem_at(run, PROBLEM_BAD_INPUT, file, member, "the name of the %s %.*s must not hold two underscores in a row",
                          kind, TEXT_ARGUMENTS(raw));
    if (is_namespace && name.bytes[name.length - 1] == '_')
        return problem_at(run, PROBLEM_BAD_INPUT, file, member,
                          "the name of the namespace %.*s must not end in an underscore: in \"%.*s__table\" the namespace would "
                          "read as a shorter one",
                          TEXT_ARGUMENTS(raw), TEXT_ARGUMENTS(name));
    return true;
}

/* ---- unique names: sorted, so that a long list of tables costs no square of its length ----------- */

struct named {
    struct text name;
    struct json member;
};

static int compare_named(const void *left, const void *right) {
    const struct named *a = left, *b = right;
    int order = text_compare(a->name, b->name);
    if (order != 0) return order;
    return (a->member.index > b->member.index) - (a->member.index < b->member.index);
}

bool names_check_unique(struct run *run, struct text file, struct json object, const char *kind) {
    size_t count = json_count(object), at = 0;
    struct named *all = arena_take(run->arena, (count + 1) * sizeof *all);
    for (struct json member = json_first(object); json_present(member); member = json_next(member))
        all[at++] = (struct named){json_key(run->arena, member), member};
    qsort(all, count, sizeof *all, compare_named);
    for (size_t i = 1; i < count; i++)
        if (text_equal(all[i - 1].name, all[i].name))
            return problem_at(run, PROBLEM_BAD_INPUT, file, all[i].member, "the %s %.*s is there twice", kind,
                              TEXT_ARGUMENTS(json_raw_key(all[i].member)));
    return true;
}

/* ---- known parts ------------------------------------------------------------------------------- */

static bool is_among(struct text word, const char *allowed) {
    while (*allowed != '\0') {
        size_t length = strcspn(allowed, " ");
        if (text_equal(word, (struct text){allowed, length})) return true;
        allowed += length;
        allowed += *allowed == ' ';
    }
    return false;
}

bool keys_check(struct run *run, struct text file, struct json object, const char *kind, const char *allowed) {
    for (struct json member = json_first(object); json_present(member); member = json_next(member))
        if (!is_among(json_key(run->arena, member), allowed))
            return problem_at(run, PROBLEM_BAD_INPUT, file, member, "%s has no part %.*s; its parts are: %s", kind,
                              TEXT_ARGUMENTS(json_raw_key(member)), allowed);
    return names_check_unique(run, file, object, "part");
}
