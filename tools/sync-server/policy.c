#include "tools/sync-server/policy.h"

#include "tools/sync-server/schema.h"

enum truth { NOT_TRUE, IS_TRUE, UNKNOWN };

/* Whom an expression is about. */
struct subject {
    struct policy_context *context;
    const struct policy_row *row;
};

typedef enum truth (*expression)(const struct subject *subject, uint32_t node);

static enum truth evaluate(const struct subject *subject, uint32_t node);

static const struct json_document *permissions_of(const struct subject *subject) {
    return subject->context->permissions;
}

static enum truth truth_of(bool holds) {
    return holds ? IS_TRUE : NOT_TRUE;
}

bool policy_exhausted(const struct policy_context *context) {
    return context->steps > POLICY_STEPS_CEILING;
}

void policy_count_row(struct policy_context *context, const struct row *row) {
    context->steps += POLICY_STEPS_A_ROW + row->values.length / POLICY_BYTES_A_STEP;
}

/* A value that is about to be compared costs time in its length. */
static void count_value(const struct subject *subject, const struct value *value) {
    size_t length = value->document ? json_text(value->document, value->node).length : value->plain.length;
    subject->context->steps += length / POLICY_BYTES_A_STEP;
}

/* ---- values ------------------------------------------------------------------------------------ */

/* A column of a row. A column that the bundle's schema has and the row has not is null; any other is unknown. */
static bool row_value(const struct policy_context *context, const struct policy_row *row, struct text column,
                      struct value *value) {
    if (text_equal(column, TEXT("$createdBy"))) {
        *value = value_of_text(row->created_by);
        return true;
    }
    uint32_t node = json_member_text(row->values, 0, column);
    if (node != JSON_NONE) {
        *value = value_of_raw(row->values, node);
        return true;
    }
    if (text_equal(column, TEXT("id"))) {
        *value = value_of_text(row->id);
        return true;
    }
    uint32_t table = json_member_text(context->schema, 0, row->table);
    *value = (struct value){.kind = VALUE_NULL};
    return table != JSON_NONE && schema_column(context->schema, table, column) != JSON_NONE;
}

/* The row's value of the column that the expression's member `column` names. */
static bool column_value(const struct subject *subject, uint32_t expression_node, struct value *value) {
    const struct json_document *document = permissions_of(subject);
    uint32_t column = json_member(document, expression_node, "column");
    if (!json_is(document, column, JSON_STRING)) {
        return false;
    }
    struct buffer name;
    buffer_init(&name, BUFFER_CEILING);
    json_decode(document, column, &name);
    bool known = !name.failed && row_value(subject->context, subject->row, buffer_text(&name), value);
    buffer_free(&name);
    if (known) {
        count_value(subject, value);
    }
    return known;
}

/* Follows `path` (an array of strings in the permissions) from `first` on through the object `from` of the session. */
static struct value follow(const struct subject *subject, uint32_t path, uint32_t first, uint32_t from) {
    const struct json_document *document = permissions_of(subject);
    const struct json_document *request = subject->context->request;
    struct buffer name;
    buffer_init(&name, BUFFER_CEILING);
    for (uint32_t at = first; at != JSON_NONE && from != JSON_NONE; at = json_after(document, path, at)) {
        buffer_clear(&name);
        json_decode(document, at, &name);
        from = json_member_text(request, from, buffer_text(&name));
    }
    buffer_free(&name);
    return value_of_raw(request, from);
}

static bool is_path(const struct json_document *document, uint32_t path) {
    if (!json_is(document, path, JSON_ARRAY) || json_first(document, path) == JSON_NONE) {
        return false;
    }
    for (uint32_t at = json_first(document, path); at != JSON_NONE; at = json_after(document, path, at)) {
        if (!json_is(document, at, JSON_STRING)) {
            return false;
        }
    }
    return true;
}

