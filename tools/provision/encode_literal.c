#include "tools/provision/encode.h"

#include <math.h>

#define INTEGER_MAX 2147483647.0
#define INTEGER_MIN (-2147483648.0)
#define EXACT_MAX 9007199254740991.0 /* 2^53 - 1: beyond it, a double no longer tells integers apart */
#define DATE_MAX 8.64e15             /* milliseconds: a hundred million days around 1970 */

static bool refuse(struct encoder *encoder, struct json value, const char *why) {
    return problem_at(encoder->run, PROBLEM_POLICY_LITERAL, encoder->file, value, "%s", why);
}

static bool is_integer(double number) { return !(floor(number) < number) && fabs(number) <= EXACT_MAX; }

/* An integer is spelled as one: the store's integers know no `1.0` and no `1e3`. Other numbers keep their spelling. */
static bool encode_number(struct encoder *encoder, struct json value) {
    double number = json_number(encoder->run->arena, value);
    if (!isfinite(number)) return refuse(encoder, value, "the number is beyond what a double can hold");
    if (is_integer(number)) {
        bool small = number >= INTEGER_MIN && number <= INTEGER_MAX;
        builder_format(encoder->out, "{\"type\":\"%s\",\"value\":%lld}", small ? "Integer" : "BigInt", (long long)number);
        return true;
    }
    builder_add_string(encoder->out, "{\"type\":\"Double\",\"value\":");
    builder_add(encoder->out, json_raw(value));
    builder_add_string(encoder->out, "}");
    return true;
}

static bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static bool is_uuid(struct text text) {
    if (text.length != 36) return false;
    for (size_t i = 0; i < text.length; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text.bytes[i] != '-' : !is_hex_digit(text.bytes[i])) return false;
    }
    return true;
}

static bool encode_string(struct encoder *encoder, struct json value) {
    bool uuid = is_uuid(json_string(encoder->run->arena, value));
    builder_format(encoder->out, "{\"type\":\"%s\",\"value\":", uuid ? "Uuid" : "Text");
    builder_add(encoder->out, json_raw(value));
    builder_add_string(encoder->out, "}");
    return true;
}

static bool encode_array(struct encoder *encoder, struct json value) {
    builder_add_string(encoder->out, "{\"type\":\"Array\",\"value\":");
    if (!encode_list(encoder, value, encode_literal)) return false;
    builder_add_string(encoder->out, "}");
    return true;
}

static bool encode_date(struct encoder *encoder, struct json milliseconds) {
    double number = json_number(encoder->run->arena, milliseconds);
    if (!json_is(milliseconds, JSON_NUMBER) || !is_integer(number) || fabs(number) > DATE_MAX)
        return refuse(encoder, milliseconds, "a date must be a whole number of milliseconds since 1970");
    builder_format(encoder->out, "{\"type\":\"Timestamp\",\"value\":%lld}", (long long)number);
    return true;
}

static bool encode_object(struct encoder *encoder, struct json value) {
    bool marker = json_count(value) == 1;
    struct json date = json_member(value, "$date");
    if (marker && json_present(date)) return encode_date(encoder, date);
    if (marker && json_present(json_member(value, "$bytes")))
        return refuse(encoder, value, "bytes cannot stand in a policy: the store has no literal for them");
    if (json_is(json_member(value, "type"), JSON_STRING)) return encode_copy(encoder, value);
    return refuse(encoder, value, "an object is no literal, unless it is tagged with a text \"type\" or is a {\"$date\": ms}");
}

/* encode.literals: the table of section 5, row by row. */
bool encode_literal(struct encoder *encoder, struct json value) {
    if (json_is(value, JSON_NULL)) {
        builder_add_string(encoder->out, "{\"type\":\"Null\"}");
        return true;
    }
    if (json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE)) {
        builder_format(encoder->out, "{\"type\":\"Boolean\",\"value\":%s}", json_is(value, JSON_TRUE) ? "true" : "false");
        return true;
    }
    if (json_is(value, JSON_NUMBER)) return encode_number(encoder, value);
    if (json_is(value, JSON_STRING)) return encode_string(encoder, value);
    return json_is(value, JSON_ARRAY) ? encode_array(encoder, value) : encode_object(encoder, value);
}
