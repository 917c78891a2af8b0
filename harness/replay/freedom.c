#include "harness/replay/freedom.h"

static bool is_array(const struct json_value *value) {
    return value != NULL && value->type == JSON_ARRAY;
}

/* Whether both are objects that have this member, and it is the same. */
static bool share(const struct json_value *a, const struct json_value *b, const char *key) {
    const struct json_value *of_a = json_get(a, key), *of_b = json_get(b, key);
    return of_a != NULL && of_b != NULL && json_equal(of_a, of_b);
}

/* Takes the first element that shares `key` with `like` out of the list; NULL when there is none. */
static struct json_value *take_like(struct json_value **list, const struct json_value *like, const char *key) {
    while (*list != NULL && !share(*list, like, key))
        list = &(*list)->next;
    struct json_value *taken = *list;
    if (taken != NULL)
        *list = taken->next;
    return taken;
}

/* Puts the elements of `came` that share `key` with one of `wanted` into the order there; the others stay behind them. */
static void order_like(const struct json_value *wanted, struct json_value *came, const char *key) {
    if (!is_array(wanted) || !is_array(came))
        return;
    struct json_value *rest = came->first, **end = &came->first;
    for (const struct json_value *like = wanted->first; like != NULL; like = like->next) {
        struct json_value *taken = take_like(&rest, like, key);
        if (taken == NULL)
            continue;
        *end = came->last = taken;
        end = &taken->next;
    }
    for (*end = rest; *end != NULL; end = &(*end)->next)
        came->last = *end;
}

static void order_registers(const struct json_value *wanted, struct json_value *came) {
    order_like(wanted, came, "path");
    if (!is_array(wanted) || !is_array(came))
        return;
    const struct json_value *like = wanted->first;
    for (struct json_value *entry = came->first; entry != NULL && like != NULL; entry = entry->next, like = like->next)
        order_like(json_get(like, "siblings"), json_get(entry, "siblings"), "origin");
}

static void forget_detail(struct json_value *wanted, struct json_value *came) {
    if (json_get(wanted, "reason") == NULL || json_is_string(json_get(wanted, "reason"), "malformed"))
        return;
    json_remove(wanted, TEXT("detail"));
    json_remove(came, TEXT("detail"));
}

void freedom_grant(struct json_value *wanted, struct json_value *came) {
    order_registers(json_get(wanted, "registers"), json_get(came, "registers"));
    order_registers(json_get(json_get(wanted, "state"), "registers"), json_get(json_get(came, "state"), "registers"));
    struct json_value *violation = json_get(came, "violation");
    if (violation != NULL && violation->type == JSON_OBJECT)
        forget_detail(json_get(wanted, "violation"), violation);
}
