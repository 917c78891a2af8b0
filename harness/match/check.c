#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/nearest.h"
#include "harness/base/regex.h"
#include "harness/match/match.h"
#include "harness/match/operators.h"
#include "harness/match/template.h"

/* A node that is still to be checked. */
struct task {
    const struct json_value *node;
    bool in_template;
    bool is_member; /* a member of a plain object: $absent may stand here in a template */
    unsigned depth; /* operators around it */
};

struct checker {
    struct task *tasks; /* the last one is next */
    size_t count, capacity;
    struct error *error;
};

static void add_task(struct checker *checker, struct task task) {
    checker->tasks = memory_room(checker->tasks, checker->count, &checker->capacity, sizeof(*checker->tasks));
    checker->tasks[checker->count++] = task;
}

/* Adds each child as a task, in such an order that the first is checked first. */
static void add_children(struct checker *checker, struct task parent, const struct json_value *container) {
    size_t start = checker->count;
    for (const struct json_value *child = container->first; child != NULL; child = child->next)
        add_task(checker, (struct task){child, parent.in_template, container->type == JSON_OBJECT, parent.depth});
    for (size_t low = start, high = checker->count; low + 1 < high; low++) {
        struct task swap = checker->tasks[low];
        checker->tasks[low] = checker->tasks[--high];
        checker->tasks[high] = swap;
    }
}

/* ---- arguments --------------------------------------------------------------------------------- */

