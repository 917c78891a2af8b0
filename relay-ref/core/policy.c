#include "relay-ref/core/policy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/path.h"
#include "relay-ref/core/pattern.h"
#include "relay-ref/json/string.h"

struct policy_rule {
    struct json_value prefix;
    struct json_value pattern; /* `allow` or `deny` */
};

struct policy_rules {
    struct policy_rule *items; /* owned */
    size_t count, capacity;
};

struct relay_policy {
    char *text; /* owned: what the rules point into */
    bool has_acl;
    struct policy_rules acl, validate;
    struct json_value can_bump; /* the `allow`; JSON_ABSENT when anybody may */
    bool verify_citations;
};

/* ---- reading ------------------------------------------------------------------------------------- */

struct policy_reader {
    struct json_scanner scanner;
    char *reason;
    size_t capacity;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct policy_reader *reader, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->reason, reader->capacity, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_path(struct json_value value) {
    struct json_scanner scanner;
    struct json_value segment;
    if (value.kind != JSON_ARRAY)
        return false;
    bool fits = true;
    relay_scan_start(&scanner, value.bytes, value.length);
    relay_scan_enter(&scanner);
    while (fits && relay_scan_element(&scanner) && relay_scan_value(&scanner, &segment))
        fits = segment.kind == JSON_STRING || segment.kind == JSON_NUMBER;
    relay_scan_end(&scanner);
    return fits;
}

/* `allow` is true, or an object over the principal's kind, writer and claims. */
static bool check_allow(struct policy_reader *reader, struct json_value allow) {
    struct json_scanner scanner;
    struct json_value name, value;
    if (allow.kind == JSON_TRUE)
        return true;
    if (allow.kind != JSON_OBJECT)
        return refuse(reader, "An acl rule's allow is neither true nor an object.");
    bool known = true;
    relay_scan_start(&scanner, allow.bytes, allow.length);
    relay_scan_enter(&scanner);
    while (known && relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &value))
        known = relay_string_is(&name, "kind") || relay_string_is(&name, "writer") || relay_string_is(&name, "claims");
    relay_scan_end(&scanner);
    if (!known)
        return refuse(reader, "An acl rule's allow asks for something other than kind, writer and claims.");
    return relay_pattern_check(allow, reader->reason, reader->capacity);
}

static bool add_rule(struct policy_reader *reader, struct policy_rules *rules, const struct policy_rule *rule) {
    if (rules->count == rules->capacity) {
        size_t capacity = rules->capacity == 0 ? 4 : rules->capacity * 2;
        struct policy_rule *items = realloc(rules->items, capacity * sizeof *items);
        if (items == NULL)
            return refuse(reader, "Memory is out.");
        rules->items = items;
        rules->capacity = capacity;
    }
    rules->items[rules->count++] = *rule;
    return true;
}

static bool read_rule(struct policy_reader *reader, struct policy_rules *rules, const char *condition) {
    struct policy_rule rule = {{.kind = JSON_ABSENT}, {.kind = JSON_ABSENT}};
    struct json_value name;
    if (relay_scan_peek(&reader->scanner) != JSON_OBJECT)
        return refuse(reader, "A policy rule is not an object.");
    relay_scan_enter(&reader->scanner);
    while (relay_scan_member(&reader->scanner, &name)) {
        struct json_value *into = relay_string_is(&name, "prefix")    ? &rule.prefix
                                  : relay_string_is(&name, condition) ? &rule.pattern
                                                                      : NULL;
        if (into == NULL)
            return refuse(reader, "A policy rule has a member other than prefix and %s.", condition);
        if (!relay_scan_value(&reader->scanner, into))
            return false;
    }
    if (!is_path(rule.prefix))
        return refuse(reader, "A policy rule's prefix is not an array of strings and numbers.");
    if (rule.pattern.kind == JSON_ABSENT)
        return refuse(reader, "A policy rule has no %s.", condition);
    bool fits = strcmp(condition, "allow") == 0 ? check_allow(reader, rule.pattern)
                                                : relay_pattern_check(rule.pattern, reader->reason, reader->capacity);
    return fits && add_rule(reader, rules, &rule);
}

