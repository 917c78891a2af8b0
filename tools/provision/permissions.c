#include "tools/provision/permissions.h"

#include "tools/provision/encode.h"
#include "tools/provision/names.h"

bool permissions_check(struct run *run, struct input permissions, const struct slice *slice) {
    if (!json_is(permissions.root, JSON_OBJECT))
        return problem_at(run, PROBLEM_BAD_INPUT, permissions.file, permissions.root, "permissions must be a JSON object");
    struct json outside = {0};
    for (struct json table = json_first(permissions.root); json_present(table); table = json_next(table)) {
        if (slice_owns(slice, json_key(run->arena, table))) continue;
        if (!json_present(outside)) outside = table;
        text_list_add(run->arena, &run->problem.tables, json_raw_key(table));
    }
    if (json_present(outside))
        return problem_at(run, PROBLEM_OUTSIDE_NAMESPACE, permissions.file, outside,
                          "the permissions name the table %.*s, which lies outside the app's namespaces",
                          TEXT_ARGUMENTS(json_raw_key(outside)));
    for (struct json table = json_first(permissions.root); json_present(table); table = json_next(table))
        if (!json_is(table, JSON_OBJECT))
            return problem_at(run, PROBLEM_BAD_INPUT, permissions.file, table, "a table's permissions must be an object");
    return names_check_unique(run, permissions.file, permissions.root, "table");
}

static bool is_operation(struct text name) {
    return text_is(name, "select") || text_is(name, "insert") || text_is(name, "update") || text_is(name, "delete");
}

static bool is_condition(struct text name) { return text_is(name, "using") || text_is(name, "with_check"); }

static void add_key(struct encoder *encoder, const char *before, struct json member) {
    builder_add_string(encoder->out, before);
    builder_add(encoder->out, json_raw_key(member));
    builder_add_string(encoder->out, ":");
}

static bool encode_policy(struct encoder *encoder, struct json policy) {
    const char *before = "";
    builder_add_string(encoder->out, "{");
    for (struct json part = json_first(policy); json_present(part); part = json_next(part)) {
        if (!is_condition(json_key(encoder->run->arena, part))) continue;
        add_key(encoder, before, part);
        if (!encode_expression(encoder, part)) return false;
        before = ",";
    }
    builder_add_string(encoder->out, "}");
    return true;
}

static bool encode_table(struct encoder *encoder, struct json table) {
    const char *before = "";
    builder_add_string(encoder->out, "{");
    for (struct json policy = json_first(table); json_present(policy); policy = json_next(policy)) {
        if (!is_operation(json_key(encoder->run->arena, policy)) || !json_is(policy, JSON_OBJECT)) continue;
        add_key(encoder, before, policy);
        if (!encode_policy(encoder, policy)) return false;
        before = ",";
    }
    builder_add_string(encoder->out, "}");
    return true;
}

bool permissions_encode(struct run *run, struct input permissions, struct builder *out) {
    struct encoder encoder = {run, permissions.file, out};
    const char *before = "";
    for (struct json table = json_first(permissions.root); json_present(table); table = json_next(table)) {
        add_key(&encoder, before, table);
        if (!encode_table(&encoder, table)) return false;
        before = ",";
    }
    return true;
}
