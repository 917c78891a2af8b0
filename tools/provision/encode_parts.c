#include "tools/provision/encode.h"

#include <string.h>

bool encode_copy(struct encoder *encoder, struct json value) {
    builder_add(encoder->out, json_raw(value));
    return true;
}

bool encode_list(struct encoder *encoder, struct json list, encode_function *encode) {
    if (!json_is(list, JSON_ARRAY))
        return problem_at(encoder->run, PROBLEM_BAD_INPUT, encoder->file, list, "a list must stand here");
    const char *before = "";
    builder_add_string(encoder->out, "[");
    for (struct json element = json_first(list); json_present(element); element = json_next(element)) {
        builder_add_string(encoder->out, before);
        if (!encode(encoder, element)) return false;
        before = ",";
    }
    builder_add_string(encoder->out, "]");
    return true;
}

static void add_key(struct encoder *encoder, const char *before, struct json member) {
    builder_add_string(encoder->out, before);
    builder_add(encoder->out, json_raw_key(member));
    builder_add_string(encoder->out, ":");
}

bool encode_members(struct encoder *encoder, struct json object, encode_function *encode) {
    const char *before = "";
    builder_add_string(encoder->out, "{");
    for (struct json member = json_first(object); json_present(member); member = json_next(member)) {
        add_key(encoder, before, member);
        if (!encode(encoder, member)) return false;
        before = ",";
    }
    builder_add_string(encoder->out, "}");
    return true;
}

static encode_function *encoding_of(struct encoder *encoder, struct json member, const struct encoded_part *parts) {
    struct text name = json_key(encoder->run->arena, member);
    for (; parts->name != NULL; parts++)
        if (text_is(name, parts->name)) return parts->encode;
    return encode_copy;
}

static bool check_complete(struct encoder *encoder, struct json object, const struct encoded_part *parts) {
    if (!json_is(object, JSON_OBJECT))
        return problem_at(encoder->run, PROBLEM_BAD_INPUT, encoder->file, object, "an object must stand here");
    for (; parts->name != NULL; parts++) {
        if (json_present(json_member(object, parts->name))) continue;
        enum problem_code code = strcmp(parts->name, "value") == 0 ? PROBLEM_POLICY_LITERAL : PROBLEM_BAD_INPUT;
        return problem_at(encoder->run, code, encoder->file, object, "the condition has no \"%s\"", parts->name);
    }
    return true;
}

bool encode_parts(struct encoder *encoder, struct json object, const struct encoded_part *parts) {
    if (!check_complete(encoder, object, parts)) return false;
    const char *before = "";
    builder_add_string(encoder->out, "{");
    for (struct json member = json_first(object); json_present(member); member = json_next(member)) {
        add_key(encoder, before, member);
        if (!encoding_of(encoder, member, parts)(encoder, member)) return false;
        before = ",";
    }
    builder_add_string(encoder->out, "}");
    return true;
}