static bool read_rules(struct policy_reader *reader, struct policy_rules *rules, const char *condition) {
    if (relay_scan_peek(&reader->scanner) != JSON_ARRAY)
        return refuse(reader, "A policy's list of rules is not an array.");
    relay_scan_enter(&reader->scanner);
    while (relay_scan_element(&reader->scanner))
        if (!read_rule(reader, rules, condition))
            return false;
    return true;
}

/* `{"allow":…}` */
static bool read_can_bump(struct policy_reader *reader, struct relay_policy *policy) {
    struct json_value name;
    policy->can_bump = (struct json_value){.kind = JSON_ABSENT};
    if (relay_scan_peek(&reader->scanner) != JSON_OBJECT)
        return refuse(reader, "The policy canBump is not an object.");
    relay_scan_enter(&reader->scanner);
    while (relay_scan_member(&reader->scanner, &name)) {
        if (!relay_string_is(&name, "allow"))
            return refuse(reader, "The policy canBump has a member other than allow.");
        if (!relay_scan_value(&reader->scanner, &policy->can_bump))
            return false;
    }
    if (policy->can_bump.kind == JSON_ABSENT)
        return refuse(reader, "The policy canBump has no allow.");
    return check_allow(reader, policy->can_bump);
}

static bool read_verify_citations(struct policy_reader *reader, struct relay_policy *policy) {
    struct json_value value;
    if (!relay_scan_value(&reader->scanner, &value))
        return false;
    policy->verify_citations = value.kind == JSON_TRUE;
    return value.kind == JSON_TRUE || value.kind == JSON_FALSE ||
           refuse(reader, "The policy verifyCitations is neither true nor false.");
}

static bool read_lists(struct policy_reader *reader, struct relay_policy *policy, const struct json_value *name) {
    bool acl = relay_string_is(name, "acl");
    if (!acl && !relay_string_is(name, "validate"))
        return refuse(reader, "This relay does not know the policy %.*s.", name->length > 60 ? 60 : (int)name->length,
                      name->bytes);
    policy->has_acl = policy->has_acl || acl;
    return read_rules(reader, acl ? &policy->acl : &policy->validate, acl ? "allow" : "deny");
}

static bool read_policy(struct policy_reader *reader, struct relay_policy *policy) {
    struct json_value name;
    if (relay_scan_peek(&reader->scanner) != JSON_OBJECT)
        return refuse(reader, "The policy is not an object.");
    relay_scan_enter(&reader->scanner);
    while (relay_scan_member(&reader->scanner, &name)) {
        bool taken = relay_string_is(&name, "canBump")           ? read_can_bump(reader, policy)
                     : relay_string_is(&name, "verifyCitations") ? read_verify_citations(reader, policy)
                                                                 : read_lists(reader, policy, &name);
        if (!taken)
            return false;
    }
    return relay_scan_finish(&reader->scanner);
}

struct relay_policy *relay_policy_read(struct relay_text json, char *reason, size_t capacity) {
    struct policy_reader reader = {.reason = reason, .capacity = capacity};
    struct relay_policy *policy = calloc(1, sizeof *policy);
    refuse(&reader, "The policy is not well-formed JSON, or memory is out.");
    if (policy == NULL || (policy->text = malloc(json.length + 1)) == NULL) {
        free(policy);
        return NULL;
    }
    memcpy(policy->text, json.bytes, json.length);
    relay_scan_start(&reader.scanner, policy->text, json.length);
    bool fine = read_policy(&reader, policy);
    relay_scan_end(&reader.scanner);
    if (fine)
        return policy;
    relay_policy_free(policy);
    return NULL;
}

