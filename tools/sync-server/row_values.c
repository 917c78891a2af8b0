#include "tools/sync-server/row_values.h"

#include "tools/sync-server/identity.h"
#include "tools/sync-server/utf8.h"

bool client_table_open(struct client_table *client, const struct json_document *schema, uint32_t table) {
    client->schema = schema;
    client->columns = json_member(schema, table, "columns");
    return name_index_named(&client->by_name, schema, client->columns);
}

void client_table_free(struct client_table *client) {
    name_index_free(&client->by_name);
}

static bool is_whole_number(struct text text) {
    size_t at = text.length > 0 && text.bytes[0] == '-' ? 1 : 0;
    for (size_t digit = at; digit < text.length; digit++) {
        if (text.bytes[digit] < '0' || text.bytes[digit] > '9') {
            return false;
        }
    }
    return text.length > at;
}

static bool is_integer_between(const struct json_document *document, uint32_t node, int64_t least, int64_t most) {
    struct text text = json_text(document, node);
    uint64_t magnitude;
    bool negative = text.bytes[0] == '-';
    if (!json_is(document, node, JSON_NUMBER) ||
        !text_to_number((struct text){text.bytes + negative, text.length - negative}, &magnitude)) {
        return false;
    }
    int64_t number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return number >= least && number <= most;
}

static bool fits(const struct client_table *table, uint32_t type, const struct json_document *document, uint32_t node);

static bool elements_fit(const struct client_table *table, uint32_t type, const struct json_document *document,
                         uint32_t node) {
    uint32_t element = json_member(table->schema, type, "element");
    if (!json_is(document, node, JSON_ARRAY)) {
        return false;
    }
    for (uint32_t at = json_first(document, node); at != JSON_NONE; at = json_after(document, node, at)) {
        if (!fits(table, element, document, at)) {
            return false;
        }
    }
    return true;
}

static bool bytes_fit(const struct json_document *document, uint32_t node) {
    if (!json_is(document, node, JSON_ARRAY)) {
        return false;
    }
    for (uint32_t at = json_first(document, node); at != JSON_NONE; at = json_after(document, node, at)) {
        if (!is_integer_between(document, at, 0, 255)) {
            return false;
        }
    }
    return true;
}

static bool variant_fits(const struct client_table *table, uint32_t type, const struct json_document *document,
                         uint32_t node) {
    uint32_t variants = json_member(table->schema, type, "variants");
    struct buffer name;
    buffer_init(&name, BUFFER_CEILING);
    bool found = false;
    if (json_is(document, node, JSON_STRING)) {
        json_decode(document, node, &name);
        for (uint32_t at = json_first(table->schema, variants); at != JSON_NONE && !found;
             at = json_after(table->schema, variants, at)) {
            found = json_string_is(table->schema, at, buffer_text(&name));
        }
    }
    buffer_free(&name);
    return found;
}

static bool uuid_fits(const struct json_document *document, uint32_t node) {
    struct text text = json_text(document, node);
    return json_is(document, node, JSON_STRING) && text.length >= 2 &&
           is_uuid((struct text){text.bytes + 1, text.length - 2});
}

/* Recursive over element types: json_read holds the depth at JSON_DEPTH_CEILING. */
static bool fits(const struct client_table *table, uint32_t type, const struct json_document *document, uint32_t node) {
    const struct json_document *schema = table->schema;
    uint32_t name = json_member(schema, type, "type");
    if (json_string_is(schema, name, TEXT("Text"))) {
        return json_is(document, node, JSON_STRING);
    }
    if (json_string_is(schema, name, TEXT("Boolean"))) {
        return json_is(document, node, JSON_TRUE) || json_is(document, node, JSON_FALSE);
    }
    if (json_string_is(schema, name, TEXT("Integer"))) {
        return is_integer_between(document, node, INT32_MIN, INT32_MAX);
    }
    if (json_string_is(schema, name, TEXT("BigInt")) || json_string_is(schema, name, TEXT("Timestamp"))) {
        return json_is(document, node, JSON_NUMBER) && is_whole_number(json_text(document, node));
    }
    if (json_string_is(schema, name, TEXT("Double"))) {
        return json_is(document, node, JSON_NUMBER);
    }
    if (json_string_is(schema, name, TEXT("Uuid"))) {
        return uuid_fits(document, node);
    }
    if (json_string_is(schema, name, TEXT("Bytea"))) {
        return bytes_fit(document, node);
    }
    if (json_string_is(schema, name, TEXT("Enum"))) {
        return variant_fits(table, type, document, node);
    }
    if (json_string_is(schema, name, TEXT("Array"))) {
        return elements_fit(table, type, document, node);
    }
    if (json_string_is(schema, name, TEXT("Row"))) {
        return json_is(document, node, JSON_OBJECT);
    }
    return true; /* Json */
}

static bool is_nullable(const struct client_table *table, uint32_t column) {
    return json_is(table->schema, json_member(table->schema, column, "nullable"), JSON_TRUE);
}

static bool complain(struct buffer *why, struct text column, const char *expected) {
    buffer_append_string(why, "column ");
    utf8_append_short(why, column, 200);
    buffer_append_string(why, expected);
    return false;
}

