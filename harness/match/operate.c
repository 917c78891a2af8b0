#include <stdlib.h>
#include <string.h>

#include "harness/base/regex.h"
#include "harness/json/characters.h"
#include "harness/match/matcher.h"
#include "harness/match/template.h"

/* Notes a difference whose `wanted` is words around a pattern: "anything but 1". */
static bool differ_words(const struct walk *walk, const struct json_value *pattern, const char *before,
                         const struct json_value *described, const char *after, const struct json_value *value) {
    if (walk->quiet)
        return false;
    struct buffer wanted = {0};
    buffer_string(&wanted, before);
    describe_value(&wanted, described);
    buffer_string(&wanted, after);
    differ(walk, pattern, wanted.bytes, value);
    buffer_free(&wanted);
    return false;
}

/* ---- names ------------------------------------------------------------------------------------- */

static bool match_bound(const struct walk *walk, const struct json_value *pattern, const struct json_value *bound,
                        const struct json_value *value) {
    if (value != NULL && json_equal(bound, value))
        return true;
    if (walk->quiet)
        return false;
    struct buffer after = {0};
    buffer_format(&after, " (bound to \"%.*s\")", (int)pattern->first->text.length, pattern->first->text.bytes);
    differ_words(walk, pattern, "", bound, after.bytes, value);
    buffer_free(&after);
    return false;
}

static bool match_bind(const struct walk *walk, const struct json_value *pattern, const struct json_value *value) {
    struct bindings *bindings = walk->matcher->bindings;
    struct text name = pattern->first->text;
    const struct json_value *bound = bindings_get(bindings, name);
    if (bound != NULL)
        return match_bound(walk, pattern, bound, value);
    if (value == NULL)
        return differ_words(walk, pattern, "any value, to be bound to ", pattern->first, "", value);
    struct binding *binding = arena_alloc(bindings->arena, sizeof(*binding));
    *binding = (struct binding){.name = name, .value = (struct json_value *)(uintptr_t)value, .next = bindings->first};
    bindings->first = binding;
    return true;
}

/* An operator that stands for a value: $is, $json, $literal, $repeat, … */
static bool match_generated(const struct walk *walk, enum operator kind, const struct json_value *pattern,
                            const struct json_value *value) {
    struct bindings *bindings = walk->matcher->bindings;
    if (kind == OPERATOR_LITERAL)
        return (value != NULL && json_equal(pattern->first, value)) || differ_plain(walk, pattern->first, value);
    const struct json_value *bound = kind == OPERATOR_IS ? bindings_get(bindings, pattern->first->text) : NULL;
    if (bound != NULL)
        return match_bound(walk, pattern, bound, value);
    struct error error = {0};
    const struct json_value *generated = template_fill(pattern, bindings, &error);
    if (generated == NULL)
        return differ_fault(walk, pattern, error.text);
    return (value != NULL && json_equal(generated, value)) || differ_words(walk, pattern, "", generated, "", value);
}

/* ---- scalars ----------------------------------------------------------------------------------- */

static const char *const type_words[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};

static bool match_type(const struct walk *walk, const struct json_value *pattern, const struct json_value *value) {
    const struct json_value *name = pattern->first;
    enum json_type wanted = JSON_NULL;
    while (name->type == JSON_STRING && wanted < JSON_OBJECT && !json_is_string(name, json_type_name(wanted)))
        wanted++;
    return (value != NULL && value->type == wanted) || differ(walk, pattern, type_words[wanted], value);
}

static bool compares(enum operator kind, double value, double limit) {
    switch (kind) {
    case OPERATOR_GT:
        return value > limit;
    case OPERATOR_GTE:
        return value >= limit;
    case OPERATOR_LT:
        return value < limit;
    default:
        return value <= limit;
    }
}

static bool match_compared(const struct walk *walk, enum operator kind, const struct json_value *pattern,
                           const struct json_value *value) {
    struct error error = {0};
    const struct json_value *limit = template_fill(pattern->first, walk->matcher->bindings, &error);
    if (limit == NULL)
        return differ_fault(walk, pattern, error.text);
    if (limit->type != JSON_NUMBER)
        return differ_fault(walk, pattern, "only numbers can be compared");
    if (value != NULL && value->type == JSON_NUMBER && compares(kind, value->number, limit->number))
        return true;
    static const char *const words[] = {"a number above ", "a number from ", "a number below ", "a number up to "};
    return differ_words(walk, pattern, words[kind - OPERATOR_GT], limit, kind == OPERATOR_GTE ? " on" : "", value);
}

static bool match_regex(const struct walk *walk, const struct json_value *pattern, const struct json_value *value) {
    regex_t regex;
    char source[REGEX_CEILING + 1];
    struct text text = pattern->first->text;
    bool found = false;
    if (value != NULL && value->type == JSON_STRING) {
        memcpy(source, text.bytes, text.length);
        source[text.length] = '\0';
        if (regex_compile(&regex, source) != 0)
            return differ_fault(walk, pattern, "the regular expression does not compile");
        found = regex_found(&regex, value->text);
        regfree(&regex);
    }
    return found ||
           differ_words(walk, pattern, "a string that matches the regular expression ", pattern->first, "", value);
}

