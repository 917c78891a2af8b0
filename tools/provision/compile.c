/* Compiling a nested app: names checked, tables mangled, references resolved, everything else carried as it is written. */
#include "tools/provision/names.h"
#include "tools/provision/slice.h"

struct compiler {
    struct run *run;
    struct text file;
    struct json namespaces;
    struct json home; /* the namespace that is being compiled */
    struct builder out;
};

static const char *const column_types[] = {"Text", "Boolean", "Integer", "BigInt", "Double", "Timestamp",
                                           "Uuid", "Bytea",   "Json",    "Enum",   "Array",  "Row"};

static bool wrong(struct compiler *compiler, struct json value, const char *what) {
    return problem_at(compiler->run, PROBLEM_BAD_INPUT, compiler->file, value, "%s", what);
}

/* ---- references -------------------------------------------------------------------------------- */

static bool unknown_target(struct compiler *compiler, struct json value) {
    return problem_at(compiler->run, PROBLEM_BAD_INPUT, compiler->file, value,
                      "no such table: %.*s; a reference is written \"table\" (same namespace) or \"namespace.table\"",
                      TEXT_ARGUMENTS(json_raw(value)));
}

/* Adds the mangled name of `table` in `home`, as a JSON string. */
static void add_mangled(struct compiler *compiler, struct json home, struct text table) {
    struct builder name = {.arena = compiler->run->arena};
    builder_add(&name, json_key(compiler->run->arena, home));
    builder_add_string(&name, "__");
    builder_add(&name, table);
    builder_add_quoted(&compiler->out, builder_text(&name));
}

static bool add_reference(struct compiler *compiler, struct json value) {
    if (json_is(value, JSON_NULL)) {
        builder_add_string(&compiler->out, "null");
        return true;
    }
    if (!json_is(value, JSON_STRING)) return wrong(compiler, value, "a reference must be a text");
    struct text target = json_string(compiler->run->arena, value);
    if (text_find(target, "__") < target.length)
        return wrong(compiler, value, "a reference must not name a mangled table; write \"table\" or \"namespace.table\"");
    struct json home = compiler->home;
    size_t dot = text_find(target, ".");
    struct text table = target;
    if (dot < target.length) {
        home = json_member_named(compiler->namespaces, (struct text){target.bytes, dot});
        table = (struct text){target.bytes + dot + 1, target.length - dot - 1};
    }
    if (!json_present(json_member_named(json_member(home, "tables"), table))) return unknown_target(compiler, value);
    add_mangled(compiler, home, table);
    return true;
}

/* ---- columns ----------------------------------------------------------------------------------- */

static bool check_column_type(struct compiler *compiler, struct json column) {
    struct json type = json_member(json_member(column, "column_type"), "type");
    for (size_t i = 0; i < sizeof column_types / sizeof column_types[0]; i++)
        if (json_string_is(type, column_types[i])) return true;
    return wrong(compiler, json_present(type) ? type : column,
                 "a column needs a \"column_type\": {\"type\": …} with one of Text, Boolean, Integer, BigInt, Double, Timestamp, "
                 "Uuid, Bytea, Json, Enum, Array, Row");
}

static bool check_column(struct compiler *compiler, struct json column) {
    if (!json_is(column, JSON_OBJECT)) return wrong(compiler, column, "a column must be an object");
    struct json name = json_member(column, "name"), nullable = json_member(column, "nullable");
    if (!keys_check(compiler->run, compiler->file, column, "a column",
                    "name column_type nullable references default merge_strategy"))
        return false;
    if (!json_is(name, JSON_STRING) || json_string_is(name, ""))
        return wrong(compiler, column, "a column needs a \"name\" that is not empty");
    if (json_present(nullable) && !json_is(nullable, JSON_TRUE) && !json_is(nullable, JSON_FALSE))
        return wrong(compiler, nullable, "\"nullable\" must be true or false");
    return check_column_type(compiler, column);
}

