#include "tools/provision/json.h"

static enum json_kind kind_of(struct json value) { return value.document->nodes[value.index].kind; }

static bool elements_equal(struct arena *arena, struct json a, struct json b) {
    struct json left = json_first(a), right = json_first(b);
    for (; json_present(left); left = json_next(left), right = json_next(right))
        if (!json_equal(arena, left, right)) return false;
    return true;
}

/* Whether every member of `a` has a namesake in `b`. */
static bool names_within(struct arena *arena, struct json a, struct json b) {
    for (struct json member = json_first(a); json_present(member); member = json_next(member))
        if (!json_present(json_member_named(b, json_key(arena, member)))) return false;
    return true;
}

/* Whether every member of `a` is in `b` with an equal value. */
static bool members_within(struct arena *arena, struct json a, struct json b) {
    for (struct json member = json_first(a); json_present(member); member = json_next(member)) {
        struct json other = json_member_named(b, json_key(arena, member));
        if (!json_present(other) || !json_equal(arena, member, other)) return false;
    }
    return true;
}

/* Recursion is bounded by JSON_MAX_DEPTH. */
bool json_equal(struct arena *arena, struct json a, struct json b) {
    if (!json_present(a) || !json_present(b)) return json_present(a) == json_present(b);
    if (kind_of(a) != kind_of(b) || json_count(a) != json_count(b)) return false;
    switch (kind_of(a)) {
    case JSON_NUMBER: {
        double left = json_number(arena, a), right = json_number(arena, b);
        return !(left < right) && !(left > right);
    }
    case JSON_STRING: return text_equal(json_string(arena, a), json_string(arena, b));
    case JSON_ARRAY: return elements_equal(arena, a, b);
    case JSON_OBJECT: return members_within(arena, a, b) && names_within(arena, b, a);
    default: return true;
    }
}
