#include "harness/match/operators.h"

#include <stdio.h>

#include "harness/base/nearest.h"

static const char *const names[] = {[OPERATOR_BIND] = "$bind",
                                    [OPERATOR_ANY] = "$any",
                                    [OPERATOR_EXACTLY] = "$exactly",
                                    [OPERATOR_UNORDERED] = "$unordered",
                                    [OPERATOR_CONTAINS] = "$contains",
                                    [OPERATOR_TYPE] = "$type",
                                    [OPERATOR_GT] = "$gt",
                                    [OPERATOR_GTE] = "$gte",
                                    [OPERATOR_LT] = "$lt",
                                    [OPERATOR_LTE] = "$lte",
                                    [OPERATOR_REGEX] = "$regex",
                                    [OPERATOR_NOT] = "$not",
                                    [OPERATOR_ONE_OF] = "$one-of",
                                    [OPERATOR_ALL] = "$all",
                                    [OPERATOR_LENGTH] = "$length",
                                    [OPERATOR_ABSENT] = "$absent",
                                    [OPERATOR_IS] = "$is",
                                    [OPERATOR_JSON] = "$json",
                                    [OPERATOR_LITERAL] = "$literal",
                                    [OPERATOR_REPEAT] = "$repeat",
                                    [OPERATOR_NESTED] = "$nested",
                                    [OPERATOR_CONCAT] = "$concat",
                                    [OPERATOR_PLUS] = "$plus"};

#define FIRST_NAMED OPERATOR_BIND
#define FIRST_IN_TEMPLATES OPERATOR_ABSENT
#define END (sizeof(names) / sizeof(names[0]))

static bool is_operator_key(struct text key) {
    return key.length > 0 && key.bytes[0] == '$';
}

enum operator operator_of(const struct json_value *node) {
    if (node->type != JSON_OBJECT || node->count != 1 || !is_operator_key(node->first->key))
        return OPERATOR_NONE;
    for (size_t i = FIRST_NAMED; i < END; i++)
        if (text_equal(node->first->key, text_of(names[i])))
            return (enum operator)i;
    return OPERATOR_UNKNOWN;
}

const struct json_value *operator_in_company(const struct json_value *node) {
    if (node->type != JSON_OBJECT || node->count < 2)
        return NULL;
    for (const struct json_value *member = node->first; member != NULL; member = member->next)
        if (is_operator_key(member->key))
            return member;
    return NULL;
}

bool operator_in_templates(enum operator kind) {
    return kind >= FIRST_IN_TEMPLATES;
}

bool operator_is_value(enum operator kind) {
    return kind > OPERATOR_ABSENT;
}

const char *operator_name(enum operator kind) {
    return kind >= FIRST_NAMED ? names[kind] : "";
}

bool operator_unknown(const struct json_value *member, bool in_template, struct error *error) {
    size_t first = in_template ? FIRST_IN_TEMPLATES : FIRST_NAMED;
    struct buffer text = {.ceiling = ERROR_TEXT_CAPACITY};
    buffer_string(&text, "unknown operator ");
    json_print_string(&text, member->key);
    nearest_suggest(&text, member->key, names + first, END - first);
    fault_at(error, member->key_line, member->key_column, "%s", text.bytes);
    buffer_free(&text);
    return false;
}

bool fault_at(struct error *error, uint32_t line, uint32_t column, const char *format, ...) {
    char text[ERROR_TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    error_set(error, ERROR_USAGE, "%s", text);
    return line == 0 ? false : error_context(error, "%u:%u", line, column);
}