static bool add_column(struct compiler *compiler, struct json column) {
    if (!check_column(compiler, column)) return false;
    const char *before = "{";
    for (struct json part = json_first(column); json_present(part); part = json_next(part)) {
        builder_add_string(&compiler->out, before);
        builder_add(&compiler->out, json_raw_key(part));
        builder_add_string(&compiler->out, ":");
        if (text_is(json_key(compiler->run->arena, part), "references")) {
            if (!add_reference(compiler, part)) return false;
        } else {
            builder_add(&compiler->out, json_raw(part));
        }
        before = ",";
    }
    builder_add_string(&compiler->out, "}");
    return true;
}

static bool check_unlike_earlier(struct compiler *compiler, struct text_list *earlier, struct json column) {
    struct json name = json_member(column, "name");
    struct text decoded = json_string(compiler->run->arena, name);
    if (text_list_has(earlier, decoded)) return wrong(compiler, name, "the table has another column of that name");
    text_list_add(compiler->run->arena, earlier, decoded);
    return true;
}

/* ---- tables and namespaces --------------------------------------------------------------------- */

static bool add_table(struct compiler *compiler, struct json table) {
    if (!name_check(compiler->run, compiler->file, table, "table")) return false;
    struct json columns = json_member(table, "columns");
    if (!json_is(columns, JSON_ARRAY)) return wrong(compiler, table, "a table must be an object with a list \"columns\"");
    if (!keys_check(compiler->run, compiler->file, table, "a table", "columns")) return false;
    if (compiler->out.length > 1) builder_add_string(&compiler->out, ",");
    add_mangled(compiler, compiler->home, json_key(compiler->run->arena, table));
    builder_add_string(&compiler->out, ":{\"columns\":[");
    struct text_list earlier = {0};
    for (struct json column = json_first(columns); json_present(column); column = json_next(column)) {
        if (earlier.count > 0) builder_add_string(&compiler->out, ",");
        if (!add_column(compiler, column) || !check_unlike_earlier(compiler, &earlier, column)) return false;
    }
    builder_add_string(&compiler->out, "]}");
    return true;
}

static bool check_namespace(struct compiler *compiler, struct json home) {
    struct json tables = json_member(home, "tables");
    if (!name_check(compiler->run, compiler->file, home, "namespace")) return false;
    if (!json_is(tables, JSON_OBJECT) || json_count(tables) == 0)
        return wrong(compiler, home, "a namespace must be an object with \"tables\", at least one");
    return keys_check(compiler->run, compiler->file, home, "a namespace", "tables") &&
           names_check_unique(compiler->run, compiler->file, tables, "table");
}

static bool add_namespace(struct compiler *compiler, struct json home, struct slice *slice) {
    compiler->home = home;
    text_list_add(compiler->run->arena, &slice->namespaces, json_key(compiler->run->arena, home));
    struct json tables = json_member(home, "tables");
    for (struct json table = json_first(tables); json_present(table); table = json_next(table))
        if (!add_table(compiler, table)) return false;
    return true;
}

bool slice_compile(struct run *run, struct input app, struct json namespaces, struct slice *slice) {
    struct compiler compiler = {.run = run, .file = app.file, .namespaces = namespaces, .out = {.arena = run->arena}};
    if (json_count(namespaces) == 0) return wrong(&compiler, namespaces, "a nested app declares at least one namespace");
    if (!names_check_unique(run, app.file, namespaces, "namespace")) return false;
    /* All namespaces first: a reference may point to one further down. */
    for (struct json home = json_first(namespaces); json_present(home); home = json_next(home))
        if (!check_namespace(&compiler, home)) return false;
    builder_add_string(&compiler.out, "{");
    for (struct json home = json_first(namespaces); json_present(home); home = json_next(home))
        if (!add_namespace(&compiler, home, slice)) return false;
    builder_add_string(&compiler.out, "}");
    struct input compiled = {0};
    if (!input_scan(run, text_from("compiled app"), builder_text(&compiler.out), &compiled)) return false;
    slice->tables = compiled.root;
    return true;
}