static const char *came(const struct json_value *value) {
    static const char *const words[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
    return words[value->type];
}

static bool wrong(struct checker *checker, const struct json_value *argument, const char *wanted) {
    struct buffer name = {.ceiling = 100};
    buffer_text(&name, argument->key);
    fault_at(checker->error, argument->line, argument->column, "%s takes %s, not %s", name.bytes, wanted,
             came(argument));
    buffer_free(&name);
    return false;
}

/* A value of that type, or an operator that may give one; whether it does is looked at when it is filled. */
static bool is_or_gives(const struct json_value *value, enum json_type type) {
    return value->type == type || operator_of(value) != OPERATOR_NONE;
}

static bool check_name(struct checker *checker, const struct json_value *argument) {
    bool good = argument->type == JSON_STRING && argument->text.length > 0;
    return good || wrong(checker, argument, "a name");
}

static bool check_true(struct checker *checker, const struct json_value *argument) {
    bool good = argument->type == JSON_BOOLEAN && argument->boolean;
    return good || fault_at(checker->error, argument->line, argument->column, "%.*s takes true and nothing else",
                            (int)argument->key.length, argument->key.bytes);
}

static bool check_list(struct checker *checker, const struct json_value *argument, size_t least) {
    if (argument->type != JSON_ARRAY)
        return wrong(checker, argument, "a list");
    return argument->count >= least ||
           fault_at(checker->error, argument->line, argument->column, "%.*s takes a list that is not empty",
                    (int)argument->key.length, argument->key.bytes);
}

static bool check_unordered(struct checker *checker, const struct json_value *argument) {
    if (!check_list(checker, argument, 0))
        return false;
    return argument->count <= UNORDERED_CEILING ||
           fault_at(checker->error, argument->line, argument->column, "$unordered takes at most %d patterns, not %zu",
                    UNORDERED_CEILING, argument->count);
}

static bool check_type(struct checker *checker, const struct json_value *argument) {
    static const char *const types[] = {"null", "boolean", "number", "string", "array", "object"};
    size_t count = sizeof(types) / sizeof(types[0]);
    if (argument->type == JSON_NULL && argument->plain)
        return true; /* `$type: null` is easily written without quotes */
    if (argument->type != JSON_STRING)
        return wrong(checker, argument, "the name of a JSON type");
    for (size_t i = 0; i < count; i++)
        if (json_is_string(argument, types[i]))
            return true;
    struct buffer text = {.ceiling = ERROR_TEXT_CAPACITY};
    buffer_string(&text, "unknown type ");
    json_print_string(&text, argument->text);
    buffer_string(&text, ", expected null, boolean, number, string, array or object");
    nearest_suggest(&text, argument->text, types, count);
    fault_at(checker->error, argument->line, argument->column, "%s", text.bytes);
    buffer_free(&text);
    return false;
}

/* The libc writes out what `{…}` repeats, and repeats in repeats: a short expression can take all memory. */
static bool has_many_repeats(const char *source) {
    double copies = 1;
    for (const char *brace = strchr(source, '{'); brace != NULL; brace = strchr(brace + 1, '{')) {
        const char *least = brace + 1, *comma = least + strspn(least, "0123456789");
        double count = strtod(*comma == ',' && comma[1] >= '0' && comma[1] <= '9' ? comma + 1 : least, NULL);
        if (*least >= '0' && *least <= '9' && count > 1)
            copies *= count;
    }
    return copies > REGEX_REPEATS;
}

static bool check_regex(struct checker *checker, const struct json_value *argument) {
    if (argument->type != JSON_STRING)
        return wrong(checker, argument, "a regular expression");
    if (argument->text.length > REGEX_CEILING || memchr(argument->text.bytes, '\0', argument->text.length) != NULL)
        return fault_at(checker->error, argument->line, argument->column,
                        "$regex takes at most %d bytes, none of them NUL", REGEX_CEILING);
    char source[REGEX_CEILING + 1];
    memcpy(source, argument->text.bytes, argument->text.length);
    source[argument->text.length] = '\0';
    if (has_many_repeats(source))
        return fault_at(checker->error, argument->line, argument->column,
                        "$regex: its repeat counts, multiplied, come to more than %d", REGEX_REPEATS);
    regex_t regex;
    int code = regex_compile(&regex, source);
    if (code != 0) {
        char reason[200];
        regerror(code, &regex, reason, sizeof(reason));
        return fault_at(checker->error, argument->line, argument->column, "not a POSIX extended regular expression: %s",
                        reason);
    }
    regfree(&regex);
    return true;
}

static bool check_json(struct checker *checker, const struct json_value *argument) {
    if (argument->type != JSON_STRING)
        return wrong(checker, argument, "a string that holds JSON");
    struct arena *arena = arena_new();
    struct error reason = {0};
    bool good = json_parse(arena, argument->text, &reason) != NULL;
    arena_free(arena);
    return good || fault_at(checker->error, argument->line, argument->column, "$json: %s", reason.text);
}

/* ---- $repeat, $nested, $concat, $plus ---------------------------------------------------------- */

/* The argument is an object with these keys and no others; the first `required` of them must be there. */
static bool check_keys(struct checker *checker, const struct json_value *argument, const char *const *keys,
                       size_t count, size_t required) {
    for (const struct json_value *member = argument->first; member != NULL; member = member->next) {
        size_t i = 0;
        while (i < count && !text_equal(member->key, text_of(keys[i])))
            i++;
        if (i < count)
            continue;
        struct buffer text = {.ceiling = ERROR_TEXT_CAPACITY};
        buffer_format(&text, "%.*s has no key ", (int)argument->key.length, argument->key.bytes);
        json_print_string(&text, member->key);
        nearest_suggest(&text, member->key, keys, count);
        fault_at(checker->error, member->key_line, member->key_column, "%s", text.bytes);
        buffer_free(&text);
        return false;
    }
    for (size_t i = 0; i < required; i++)
        if (json_get(argument, keys[i]) == NULL)
            return fault_at(checker->error, argument->line, argument->column, "%.*s needs the key \"%s\"",
                            (int)argument->key.length, argument->key.bytes, keys[i]);
    return true;
}

/* A whole number up to a ceiling, or an operator. */
static bool check_count(struct checker *checker, const struct json_value *count, double ceiling) {
    if (operator_of(count) != OPERATOR_NONE)
        return true;
    bool good = count->type == JSON_NUMBER && count->number >= 0 && count->number <= ceiling &&
                count->number == floor(count->number);
    return good || fault_at(checker->error, count->line, count->column, "\"%.*s\" takes a whole number from 0 to %.0f",
                            (int)count->key.length, count->key.bytes, ceiling);
}

static bool check_repeat(struct checker *checker, const struct json_value *argument) {
    static const char *const keys[] = {"text", "times"};
    if (argument->type != JSON_OBJECT)
        return wrong(checker, argument, "{text: …, times: …}");
    if (!check_keys(checker, argument, keys, 2, 2))
        return false;
    const struct json_value *text = json_get(argument, "text");
    return (is_or_gives(text, JSON_STRING) || wrong(checker, text, "a string")) &&
           check_count(checker, json_get(argument, "times"), (double)TEMPLATE_BYTES_CEILING);
}

static bool check_nested(struct checker *checker, const struct json_value *argument) {
    static const char *const keys[] = {"in", "levels", "with"};
    if (argument->type != JSON_OBJECT)
        return wrong(checker, argument, "{in: array or object, levels: …, with: …}");
    if (!check_keys(checker, argument, keys, 3, 2))
        return false;
    const struct json_value *in = json_get(argument, "in");
    if (!json_is_string(in, "array") && !json_is_string(in, "object"))
        return fault_at(checker->error, in->line, in->column, "\"in\" takes array or object");
    return check_count(checker, json_get(argument, "levels"), NESTED_CEILING);
}

static bool check_items(struct checker *checker, const struct json_value *argument, bool strings) {
    if (!check_list(checker, argument, 1))
        return false;
    for (const struct json_value *item = argument->first; item != NULL; item = item->next)
        if (!is_or_gives(item, JSON_NUMBER) && !(strings && item->type == JSON_STRING))
            return fault_at(checker->error, item->line, item->column, "%.*s takes %s, not %s",
                            (int)argument->key.length, argument->key.bytes, strings ? "strings and numbers" : "numbers",
                            came(item));
    return true;
}

/* ---- operators --------------------------------------------------------------------------------- */

static bool check_argument(struct checker *checker, enum operator kind, const struct json_value *argument) {
    switch (kind) {
    case OPERATOR_BIND:
    case OPERATOR_IS:
        return check_name(checker, argument);
    case OPERATOR_ANY:
    case OPERATOR_ABSENT:
        return check_true(checker, argument);
    case OPERATOR_UNORDERED:
        return check_unordered(checker, argument);
    case OPERATOR_ONE_OF:
    case OPERATOR_ALL:
        return check_list(checker, argument, 1);
    case OPERATOR_TYPE:
        return check_type(checker, argument);
    case OPERATOR_GT:
    case OPERATOR_GTE:
    case OPERATOR_LT:
    case OPERATOR_LTE:
        return is_or_gives(argument, JSON_NUMBER) || wrong(checker, argument, "a number");
    case OPERATOR_REGEX:
        return check_regex(checker, argument);
    case OPERATOR_JSON:
        return check_json(checker, argument);
    case OPERATOR_REPEAT:
        return check_repeat(checker, argument);
    case OPERATOR_NESTED:
        return check_nested(checker, argument);
    case OPERATOR_CONCAT:
    case OPERATOR_PLUS:
        return check_items(checker, argument, kind == OPERATOR_CONCAT);
    default:
        return true; /* $exactly, $not, $contains, $length, $literal take anything */
    }
}

/* Adds what in the operator's argument is a pattern or a template itself. */
static void add_parts(struct checker *checker, struct task task, enum operator kind) {
    const struct json_value *argument = task.node->first;
    struct task part = {.node = argument, .in_template = task.in_template, .depth = task.depth + 1};
    switch (kind) {
    case OPERATOR_EXACTLY:
    case OPERATOR_NOT:
    case OPERATOR_CONTAINS:
    case OPERATOR_LENGTH:
        add_task(checker, part);
        break;
    case OPERATOR_UNORDERED:
    case OPERATOR_ONE_OF:
    case OPERATOR_ALL:
        add_children(checker, part, argument);
        break;
    case OPERATOR_GT:
    case OPERATOR_GTE:
    case OPERATOR_LT:
    case OPERATOR_LTE:
        part.in_template = true;
        add_task(checker, part);
        break;
    case OPERATOR_REPEAT:
    case OPERATOR_NESTED:
    case OPERATOR_CONCAT:
    case OPERATOR_PLUS:
        part.in_template = true;
        for (const struct json_value *child = argument->first; child != NULL; child = child->next)
            add_task(checker, (struct task){child, true, false, part.depth});
        break;
    default:
        break;
    }
}

static bool check_operator(struct checker *checker, struct task task, enum operator kind) {
    const struct json_value *member = task.node->first;
    if (kind == OPERATOR_UNKNOWN)
        return operator_unknown(member, task.in_template, checker->error);
    if (task.depth >= OPERATOR_DEPTH_CEILING)
        return fault_at(checker->error, member->key_line, member->key_column,
                        "operators stand in each other more than %d deep", OPERATOR_DEPTH_CEILING);
    if (task.in_template && !operator_in_templates(kind))
        return fault_at(checker->error, member->key_line, member->key_column,
                        "%s belongs into patterns; what is sent needs a value here", operator_name(kind));
    if (task.in_template && kind == OPERATOR_ABSENT && !task.is_member)
        return fault_at(checker->error, member->key_line, member->key_column,
                        "$absent takes away a member of an object; there is none here");
    if (!check_argument(checker, kind, member))
        return false;
    add_parts(checker, task, kind);
    return true;
}

static bool check_node(struct checker *checker, struct task task) {
    enum operator kind = operator_of(task.node);
    if (kind != OPERATOR_NONE)
        return check_operator(checker, task, kind);
    const struct json_value *stray = operator_in_company(task.node);
    if (stray != NULL)
        return fault_at(checker->error, stray->key_line, stray->key_column,
                        "the operator %.*s must be the only key of its object (use $all to join several, $literal for "
                        "plain data)",
                        (int)stray->key.length, stray->key.bytes);
    add_children(checker, task, task.node);
    return true;
}

static bool check(const struct json_value *root, bool in_template, struct error *error) {
    struct checker checker = {.error = error};
    bool good = true;
    add_task(&checker, (struct task){.node = root, .in_template = in_template});
    while (good && checker.count > 0)
        good = check_node(&checker, checker.tasks[--checker.count]);
    free(checker.tasks);
    return good;
}

bool match_check(const struct json_value *pattern, struct error *error) {
    return check(pattern, false, error);
}

bool template_check(const struct json_value *value, struct error *error) {
    return check(value, true, error);
}
