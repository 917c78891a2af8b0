#include "tools/sync-server/lens.h"

#include "tools/sync-server/utf8.h"

struct lens {
    uint32_t table; /* a string */
    bool added;
    bool removed;
    bool renamed;        /* renamedFrom is there and not null */
    uint32_t operations; /* an array */
};

/* true, false, or absent (which is false); anything else is not a flag. */
static bool read_flag(const struct json_document *document, uint32_t object, const char *name, bool *flag) {
    uint32_t value = json_member(document, object, name);
    *flag = json_is(document, value, JSON_TRUE);
    return *flag || value == JSON_NONE || json_kind(document, value) == JSON_FALSE;
}

static const char *operation_problem(const struct json_document *document, uint32_t operation) {
    uint32_t type = json_member(document, operation, "type");
    if (type == JSON_NONE ||
        !(json_string_is(document, type, TEXT("introduce")) || json_string_is(document, type, TEXT("drop")) ||
          json_string_is(document, type, TEXT("rename")))) {
        return "an operation is an object whose \"type\" is \"introduce\", \"drop\" or \"rename\"";
    }
    uint32_t column = json_member(document, operation, "column");
    if (!json_is(document, column, JSON_STRING) || json_string_is(document, column, TEXT(""))) {
        return "an operation names its \"column\"";
    }
    return NULL;
}

static const char *read_lens(const struct json_document *document, uint32_t node, struct lens *lens) {
    if (!json_is(document, node, JSON_OBJECT)) {
        return "a lens is an object";
    }
    lens->table = json_member(document, node, "table");
    if (!json_is(document, lens->table, JSON_STRING) || json_string_is(document, lens->table, TEXT(""))) {
        return "\"table\" is the table's name";
    }
    if (!read_flag(document, node, "added", &lens->added) || !read_flag(document, node, "removed", &lens->removed)) {
        return "\"added\" and \"removed\" are true or false";
    }
    uint32_t renamed_from = json_member(document, node, "renamedFrom");
    lens->renamed = json_is(document, renamed_from, JSON_STRING);
    if (!lens->renamed && renamed_from != JSON_NONE && json_kind(document, renamed_from) != JSON_NULL) {
        return "\"renamedFrom\" is a table's name";
    }
    lens->operations = json_member(document, node, "operations");
    if (!json_is(document, lens->operations, JSON_ARRAY)) {
        return "\"operations\" is an array";
    }
    for (uint32_t at = json_first(document, lens->operations); at != JSON_NONE;
         at = json_after(document, lens->operations, at)) {
        const char *problem = operation_problem(document, at);
        if (problem) {
            return problem;
        }
    }
    return NULL;
}

/* store.lens-conflict, what can be seen in the lens alone. */
static const char *contradiction(const struct json_document *document, const struct lens *lens) {
    if (lens->added && lens->removed) {
        return "a table cannot be both added and removed";
    }
    if ((lens->added || lens->removed) && lens->renamed) {
        return "an added or removed table cannot have \"renamedFrom\"";
    }
    if ((lens->added || lens->removed) && json_first(document, lens->operations) != JSON_NONE) {
        return "an added or removed table cannot have operations";
    }
    return NULL;
}

static const char *lens_problem(const struct json_document *document, uint32_t node, const struct name_index *source,
                                const struct name_index *target) {
    struct lens lens;
    const char *problem = read_lens(document, node, &lens);
    if (!problem) {
        problem = contradiction(document, &lens);
    }
    if (!problem && lens.added && name_index_find_string(target, document, lens.table) == JSON_NONE) {
        problem = "the target schema lacks the added table";
    }
    if (!problem && lens.removed && name_index_find_string(source, document, lens.table) == JSON_NONE) {
        problem = "the source schema lacks the removed table";
    }
    return problem;
}

bool lenses_valid(const struct json_document *document, uint32_t forward, const struct name_index *source,
                  const struct name_index *target, struct buffer *why) {
    if (!json_is(document, forward, JSON_ARRAY)) {
        buffer_append_string(why, "\"forward\" must be an array of lenses");
        return false;
    }
    int64_t number = 0;
    for (uint32_t at = json_first(document, forward); at != JSON_NONE; at = json_after(document, forward, at)) {
        const char *problem = lens_problem(document, at, source, target);
        if (problem) {
            buffer_append_string(why, "lens ");
            buffer_append_number(why, number);
            uint32_t table = json_member(document, at, "table");
            if (json_is(document, table, JSON_STRING)) {
                buffer_append_string(why, " (table ");
                utf8_append_short(why, json_text(document, table), 200);
                buffer_append_string(why, ")");
            }
            buffer_append_string(why, ": ");
            buffer_append_string(why, problem);
            return false;
        }
        number++;
    }
    return true;
}