static bool value_valid(const struct client_table *table, const struct json_document *document, uint32_t name,
                        struct buffer *why) {
    uint32_t column = name_index_find_string(&table->by_name, document, name);
    struct text spelled = json_text(document, name);
    uint32_t value = name + 1;
    if (column == JSON_NONE) {
        return complain(why, spelled, " is not in the client's schema");
    }
    if (json_is(document, value, JSON_NULL)) {
        return is_nullable(table, column) || complain(why, spelled, " must not be null");
    }
    uint32_t type = json_member(table->schema, column, "column_type");
    if (fits(table, type, document, value)) {
        return true;
    }
    complain(why, spelled, " needs a value of type ");
    buffer_append_text(why, json_text(table->schema, json_member(table->schema, type, "type")));
    return false;
}

bool row_values_valid(const struct client_table *table, const struct json_document *document, uint32_t values,
                      struct buffer *why) {
    if (!json_is(document, values, JSON_OBJECT)) {
        buffer_append_string(why, "\"values\" must be an object of columns");
        return false;
    }
    for (uint32_t at = json_first(document, values); at != JSON_NONE; at = json_after(document, values, at + 1)) {
        if (!value_valid(table, document, at, why)) {
            return false;
        }
    }
    return true;
}

/* A default's tagged value as the raw one that a row holds. Recursive over arrays, within JSON_DEPTH_CEILING. */
static void append_untagged(const struct json_document *document, uint32_t tagged, struct buffer *out) {
    uint32_t value = json_member(document, tagged, "value");
    if (value == JSON_NONE) {
        buffer_append_string(out, "null");
        return;
    }
    bool array = json_string_is(document, json_member(document, tagged, "type"), TEXT("Array"));
    if (!array || !json_is(document, value, JSON_ARRAY)) {
        json_compact(document, value, out);
        return;
    }
    buffer_append_byte(out, '[');
    for (uint32_t at = json_first(document, value); at != JSON_NONE; at = json_after(document, value, at)) {
        if (at != json_first(document, value)) {
            buffer_append_byte(out, ',');
        }
        append_untagged(document, at, out);
    }
    buffer_append_byte(out, ']');
}

/* The default, or null; false when the column has no default and must not be null. */
static bool append_default(const struct client_table *table, uint32_t column, struct buffer *out) {
    uint32_t fallback = json_member(table->schema, column, "default");
    if (json_is(table->schema, fallback, JSON_OBJECT)) {
        append_untagged(table->schema, fallback, out);
        return true;
    }
    buffer_append_string(out, "null");
    return is_nullable(table, column);
}

/* Every column of the table in its order; true when none was left without a value. */
static bool append_columns(const struct client_table *table, const struct json_document *document, uint32_t values,
                           struct buffer *out, struct buffer *why) {
    const struct json_document *schema = table->schema;
    uint32_t columns = table->columns;
    struct name_index given;
    bool complete = true;
    out->failed = !name_index_members(&given, document, values) || out->failed;
    buffer_append_byte(out, '{');
    for (uint32_t at = json_first(schema, columns); at != JSON_NONE; at = json_after(schema, columns, at)) {
        uint32_t name_node = json_member(schema, at, "name");
        uint32_t value = name_index_find_string(&given, schema, name_node);
        struct text name = json_text(schema, name_node);
        if (at != json_first(schema, columns)) {
            buffer_append_byte(out, ',');
        }
        buffer_append_text(out, name);
        buffer_append_byte(out, ':');
        if (value != JSON_NONE) {
            json_compact(document, value, out);
        } else if (!append_default(table, at, out) && why && complete) {
            complete = complain(why, name, " has no default and must not be null");
        }
    }
    buffer_append_byte(out, '}');
    name_index_free(&given);
    return complete;
}

bool row_values_complete(const struct client_table *table, const struct json_document *document, uint32_t values,
                         struct buffer *out, struct buffer *why) {
    return append_columns(table, document, values, out, why);
}

void row_values_project(const struct client_table *table, const struct json_document *stored, struct buffer *out) {
    append_columns(table, stored, 0, out, NULL);
}

static void append_member(struct text name, const struct json_document *document, uint32_t value, struct buffer *out) {
    if (out->length > 0 && out->bytes[out->length - 1] != '{') {
        buffer_append_byte(out, ',');
    }
    buffer_append_text(out, name);
    buffer_append_byte(out, ':');
    json_compact(document, value, out);
}

void row_values_merge(const struct json_document *stored, const struct json_document *document, uint32_t values,
                      struct buffer *out) {
    struct name_index given;
    struct name_index kept;
    bool indexed = name_index_members(&given, document, values);
    indexed = name_index_members(&kept, stored, 0) && indexed;
    out->failed = out->failed || !indexed;
    buffer_append_byte(out, '{');
    for (uint32_t at = json_first(stored, 0); at != JSON_NONE && indexed; at = json_after(stored, 0, at + 1)) {
        uint32_t value = name_index_find_string(&given, stored, at);
        bool own = value == JSON_NONE;
        append_member(json_text(stored, at), own ? stored : document, own ? at + 1 : value, out);
    }
    for (uint32_t at = json_first(document, values); at != JSON_NONE && indexed;
         at = json_after(document, values, at + 1)) {
        bool last = name_index_find_string(&given, document, at) == at + 1;
        if (last && name_index_find_string(&kept, document, at) == JSON_NONE) {
            append_member(json_text(document, at), document, at + 1, out);
        }
    }
    buffer_append_byte(out, '}');
    name_index_free(&kept);
    name_index_free(&given);
}