/* `["__jazz_outer_row", column]`, inside Exists: the row around it. */
static bool outer_value(const struct subject *subject, uint32_t path, struct value *value) {
    const struct json_document *document = permissions_of(subject);
    uint32_t column = json_after(document, path, json_first(document, path));
    if (!subject->row->outer || column == JSON_NONE || json_size(document, path) != 2) {
        return false;
    }
    struct buffer name;
    buffer_init(&name, BUFFER_CEILING);
    json_decode(document, column, &name);
    bool known = !name.failed && row_value(subject->context, subject->row->outer, buffer_text(&name), value);
    buffer_free(&name);
    return known;
}

/* `["user_id"]` is the user, `["claims", …]` leads into the claims, and any other path does so too. */
static bool session_value(const struct subject *subject, uint32_t path, struct value *value) {
    const struct json_document *document = permissions_of(subject);
    const struct policy_context *context = subject->context;
    if (!is_path(document, path)) {
        return false;
    }
    uint32_t first = json_first(document, path);
    if (json_string_is(document, first, TEXT("__jazz_outer_row"))) {
        return outer_value(subject, path, value);
    }
    uint32_t rest = json_after(document, path, first);
    if (json_string_is(document, first, TEXT("user_id")) || json_string_is(document, first, TEXT("userId"))) {
        uint32_t user = json_member(context->request, context->session, "userId");
        *value = value_of_raw(context->request, rest == JSON_NONE ? user : JSON_NONE);
        return true;
    }
    uint32_t claims = json_member(context->request, context->session, "claims");
    bool named = json_string_is(document, first, TEXT("claims"));
    *value = follow(subject, path, named ? rest : first, claims);
    count_value(subject, value);
    return true;
}

static bool literal_value(const struct subject *subject, uint32_t node, struct value *value) {
    if (!value_of_tagged(permissions_of(subject), node, value)) {
        return false;
    }
    count_value(subject, value);
    return true;
}

/* A policy value: `{"type":"Literal","value":tagged}` or `{"type":"SessionRef","path":[…]}`. */
static bool policy_value(const struct subject *subject, uint32_t node, struct value *value) {
    const struct json_document *document = permissions_of(subject);
    uint32_t type = json_member(document, node, "type");
    if (!json_is(document, type, JSON_STRING)) {
        return false;
    }
    if (json_string_is(document, type, TEXT("Literal"))) {
        return literal_value(subject, json_member(document, node, "value"), value);
    }
    return json_string_is(document, type, TEXT("SessionRef")) &&
           session_value(subject, json_member(document, node, "path"), value);
}

/* ---- expressions ------------------------------------------------------------------------------- */

static enum truth expression_true(const struct subject *subject, uint32_t node) {
    (void)subject;
    (void)node;
    return IS_TRUE;
}

static enum truth expression_false(const struct subject *subject, uint32_t node) {
    (void)subject;
    (void)node;
    return NOT_TRUE;
}

static enum truth expression_cmp(const struct subject *subject, uint32_t node) {
    const struct json_document *document = permissions_of(subject);
    enum comparison comparison;
    struct value left;
    struct value right;
    if (!comparison_read(document, json_member(document, node, "op"), &comparison) ||
        !column_value(subject, node, &left) || !policy_value(subject, json_member(document, node, "value"), &right)) {
        return UNKNOWN;
    }
    return truth_of(value_compare(&left, comparison, &right));
}

static enum truth expression_session_cmp(const struct subject *subject, uint32_t node) {
    const struct json_document *document = permissions_of(subject);
    enum comparison comparison;
    struct value left;
    struct value right;
    if (!comparison_read(document, json_member(document, node, "op"), &comparison) ||
        !session_value(subject, json_member(document, node, "path"), &left) ||
        !literal_value(subject, json_member(document, node, "value"), &right)) {
        return UNKNOWN;
    }
    return truth_of(value_compare(&left, comparison, &right));
}

static enum truth expression_is_null(const struct subject *subject, uint32_t node) {
    struct value value;
    return column_value(subject, node, &value) ? truth_of(value.kind == VALUE_NULL) : UNKNOWN;
}