static bool match_length(const struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                         bool exact) {
    if (value == NULL || (value->type != JSON_STRING && value->type != JSON_ARRAY && value->type != JSON_OBJECT))
        return differ_words(walk, pattern, "a string, array or object of length ", pattern->first, "", value);
    size_t length = value->type == JSON_STRING ? wtf8_units(value->text) : value->count;
    if (walk_part(walk, pattern->first, json_number(walk->matcher->bindings->arena, (double)length), exact, true))
        return true;
    if (walk->quiet)
        return false;
    struct buffer wanted = {0}, came = {0};
    buffer_string(&wanted, "length ");
    describe_value(&wanted, pattern->first);
    buffer_format(&came, "length %zu: ", length);
    describe_value(&came, value);
    differ_texts(walk, pattern, NULL, (struct text){wanted.bytes, wanted.length},
                 (struct text){came.bytes, came.length});
    buffer_free(&wanted);
    buffer_free(&came);
    return false;
}

/* ---- patterns of patterns ---------------------------------------------------------------------- */

/* Tries a pattern; what it bound stays only when it matched. */
static bool try_part(const struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                     bool exact) {
    struct binding *mark = walk->matcher->bindings->first;
    bool matched = walk_part(walk, pattern, value, exact, true);
    if (!matched)
        walk_unbind(walk, mark);
    return matched;
}

static bool match_contains(const struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                           bool exact) {
    const struct json_value *wanted = pattern->first;
    if (value != NULL && value->type == JSON_ARRAY) {
        for (const struct json_value *element = value->first; element != NULL; element = element->next)
            if (try_part(walk, wanted, element, exact))
                return true;
        return differ_words(walk, pattern, "an array with an element like ", wanted, "", value);
    }
    if (operator_is_value(operator_of(wanted))) {
        struct error error = {0};
        wanted = template_fill(wanted, walk->matcher->bindings, &error);
        if (wanted == NULL)
            return differ_fault(walk, pattern, error.text);
    }
    if (value != NULL && value->type == JSON_STRING && wanted->type == JSON_STRING &&
        (wanted->text.length == 0 ||
         memmem(value->text.bytes, value->text.length, wanted->text.bytes, wanted->text.length) != NULL))
        return true;
    const char *words = wanted->type == JSON_STRING ? "a string with the part, or an array with the element, "
                                                    : "an array with an element like ";
    return differ_words(walk, pattern, words, wanted, "", value);
}

/* A value that is not there is no other value: $absent says that. */
static bool match_not(const struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                      bool exact) {
    if (value != NULL && !try_part(walk, pattern->first, value, exact))
        return true; /* or the pattern is at fault: then nothing matches any more */
    return differ_words(walk, pattern, "anything but ", pattern->first, "", value);
}

static bool match_one_of(const struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                         bool exact) {
    for (const struct json_value *choice = pattern->first->first; choice != NULL; choice = choice->next)
        if (try_part(walk, choice, value, exact))
            return true;
    return differ_words(walk, pattern, "one of ", pattern->first, "", value);
}

static bool match_all(const struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                      bool exact) {
    bool matched = true;
    for (const struct json_value *part = pattern->first->first; part != NULL && (matched || !walk->quiet);
         part = part->next)
        matched &= walk_part(walk, part, value, exact, false);
    return matched;
}

static bool match_array_unordered(struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                                  bool exact) {
    if (value == NULL || value->type != JSON_ARRAY)
        return differ_words(walk, pattern, "an array, in some order of ", pattern->first, "", value);
    return match_unordered(walk, pattern->first, value, exact);
}

bool match_operator(struct walk *walk, enum operator kind, const struct json_value *pattern,
                    const struct json_value *value, bool exact) {
    switch (kind) {
    case OPERATOR_BIND:
        return match_bind(walk, pattern, value);
    case OPERATOR_ANY:
        return value != NULL || differ(walk, pattern, "any value", value);
    case OPERATOR_ABSENT:
        return value == NULL || differ(walk, pattern, "nothing", value);
    case OPERATOR_EXACTLY:
        return walk_part(walk, pattern->first, value, true, false);
    case OPERATOR_UNORDERED:
        return match_array_unordered(walk, pattern, value, exact);
    case OPERATOR_CONTAINS:
        return match_contains(walk, pattern, value, exact);
    case OPERATOR_TYPE:
        return match_type(walk, pattern, value);
    case OPERATOR_GT:
    case OPERATOR_GTE:
    case OPERATOR_LT:
    case OPERATOR_LTE:
        return match_compared(walk, kind, pattern, value);
    case OPERATOR_REGEX:
        return match_regex(walk, pattern, value);
    case OPERATOR_NOT:
        return match_not(walk, pattern, value, exact);
    case OPERATOR_ONE_OF:
        return match_one_of(walk, pattern, value, exact);
    case OPERATOR_ALL:
        return match_all(walk, pattern, value, exact);
    case OPERATOR_LENGTH:
        return match_length(walk, pattern, value, exact);
    case OPERATOR_NONE:
    case OPERATOR_UNKNOWN:
        return differ_fault(walk, pattern, "unknown operator");
    default:
        return match_generated(walk, kind, pattern, value);
    }
}
