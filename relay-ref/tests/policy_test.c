#include "relay-ref/core/policy.h"

#include <criterion/criterion.h>
#include <string.h>

#include "relay-ref/core/pattern.h"

static struct json_value value_of(const char *text) {
    struct json_value value = {.kind = JSON_ABSENT};
    if (text != NULL)
        cr_assert_eq(relay_json_check(text, strlen(text), &value), JSON_FINE, "%s", text);
    return value;
}

static struct relay_policy *policy_of(const char *json) {
    char reason[200] = "";
    struct relay_policy *policy = relay_policy_read((struct relay_text){json, strlen(json)}, reason, sizeof reason);
    cr_assert_not_null(policy, "%s: %s", json, reason);
    return policy;
}

static struct relay_text text_of_string(const char *string) {
    return (struct relay_text){string, string == NULL ? 0 : strlen(string)};
}

static void may(const struct relay_policy *policy, const char *writer, const char *kind, const char *claims,
                const char *path, bool wanted) {
    struct relay_principal principal = {text_of_string(writer), text_of_string(kind), text_of_string(claims)};
    cr_expect_eq(relay_policy_can_write(policy, &principal, value_of(path)), wanted ? POLICY_YES : POLICY_NO,
                 "%s %s %s %s", writer, kind, claims, path);
}

Test(policy, prefixes) {
    struct relay_policy *policy = policy_of("{\"acl\":[{\"prefix\":[\"a\",\"*\",3],\"allow\":true}]}");
    may(policy, "w", NULL, NULL, "[\"a\",\"x\",3]", true);
    may(policy, "w", NULL, NULL, "[\"a\",0,\"3\",\"deeper\"]", true);
    may(policy, "w", NULL, NULL, "[\"\\u0061\",0,3.0]", true);
    may(policy, "w", NULL, NULL, "[\"a\",\"x\"]", false);
    may(policy, "w", NULL, NULL, "[\"a\",\"x\",4]", false);
    may(policy, "w", NULL, NULL, "[\"b\",\"x\",3]", false);
    may(policy, "w", NULL, NULL, "[]", false);
    relay_policy_free(policy);
}

Test(policy, empty_prefix_and_empty_list) {
    struct relay_policy *all = policy_of("{\"acl\":[{\"prefix\":[],\"allow\":true}]}");
    may(all, "w", NULL, NULL, "[]", true);
    may(all, "w", NULL, NULL, "[\"x\"]", true);
    relay_policy_free(all);
    struct relay_policy *none = policy_of("{\"acl\":[]}");
    may(none, "w", NULL, NULL, "[]", false);
    relay_policy_free(none);
    struct relay_policy *off = policy_of("{}");
    may(off, "w", NULL, NULL, "[]", true);
    relay_policy_free(off);
}

Test(policy, who) {
    struct relay_policy *policy =
        policy_of("{\"acl\":[{\"prefix\":[\"k\"],\"allow\":{\"kind\":\"human\"}},{\"prefix\":[\"w\"],\"allow\":{"
                  "\"writer\":\"ana\"}},"
                  "{\"prefix\":[\"c\"],\"allow\":{\"claims\":{\"role\":\"editor\",\"of\":{\"team\":1}}}},"
                  "{\"prefix\":[\"both\"],\"allow\":{\"kind\":\"human\",\"writer\":\"ana\"}}]}");
    may(policy, "ana", "human", NULL, "[\"k\"]", true);
    may(policy, "ana", "agent", NULL, "[\"k\"]", false);
    may(policy, "ana", NULL, NULL, "[\"k\"]", false);
    may(policy, "ana", NULL, NULL, "[\"w\"]", true);
    may(policy, "ben", NULL, NULL, "[\"w\"]", false);
    may(policy, "x", NULL, "{\"role\":\"editor\",\"more\":1,\"of\":{\"team\":1.0,\"x\":2}}", "[\"c\"]", true);
    may(policy, "x", NULL, "{\"role\":\"editor\"}", "[\"c\"]", false);
    may(policy, "x", NULL, NULL, "[\"c\"]", false);
    may(policy, "ana", "human", NULL, "[\"both\"]", true);
    may(policy, "ben", "human", NULL, "[\"both\"]", false);
    relay_policy_free(policy);
}