static enum truth expression_is_not_null(const struct subject *subject, uint32_t node) {
    struct value value;
    return column_value(subject, node, &value) ? truth_of(value.kind != VALUE_NULL) : UNKNOWN;
}

static enum truth expression_contains(const struct subject *subject, uint32_t node) {
    struct value whole;
    struct value part;
    if (!column_value(subject, node, &whole) ||
        !policy_value(subject, json_member(permissions_of(subject), node, "value"), &part)) {
        return UNKNOWN;
    }
    return truth_of(value_contains(&whole, &part));
}

/* The column's value is one of those in a list that the session carries. */
static enum truth expression_in(const struct subject *subject, uint32_t node) {
    struct value part;
    struct value whole;
    if (!column_value(subject, node, &part) ||
        !session_value(subject, json_member(permissions_of(subject), node, "session_path"), &whole)) {
        return UNKNOWN;
    }
    return truth_of(whole.kind == VALUE_ARRAY && value_contains(&whole, &part));
}

/* Whether `value` equals one of the array `values`, whose elements are policy values or tagged literals. */
static enum truth one_of(const struct subject *subject, const struct value *value, uint32_t values, bool literals) {
    const struct json_document *document = permissions_of(subject);
    if (!json_is(document, values, JSON_ARRAY)) {
        return UNKNOWN;
    }
    enum truth result = NOT_TRUE;
    for (uint32_t at = json_first(document, values); at != JSON_NONE; at = json_after(document, values, at)) {
        struct value element;
        subject->context->steps++;
        bool known = literals ? literal_value(subject, at, &element) : policy_value(subject, at, &element);
        if (!known) {
            result = UNKNOWN;
        } else if (value_compare(value, COMPARE_EQ, &element)) {
            return IS_TRUE;
        }
    }
    return result;
}

static enum truth expression_in_list(const struct subject *subject, uint32_t node) {
    struct value value;
    if (!column_value(subject, node, &value)) {
        return UNKNOWN;
    }
    return one_of(subject, &value, json_member(permissions_of(subject), node, "values"), false);
}

static enum truth expression_session_in_list(const struct subject *subject, uint32_t node) {
    const struct json_document *document = permissions_of(subject);
    struct value value;
    if (!session_value(subject, json_member(document, node, "path"), &value)) {
        return UNKNOWN;
    }
    return one_of(subject, &value, json_member(document, node, "values"), true);
}

/* `decisive` ends it: one that is not true for And, one that is true for Or. */
static enum truth combine(const struct subject *subject, uint32_t node, enum truth decisive) {
    const struct json_document *document = permissions_of(subject);
    uint32_t parts = json_member(document, node, "exprs");
    if (!json_is(document, parts, JSON_ARRAY)) {
        return UNKNOWN;
    }
    enum truth result = decisive == IS_TRUE ? NOT_TRUE : IS_TRUE;
    for (uint32_t at = json_first(document, parts); at != JSON_NONE; at = json_after(document, parts, at)) {
        enum truth part = evaluate(subject, at);
        if (part == decisive) {
            return decisive;
        }
        result = part == UNKNOWN ? UNKNOWN : result;
    }
    return result;
}

static enum truth expression_and(const struct subject *subject, uint32_t node) {
    return combine(subject, node, NOT_TRUE);
}

static enum truth expression_or(const struct subject *subject, uint32_t node) {
    return combine(subject, node, IS_TRUE);
}

static enum truth expression_not(const struct subject *subject, uint32_t node) {
    enum truth inner = evaluate(subject, json_member(permissions_of(subject), node, "expr"));
    return inner == UNKNOWN ? UNKNOWN : truth_of(inner == NOT_TRUE);
}

struct exists_search {
    const struct subject *subject;
    struct text table;
    uint32_t condition;
    enum truth result;
};

