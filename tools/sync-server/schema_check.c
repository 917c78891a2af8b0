#include "tools/sync-server/name_index.h"
#include "tools/sync-server/schema.h"
#include "tools/sync-server/utf8.h"

/* Where a complaint belongs. */
struct place {
    const struct json_document *document;
    struct text table;  /* the name's JSON text, quotes included */
    struct text column; /* likewise; no value when it is about the table */
    struct buffer *why;
};

static bool complain(const struct place *place, const char *expected) {
    buffer_append_string(place->why, "table ");
    utf8_append_short(place->why, place->table, 200);
    if (place->column.bytes) {
        buffer_append_string(place->why, ", column ");
        utf8_append_short(place->why, place->column, 200);
    }
    buffer_append_string(place->why, ": ");
    buffer_append_string(place->why, expected);
    return false;
}

static bool is_name(const struct json_document *document, uint32_t node) {
    return json_is(document, node, JSON_STRING) && json_text(document, node).length > 2;
}

static bool columns_valid(const struct place *place, uint32_t columns);

static bool enum_valid(const struct place *place, uint32_t type) {
    uint32_t variants = json_member(place->document, type, "variants");
    if (!json_is(place->document, variants, JSON_ARRAY)) {
        return complain(place, "an Enum needs \"variants\", an array of strings");
    }
    for (uint32_t at = json_first(place->document, variants); at != JSON_NONE;
         at = json_after(place->document, variants, at)) {
        if (!json_is(place->document, at, JSON_STRING)) {
            return complain(place, "an Enum's \"variants\" are strings");
        }
    }
    return true;
}

/* Recursive over element types and Row columns: json_read holds the depth at JSON_DEPTH_CEILING. */
static bool type_valid(const struct place *place, uint32_t type) {
    static const char *const plain[] = {"Text",      "Boolean", "Integer", "BigInt", "Double",
                                        "Timestamp", "Uuid",    "Bytea",   "Json"};
    uint32_t name = json_member(place->document, type, "type");
    if (name == JSON_NONE) {
        return complain(place, "a column type is an object with a string \"type\"");
    }
    for (size_t at = 0; at < sizeof plain / sizeof *plain; at++) {
        if (json_string_is(place->document, name, text_of(plain[at]))) {
            return true;
        }
    }
    if (json_string_is(place->document, name, TEXT("Enum"))) {
        return enum_valid(place, type);
    }
    if (json_string_is(place->document, name, TEXT("Array"))) {
        uint32_t element = json_member(place->document, type, "element");
        return element == JSON_NONE ? complain(place, "an Array needs \"element\", a column type")
                                    : type_valid(place, element);
    }
    if (json_string_is(place->document, name, TEXT("Row"))) {
        return columns_valid(place, json_member(place->document, type, "columns"));
    }
    return complain(place, "the type is none of Text, Boolean, Integer, BigInt, Double, Timestamp, Uuid, Bytea, Json, "
                           "Enum, Array, Row");
}

static bool optional_text(const struct place *place, uint32_t column, const char *member) {
    uint32_t value = json_member(place->document, column, member);
    return value == JSON_NONE || json_kind(place->document, value) == JSON_NULL ||
           json_kind(place->document, value) == JSON_STRING;
}

static bool column_valid(const struct place *place, uint32_t column) {
    const struct json_document *document = place->document;
    uint32_t nullable = json_member(document, column, "nullable");
    uint32_t fallback = json_member(document, column, "default");
    if (json_member(document, column, "column_type") == JSON_NONE) {
        return complain(place, "\"column_type\" is missing");
    }
    if (!type_valid(place, json_member(document, column, "column_type"))) {
        return false;
    }
    if (nullable != JSON_NONE && json_kind(document, nullable) != JSON_TRUE &&
        json_kind(document, nullable) != JSON_FALSE) {
        return complain(place, "\"nullable\" is true or false");
    }
    if (!optional_text(place, column, "references")) {
        return complain(place, "\"references\" is a table's name or null");
    }
    if (!optional_text(place, column, "merge_strategy")) {
        return complain(place, "\"merge_strategy\" is a name or null");
    }
    if (fallback != JSON_NONE && json_kind(document, fallback) != JSON_NULL &&
        !json_is(document, json_member(document, fallback, "type"), JSON_STRING)) {
        return complain(place, "\"default\" is a tagged value such as {\"type\":\"Integer\",\"value\":3}, or null");
    }
    return true;
}

/* Compares the columns' names decoded: `"a"` and `"\u0061"` are one name. */
static bool column_names_differ(const struct place *place, uint32_t columns) {
    struct name_index index;
    bool differ = name_index_named(&index, place->document, columns) && name_index_distinct(&index);
    name_index_free(&index);
    return differ;
}

static bool columns_valid(const struct place *place, uint32_t columns) {
    const struct json_document *document = place->document;
    if (!json_is(document, columns, JSON_ARRAY)) {
        return complain(place, "\"columns\" must be an array");
    }
    for (uint32_t at = json_first(document, columns); at != JSON_NONE; at = json_after(document, columns, at)) {
        uint32_t name = json_member(document, at, "name");
        if (!is_name(document, name)) {
            return complain(place, "a column is an object with a \"name\" that is a non-empty string");
        }
        struct place inside = *place;
        inside.column = json_text(document, name);
        if (!column_valid(&inside, at)) {
            return false;
        }
    }
    return column_names_differ(place, columns) || complain(place, "two columns have the same name");
}

static bool table_names_differ(const struct json_document *document, uint32_t schema, struct buffer *why) {
    struct name_index index;
    bool differ = name_index_members(&index, document, schema) && name_index_distinct(&index);
    name_index_free(&index);
    if (!differ) {
        buffer_append_string(why, "two tables have the same name");
    }
    return differ;
}

bool schema_valid(const struct json_document *document, uint32_t schema, struct buffer *why) {
    if (!json_is(document, schema, JSON_OBJECT)) {
        buffer_append_string(why, "a schema is an object of tables");
        return false;
    }
    for (uint32_t at = json_first(document, schema); at != JSON_NONE; at = json_after(document, schema, at + 1)) {
        struct place place = {.document = document, .table = json_text(document, at), .why = why};
        if (!is_name(document, at)) {
            return complain(&place, "a table's name must not be empty");
        }
        if (!json_is(document, at + 1, JSON_OBJECT)) {
            return complain(&place, "a table is an object with \"columns\"");
        }
        if (!columns_valid(&place, json_member(document, at + 1, "columns"))) {
            return false;
        }
    }
    return table_names_differ(document, schema, why);
}
