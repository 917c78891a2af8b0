#include "tools/provision/encode.h"

/* A policy value: a reference to the session as it is, or a literal, out of its `{value: …}` should it be in one. */
static bool encode_policy_value(struct encoder *encoder, struct json value) {
    if (json_string_is(json_member(value, "type"), "SessionRef")) return encode_copy(encoder, value);
    struct json inner = json_member(value, "value");
    builder_add_string(encoder->out, "{\"type\":\"Literal\",\"value\":");
    if (!encode_literal(encoder, json_present(inner) ? inner : value)) return false;
    builder_add_string(encoder->out, "}");
    return true;
}

/* A literal that is compared with the session: an object there is always unwrapped, a date or bytes therefore refused. */
static bool encode_bare_literal(struct encoder *encoder, struct json value) {
    if (!json_is(value, JSON_OBJECT)) return encode_literal(encoder, value);
    struct json inner = json_member(value, "value");
    if (!json_present(inner))
        return problem_at(encoder->run, PROBLEM_POLICY_LITERAL, encoder->file, value,
                          "a value that is compared with the session must be a plain literal or {\"value\": literal}");
    return encode_literal(encoder, inner);
}

static bool encode_policy_values(struct encoder *encoder, struct json list) {
    return encode_list(encoder, list, encode_policy_value);
}

static bool encode_bare_literals(struct encoder *encoder, struct json list) {
    return encode_list(encoder, list, encode_bare_literal);
}

static bool encode_expressions(struct encoder *encoder, struct json list) {
    return encode_list(encoder, list, encode_expression);
}

static const struct {
    const char *type;
    struct encoded_part parts[ENCODED_PARTS + 1];
} expressions[] = {
    {"Cmp", {{"value", encode_policy_value}}},
    {"Contains", {{"value", encode_policy_value}}},
    {"SessionCmp", {{"value", encode_bare_literal}}},
    {"SessionContains", {{"value", encode_bare_literal}}},
    {"InList", {{"values", encode_policy_values}}},
    {"SessionInList", {{"values", encode_bare_literals}}},
    {"Exists", {{"condition", encode_expression}}},
    {"ExistsRel", {{"rel", encode_relation}}},
    {"And", {{"exprs", encode_expressions}}},
    {"Or", {{"exprs", encode_expressions}}},
    {"Not", {{"expr", encode_expression}}},
};

/* encode.expressions: those that hold a literal somewhere; all others pass unchanged. */
bool encode_expression(struct encoder *encoder, struct json value) {
    struct json type = json_member(value, "type");
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++)
        if (json_string_is(type, expressions[i].type)) return encode_parts(encoder, value, expressions[i].parts);
    return encode_copy(encoder, value);
}