static bool exists_in_row(void *context, const struct row *row) {
    struct exists_search *search = context;
    struct policy_context *policy = search->subject->context;
    struct json_document values;
    struct json_error error;
    policy_count_row(policy, row);
    if (policy_exhausted(policy) || !json_read(&values, row->values, &error)) {
        search->result = UNKNOWN;
        return false;
    }
    struct policy_row inner = {search->table, row->id, row->created_by, &values, search->subject->row};
    struct subject subject = {policy, &inner};
    enum truth part = evaluate(&subject, search->condition);
    json_free(&values);
    search->result = part == IS_TRUE ? IS_TRUE : part == UNKNOWN ? UNKNOWN : search->result;
    return part != IS_TRUE;
}

/* Some stored row of the table fits the condition; whether the session may see that row does not matter. */
static enum truth expression_exists(const struct subject *subject, uint32_t node) {
    struct policy_context *context = subject->context;
    const struct json_document *document = permissions_of(subject);
    uint32_t table = json_member(document, node, "table");
    uint32_t condition = json_member(document, node, "condition");
    if (!json_is(document, table, JSON_STRING) || condition == JSON_NONE ||
        context->exists_depth == POLICY_EXISTS_CEILING) {
        return UNKNOWN;
    }
    struct buffer name;
    buffer_init(&name, BUFFER_CEILING);
    json_decode(document, table, &name);
    struct exists_search search = {subject, buffer_text(&name), condition, NOT_TRUE};
    context->exists_depth++;
    if (name.failed || store_rows(context->store, context->app, search.table, exists_in_row, &search) != STORE_OK) {
        context->store_failed = true;
        search.result = UNKNOWN;
    }
    context->exists_depth--;
    buffer_free(&name);
    return search.result;
}

static expression find_expression(const struct json_document *document, uint32_t type) {
    static const struct {
        const char *type;
        expression evaluate;
    } expressions[] = {
        {"True", expression_true},         {"False", expression_false},
        {"Cmp", expression_cmp},           {"SessionCmp", expression_session_cmp},
        {"IsNull", expression_is_null},    {"IsNotNull", expression_is_not_null},
        {"Contains", expression_contains}, {"In", expression_in},
        {"InList", expression_in_list},    {"SessionInList", expression_session_in_list},
        {"And", expression_and},           {"Or", expression_or},
        {"Not", expression_not},           {"Exists", expression_exists},
    };
    for (size_t at = 0; json_is(document, type, JSON_STRING) && at < sizeof expressions / sizeof *expressions; at++) {
        if (json_string_is(document, type, text_of(expressions[at].type))) {
            return expressions[at].evaluate;
        }
    }
    return NULL;
}

/* Recursive over the expression: json_read holds the depth at JSON_DEPTH_CEILING, POLICY_EXISTS_CEILING what Exists
 * adds to it. */
static enum truth evaluate(const struct subject *subject, uint32_t node) {
    subject->context->steps++;
    if (policy_exhausted(subject->context)) {
        return UNKNOWN;
    }
    const struct json_document *document = permissions_of(subject);
    expression found = find_expression(document, json_member(document, node, "type"));
    return found ? found(subject, node) : UNKNOWN;
}

/* ---- what the header offers -------------------------------------------------------------------- */

uint32_t policy_condition(const struct policy_context *context, struct text table, enum policy_operation operation,
                          enum policy_clause clause) {
    static const char *const operations[] = {"select", "insert", "update", "delete"};
    static const char *const clauses[] = {"using", "with_check"};
    const struct json_document *document = context->permissions;
    uint32_t policies = json_member_text(document, 0, table);
    uint32_t policy = json_member(document, policies, operations[operation]);
    uint32_t condition = json_member(document, policy, clauses[clause]);
    if (operation == POLICY_UPDATE && !json_is(document, condition, JSON_OBJECT)) {
        condition = json_member(document, policy, clauses[clause == POLICY_USING ? POLICY_WITH_CHECK : POLICY_USING]);
    }
    return json_is(document, condition, JSON_OBJECT) ? condition : JSON_NONE;
}

bool policy_allows(struct policy_context *context, uint32_t condition, const struct policy_row *row) {
    struct subject subject = {context, row};
    return condition != JSON_NONE && evaluate(&subject, condition) == IS_TRUE;
}
