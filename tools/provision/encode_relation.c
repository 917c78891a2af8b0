#include "tools/provision/encode.h"

/* One kind of relation or predicate: an object with its name as the only key. */
struct variant {
    const char *name;
    struct encoded_part parts[ENCODED_PARTS + 1];
    encode_function *whole; /* instead of parts: how the variant's value itself is encoded */
};

/* Encodes the value of the member `value` as its variant says; members of unknown name are copied. */
static bool encode_variant(struct encoder *encoder, struct json value, const struct variant *variants) {
    struct text name = json_key(encoder->run->arena, value);
    for (; variants->name != NULL; variants++)
        if (text_is(name, variants->name))
            return variants->whole != NULL ? variants->whole(encoder, value) : encode_parts(encoder, value, variants->parts);
    return encode_copy(encoder, value);
}

/* ---- predicates -------------------------------------------------------------------------------- */

static bool encode_literal_member(struct encoder *encoder, struct json member) {
    bool literal = text_is(json_key(encoder->run->arena, member), "Literal");
    return literal ? encode_literal(encoder, member) : encode_copy(encoder, member);
}

/* A value ref: `{"Literal": raw}` is tagged, a column or session reference passes. */
static bool encode_value_ref(struct encoder *encoder, struct json value) {
    if (!json_is(value, JSON_OBJECT)) return encode_copy(encoder, value);
    return encode_members(encoder, value, encode_literal_member);
}

static bool encode_value_refs(struct encoder *encoder, struct json list) {
    return encode_list(encoder, list, encode_value_ref);
}

static encode_function encode_predicate;

static bool encode_predicates(struct encoder *encoder, struct json list) {
    return encode_list(encoder, list, encode_predicate);
}

static const struct variant predicates[] = {
    {.name = "Cmp", .parts = {{"right", encode_value_ref}}},
    {.name = "Contains", .parts = {{"right", encode_value_ref}}},
    {.name = "In", .parts = {{"values", encode_value_refs}}},
    {.name = "And", .whole = encode_predicates},
    {.name = "Or", .whole = encode_predicates},
    {.name = "Not", .whole = encode_predicate},
    {.name = NULL},
};

static bool encode_predicate_member(struct encoder *encoder, struct json member) {
    return encode_variant(encoder, member, predicates);
}

static bool encode_predicate(struct encoder *encoder, struct json value) {
    if (!json_is(value, JSON_OBJECT)) return encode_copy(encoder, value);
    return encode_members(encoder, value, encode_predicate_member);
}

/* ---- relations --------------------------------------------------------------------------------- */

static bool encode_relations(struct encoder *encoder, struct json list) {
    return encode_list(encoder, list, encode_relation);
}

static const struct variant relations[] = {
    {.name = "Filter", .parts = {{"input", encode_relation}, {"predicate", encode_predicate}}},
    {.name = "Union", .parts = {{"inputs", encode_relations}}},
    {.name = "Join", .parts = {{"left", encode_relation}, {"right", encode_relation}}},
    {.name = "Gather", .parts = {{"seed", encode_relation}, {"step", encode_relation}}},
    {.name = "Project", .parts = {{"input", encode_relation}}},
    {.name = "Distinct", .parts = {{"input", encode_relation}}},
    {.name = "OrderBy", .parts = {{"input", encode_relation}}},
    {.name = "Offset", .parts = {{"input", encode_relation}}},
    {.name = "Limit", .parts = {{"input", encode_relation}}},
    {.name = NULL},
};

static bool encode_relation_member(struct encoder *encoder, struct json member) {
    return encode_variant(encoder, member, relations);
}

/* encode.relations: those that hold a literal somewhere; all others pass unchanged. */
bool encode_relation(struct encoder *encoder, struct json value) {
    if (!json_is(value, JSON_OBJECT)) return encode_copy(encoder, value);
    return encode_members(encoder, value, encode_relation_member);
}