Test(policy, what_it_does_not_know_is_refused_with_a_sentence) {
    static const char *const unknown[] = {
        "",
        "[]",
        "{\"canBump\":true}",
        "{\"acl\":{}}",
        "{\"acl\":[1]}",
        "{\"acl\":[{\"prefix\":[],\"allow\":1}]}",
        "{\"acl\":[{\"prefix\":[]}]}",
        "{\"acl\":[{\"allow\":true}]}",
        "{\"acl\":[{\"prefix\":\"a\",\"allow\":true}]}",
        "{\"acl\":[{\"prefix\":[null],\"allow\":true}]}",
        "{\"acl\":[{\"prefix\":[],\"allow\":{\"age\":3}}]}",
        "{\"acl\":[{\"prefix\":[],\"allow\":true,\"more\":1}]}",
        "{\"validate\":[{\"prefix\":[],\"deny\":{\"$regex\":\"a\"}}]}",
        "{\"validate\":[{\"prefix\":[],\"deny\":{\"$type\":\"integer\"}}]}",
        "{\"validate\":[{\"prefix\":[],\"deny\":{\"$lt\":\"1\"}}]}",
        "{\"validate\":[{\"prefix\":[],\"deny\":{\"a\":{\"$lt\":1,\"$gt\":2}}}]}",
        "{} x",
        "{\"acl\":[]",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        char reason[200] = "";
        cr_expect_null(relay_policy_read(text_of_string(unknown[i]), reason, sizeof reason), "%s", unknown[i]);
        cr_expect(strlen(reason) > 10, "%s", unknown[i]);
    }
}

Test(policy, validate_looks_at_next_below_the_prefix) {
    struct relay_policy *policy = policy_of("{\"validate\":[{\"prefix\":[\"n\",\"*\"],\"deny\":{\"$lt\":0}}]}");
    cr_expect_eq(relay_policy_validate(policy, value_of("[\"n\",1]"), value_of("-1")), POLICY_NO);
    cr_expect_eq(relay_policy_validate(policy, value_of("[\"n\",1,2]"), value_of("-1")), POLICY_NO);
    cr_expect_eq(relay_policy_validate(policy, value_of("[\"n\",1]"), value_of("0")), POLICY_YES);
    cr_expect_eq(relay_policy_validate(policy, value_of("[\"n\"]"), value_of("-1")), POLICY_YES);
    cr_expect_eq(relay_policy_validate(policy, value_of("[\"n\",1]"), value_of(NULL)), POLICY_YES, "a delete");
    relay_policy_free(policy);
}

static void matches(const char *pattern, const char *value, bool wanted) {
    char reason[200] = "";
    bool failed = false;
    cr_assert(relay_pattern_check(value_of(pattern), reason, sizeof reason), "%s: %s", pattern, reason);
    cr_expect_eq(relay_pattern_matches(value_of(pattern), value_of(value), &failed), wanted, "%s on %s", pattern,
                 value);
    cr_expect_not(failed);
}

Test(pattern, plain_values) {
    matches("1", "1.0", true);
    matches("1", "\"1\"", false);
    matches("null", "null", true);
    matches("null", NULL, false);
    matches("true", "false", false);
    matches("\"a\\u0062\"", "\"ab\"", true);
    matches("{\"a\":1}", "{\"b\":2,\"\\u0061\":1}", true);
    matches("{\"a\":1}", "{\"a\":1,\"a\":2}", false);
    matches("{\"a\":1}", "[1]", false);
    matches("{}", "{\"a\":1}", true);
    matches("[1,{\"a\":2}]", "[1,{\"a\":2,\"b\":3}]", true);
    matches("[1]", "[1,2]", false);
    matches("[1,2]", "[1]", false);
    matches("[]", "[]", true);
}

Test(pattern, operators) {
    matches("{\"$type\":\"number\"}", "1", true);
    matches("{\"$type\":\"boolean\"}", "false", true);
    matches("{\"$type\":\"boolean\"}", "true", true);
    matches("{\"$type\":\"null\"}", "null", true);
    matches("{\"$type\":\"null\"}", NULL, false);
    matches("{\"$type\":\"array\"}", "{}", false);
    matches("{\"$gt\":1}", "1", false);
    matches("{\"$gte\":1}", "1", true);
    matches("{\"$lt\":1}", "0.5", true);
    matches("{\"$lte\":1}", "1.5", false);
    matches("{\"$lt\":1}", "\"0\"", false);
    matches("{\"$any\":true}", "null", true);
    matches("{\"$any\":true}", NULL, false);
    matches("{\"a\":{\"$absent\":true}}", "{\"b\":1}", true);
    matches("{\"a\":{\"$absent\":true}}", "{\"a\":1}", false);
    matches("{\"$not\":{\"$type\":\"string\"}}", "1", true);
    matches("{\"$one-of\":[1,2]}", "2", true);
    matches("{\"$one-of\":[]}", "2", false);
    matches("{\"$all\":[{\"$gt\":1},{\"$lt\":3}]}", "2", true);
    matches("{\"$all\":[{\"$gt\":1},{\"$lt\":3}]}", "3", false);
}

Test(pattern, depth_has_a_ceiling) {
    char deep[PATTERN_DEPTH * 2 + 3] = "", reason[200] = "";
    memset(deep, '[', PATTERN_DEPTH);
    memset(deep + PATTERN_DEPTH, ']', PATTERN_DEPTH);
    cr_expect(relay_pattern_check(value_of(deep), reason, sizeof reason));
    memset(deep, '[', PATTERN_DEPTH + 1);
    memset(deep + PATTERN_DEPTH + 1, ']', PATTERN_DEPTH + 1);
    cr_expect_not(relay_pattern_check(value_of(deep), reason, sizeof reason));
    cr_expect_not_null(strstr(reason, "64 levels"));
}
