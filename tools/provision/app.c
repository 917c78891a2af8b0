/*
 * The forms in which an app comes:
 *
 *   nested    {"about"?: text, "namespaces": {NAMESPACE: {"tables": {TABLE: {"columns": [COLUMN…]}}}}}
 *   flat      {"about"?: text, "tables": {TABLE: {"columns": [COLUMN…]}}}, which cannot be provisioned
 *   compiled  {"tables": {NAMESPACE__TABLE: {"columns": […]}}, "namespaces"?: [NAMESPACE…], "kind"?: "nested"|"flat"},
 *             where `namespaces` may be left out when `kind` says nested
 *
 * COLUMN is {"name", "column_type", "nullable"?, "references"?, "default"?, "merge_strategy"?} as the store has it.
 */
#include "tools/provision/names.h"
#include "tools/provision/slice.h"

#define MARK "__"

struct text namespace_of(struct text table) {
    size_t end = text_find(table, MARK);
    return end == 0 || end == table.length ? (struct text){0} : (struct text){table.bytes, end};
}

bool slice_owns(const struct slice *slice, struct text table) {
    struct text name = namespace_of(table);
    return name.length > 0 && text_list_has(&slice->namespaces, name);
}

/* ---- the compiled form ------------------------------------------------------------------------- */

static bool check_compiled_columns(struct run *run, struct text file, struct json table) {
    struct json columns = json_member(table, "columns");
    if (!json_is(columns, JSON_ARRAY))
        return problem_at(run, PROBLEM_BAD_INPUT, file, table, "a table must be an object with a list \"columns\"");
    for (struct json column = json_first(columns); json_present(column); column = json_next(column))
        if (!json_is(json_member(column, "name"), JSON_STRING))
            return problem_at(run, PROBLEM_BAD_INPUT, file, column, "a column must be an object with a \"name\"");
    return true;
}

/* A compiled table's name must be one that compiling could have made (section 2). */
static bool check_compiled_table(struct run *run, struct text file, struct json table, const struct slice *slice) {
    struct text name = json_key(run->arena, table), raw = json_raw_key(table);
    if (!slice_owns(slice, name))
        return problem_at(run, PROBLEM_BAD_INPUT, file, table, "the table %.*s lies in none of the app's namespaces",
                          TEXT_ARGUMENTS(raw));
    size_t prefix = namespace_of(name).length + 2;
    struct text rest = {name.bytes + prefix, name.length - prefix};
    if (rest.length == 0 || text_find(rest, MARK) < rest.length || text_find(name, ".") < name.length)
        return problem_at(run, PROBLEM_BAD_INPUT, file, table, "%.*s is not the compiled name of a table: namespace__table",
                          TEXT_ARGUMENTS(raw));
    return check_compiled_columns(run, file, table);
}

static bool read_listed_namespaces(struct run *run, struct text file, struct json list, struct slice *slice) {
    for (struct json entry = json_first(list); json_present(entry); entry = json_next(entry)) {
        if (!json_is(entry, JSON_STRING) || json_string_is(entry, ""))
            return problem_at(run, PROBLEM_BAD_INPUT, file, entry, "a namespace in this list must be a text that is not empty");
        text_list_add(run->arena, &slice->namespaces, json_string(run->arena, entry));
    }
    return true;
}

/* With no list, the namespaces are those that the tables' names show. */
static void derive_namespaces(struct run *run, struct json tables, struct slice *slice) {
    for (struct json table = json_first(tables); json_present(table); table = json_next(table)) {
        struct text name = namespace_of(json_key(run->arena, table));
        if (name.length > 0 && !text_list_has(&slice->namespaces, name)) text_list_add(run->arena, &slice->namespaces, name);
    }
}

static bool read_compiled(struct run *run, struct input app, struct json tables, struct slice *slice) {
    struct json list = json_member(app.root, "namespaces");
    if (!read_listed_namespaces(run, app.file, list, slice)) return false;
    if (!json_is(list, JSON_ARRAY)) derive_namespaces(run, tables, slice);
    if (json_count(tables) == 0)
        return problem_at(run, PROBLEM_BAD_INPUT, app.file, tables, "an app must have at least one table");
    if (!names_check_unique(run, app.file, tables, "table")) return false;
    for (struct json table = json_first(tables); json_present(table); table = json_next(table))
        if (!check_compiled_table(run, app.file, table, slice)) return false;
    slice->tables = tables;
    return true;
}

/* ---- which form -------------------------------------------------------------------------------- */

/* status.not-nested: an app without a namespace is flat, whatever its tables are called. */
static bool is_flat(struct input app) {
    struct json kind = json_member(app.root, "kind"), list = json_member(app.root, "namespaces");
    return json_string_is(kind, "flat") || (!json_string_is(kind, "nested") && json_count(list) == 0);
}

bool slice_from_app(struct run *run, struct input app, struct slice *slice) {
    *slice = (struct slice){0};
    if (!json_is(app.root, JSON_OBJECT))
        return problem_at(run, PROBLEM_BAD_INPUT, app.file, app.root, "an app must be a JSON object");
    struct json namespaces = json_member(app.root, "namespaces"), tables = json_member(app.root, "tables");
    if (json_is(namespaces, JSON_OBJECT))
        return keys_check(run, app.file, app.root, "a nested app", "about namespaces") &&
               slice_compile(run, app, namespaces, slice);
    if (!json_is(tables, JSON_OBJECT))
        return problem_at(run, PROBLEM_BAD_INPUT, app.file, app.root,
                          "an app must have an object \"namespaces\" (nested), or an object \"tables\" (flat or compiled)");
    if (is_flat(app))
        return problem_set(run, PROBLEM_NOT_NESTED,
                           "%.*s: the app is flat: it declares no namespace, so it cannot share a store; put its tables into one",
                           TEXT_ARGUMENTS(app.file));
    if (!keys_check(run, app.file, app.root, "a compiled app", "about kind namespaces tables")) return false;
    return read_compiled(run, app, tables, slice);
}