void relay_policy_free(struct relay_policy *policy) {
    if (policy == NULL)
        return;
    free(policy->acl.items);
    free(policy->validate.items);
    free(policy->text);
    free(policy);
}

/* ---- asking -------------------------------------------------------------------------------------- */

static bool segment_fits(const struct path_segment *wanted, const struct path_segment *given) {
    if (wanted->key.length == 1 && wanted->key.bytes[0] == '*' && !wanted->number)
        return true;
    return wanted->key.length == given->key.length &&
           memcmp(wanted->key.bytes, given->key.bytes, given->key.length) == 0;
}

static bool prefix_fits(struct json_value prefix, struct json_value path, bool *failed) {
    struct path_reader wanted, given;
    struct path_segment want, have;
    bool fits = true;
    relay_path_start(&wanted, prefix);
    relay_path_start(&given, path);
    while (fits && relay_path_next(&wanted, &want))
        fits = relay_path_next(&given, &have) && segment_fits(&want, &have);
    *failed = *failed || wanted.failed || given.failed;
    relay_path_end(&given);
    relay_path_end(&wanted);
    return fits;
}

static bool text_matches(struct json_value pattern, struct relay_text text) {
    return text.bytes != NULL && relay_string_equals(&pattern, text.bytes, text.length);
}

static bool claims_match(struct json_value pattern, struct relay_text claims, bool *failed) {
    struct json_value value = {.kind = JSON_ABSENT};
    if (claims.bytes != NULL) {
        enum json_error error = relay_json_check(claims.bytes, claims.length, &value);
        *failed = *failed || error == JSON_NO_MEMORY;
        if (error != JSON_FINE)
            return false;
    }
    return relay_pattern_matches(pattern, value, failed);
}

static bool allows(struct json_value allow, const struct relay_principal *principal, bool *failed) {
    struct json_scanner scanner;
    struct json_value name, wanted;
    if (allow.kind == JSON_TRUE)
        return true;
    bool holds = true;
    relay_scan_start(&scanner, allow.bytes, allow.length);
    relay_scan_enter(&scanner);
    while (holds && relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &wanted))
        holds = relay_string_is(&name, "kind")     ? text_matches(wanted, principal->kind)
                : relay_string_is(&name, "writer") ? text_matches(wanted, principal->writer)
                                                   : claims_match(wanted, principal->claims, failed);
    relay_scan_end(&scanner);
    return holds;
}

static enum policy_answer answer(bool yes, bool failed) {
    return failed ? POLICY_NO_MEMORY : yes ? POLICY_YES : POLICY_NO;
}

enum policy_answer relay_policy_can_write(const struct relay_policy *policy, const struct relay_principal *principal,
                                          struct json_value path) {
    bool granted = !policy->has_acl, failed = false;
    for (size_t i = 0; !granted && !failed && i < policy->acl.count; i++)
        granted = prefix_fits(policy->acl.items[i].prefix, path, &failed) &&
                  allows(policy->acl.items[i].pattern, principal, &failed);
    return answer(granted, failed);
}

enum policy_answer relay_policy_validate(const struct relay_policy *policy, struct json_value path,
                                         struct json_value next) {
    bool denied = false, failed = false;
    for (size_t i = 0; !denied && !failed && i < policy->validate.count; i++)
        denied = prefix_fits(policy->validate.items[i].prefix, path, &failed) &&
                 relay_pattern_matches(policy->validate.items[i].pattern, next, &failed);
    return answer(!denied, failed);
}

bool relay_policy_guards_bumps(const struct relay_policy *policy) {
    return policy != NULL && policy->can_bump.kind != JSON_ABSENT;
}

enum policy_answer relay_policy_can_bump(const struct relay_policy *policy, const struct relay_principal *principal) {
    bool failed = false, granted = allows(policy->can_bump, principal, &failed);
    return answer(granted, failed);
}

bool relay_policy_verifies_citations(const struct relay_policy *policy) {
    return policy != NULL && policy->verify_citations;
}
