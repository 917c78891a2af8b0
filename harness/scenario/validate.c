/* Holding a value against the rules of a schema. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/nearest.h"
#include "harness/scenario/rules.h"
#include "harness/scenario/yaml.h"

/* Rules in rules while one value is checked: several for each level that YAML may have. */
#define CHECK_DEPTH_CEILING (8 * YAML_DEPTH_CEILING)

struct checker {
    const char *file;
    struct error *error; /* NULL: a trial, nothing is said */
    unsigned depth;
};

static bool check(struct checker *checker, const struct rule *rule, const struct json_value *value);

/* ---- saying what is wrong; all return false ------------------------------------------------------ */

static bool say_at(struct checker *checker, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool say_at(struct checker *checker, uint32_t line, uint32_t column, const char *format, ...) {
    if (checker->error == NULL)
        return false;
    char sentence[ERROR_TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    error_set(checker->error, ERROR_USAGE, "%s:%u:%u: %s", checker->file, line, column, sentence);
    return false;
}

/* A value that fails `rule` itself: the schema's own words, or `otherwise` behind the value's key. */
static bool say(struct checker *checker, const struct rule *rule, const struct json_value *value,
                const char *otherwise) {
    if (rule->message != NULL)
        return say_at(checker, value->line, value->column, "%s", rule->message);
    if (value->key.length > 0)
        return say_at(checker, value->line, value->column, "\"%.*s\": %s", (int)value->key.length, value->key.bytes,
                      otherwise);
    return say_at(checker, value->line, value->column, "%s", otherwise);
}

static void list_names(struct buffer *out, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        buffer_format(out, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", names[i]);
}

static bool say_unknown(struct checker *checker, const char *noun, const char *default_noun, struct text name,
                        uint32_t line, uint32_t column, const char *const *names, size_t count) {
    if (checker->error == NULL)
        return false;
    struct buffer text = {.ceiling = ERROR_TEXT_CAPACITY};
    buffer_format(&text, "unknown %s ", noun != NULL ? noun : default_noun);
    json_print_string(&text, name);
    if (nearest_name(name, names, count) != NULL) {
        nearest_suggest(&text, name, names, count);
    } else if (count > 0) {
        for (size_t i = 0; i < count; i++)
            buffer_format(&text, "%s%s", i == 0 ? ", expected one of " : ", ", names[i]);
    }
    say_at(checker, line, column, "%s", text.bytes);
    buffer_free(&text);
    return false;
}

/* ---- scalars ----------------------------------------------------------------------------------- */

static bool is_whole(const struct json_value *value) {
    return value->type == JSON_NUMBER && value->number == floor(value->number) && isfinite(value->number);
}

/* What came: scalars themselves, of lists and maps only the word. */
static void describe(struct buffer *out, const struct json_value *value) {
    struct buffer text = {.ceiling = 60};
    if (value->type == JSON_ARRAY || value->type == JSON_OBJECT)
        buffer_string(&text, value->type == JSON_ARRAY ? "a list" : "a map");
    else
        json_print(&text, value);
    buffer_append(out, text.bytes, text.length);
    if (text.overflowed)
        buffer_string(out, "…");
    buffer_free(&text);
}

static bool check_type(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    static const char *const words[] = {"null", "true or false", "a number", "a string", "a list", "a map"};
    if (rule->types == 0 || (rule->types & 1U << value->type) != 0 ||
        ((rule->types & RULE_INTEGER) != 0 && is_whole(value)))
        return true;
    if (checker->error == NULL)
        return false;
    const char *names[JSON_OBJECT + 2];
    size_t count = 0;
    for (enum json_type type = JSON_NULL; type <= JSON_OBJECT; type++)
        if ((rule->types & 1U << type) != 0)
            names[count++] = words[type];
    if ((rule->types & RULE_INTEGER) != 0)
        names[count++] = "a whole number";
    struct buffer text = {.ceiling = ERROR_TEXT_CAPACITY};
    buffer_string(&text, "expected ");
    list_names(&text, names, count);
    buffer_string(&text, ", came ");
    describe(&text, value);
    say(checker, rule, value, text.bytes);
    buffer_free(&text);
    return false;
}

/* Of a value that is no string, and so close to none of the names. */
static bool say_choices(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    struct buffer text = {.ceiling = ERROR_TEXT_CAPACITY};
    buffer_string(&text, "expected one of ");
    for (const struct json_value *choice = rule->choices->first; choice != NULL; choice = choice->next) {
        describe(&text, choice);
        buffer_string(&text, choice->next != NULL ? ", " : ", came ");
    }
    describe(&text, value);
    say(checker, rule, value, text.bytes);
    buffer_free(&text);
    return false;
}

static bool check_choices(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    size_t count = 0;
    for (const struct json_value *choice = rule->choices->first; choice != NULL; choice = choice->next, count++)
        if (json_equal(choice, value))
            return true;
    if (checker->error == NULL)
        return false;
    if (rule->message != NULL)
        return say(checker, rule, value, "this value is none of those that are allowed here");
    if (value->type != JSON_STRING)
        return say_choices(checker, rule, value);
    const char **names = memory_new(count * sizeof(*names));
    size_t named = 0;
    for (const struct json_value *choice = rule->choices->first; choice != NULL; choice = choice->next)
        if (choice->type == JSON_STRING)
            names[named++] = choice->text.bytes;
    say_unknown(checker, rule->noun, "value", value->text, value->line, value->column, names, named);
    free(names);
    return false;
}

static size_t code_points(struct text text) {
    size_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += ((unsigned char)text.bytes[i] & 0xC0) != 0x80;
    return count;
}

static bool check_string(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    if ((double)code_points(value->text) < rule->least_length)
        return say(checker, rule, value, rule->least_length > 1 ? "expected a longer string" : "expected a string that is not empty");
    if (rule->pattern == NULL)
        return true;
    if (regex_found(rule->pattern, value->text))
        return true;
    char text[200];
    snprintf(text, sizeof(text), "expected a string that matches %s", rule->pattern_source);
    return say(checker, rule, value, text);
}

static bool check_number(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    char text[120];
    if (value->number >= rule->minimum && value->number <= rule->maximum && value->number > rule->above)
        return true;
    if (value->number > rule->maximum)
        snprintf(text, sizeof(text), "expected at most %.15g", rule->maximum);
    else if (value->number < rule->minimum)
        snprintf(text, sizeof(text), "expected at least %.15g", rule->minimum);
    else
        snprintf(text, sizeof(text), "expected more than %.15g", rule->above);
    return say(checker, rule, value, text);
}

/* ---- lists and maps ---------------------------------------------------------------------------- */

static bool check_list(struct checker *checker, const struct rule *rule, const struct json_value *list) {
    char text[120];
    if ((double)list->count < rule->least_items || (double)list->count > rule->most_items) {
        bool few = (double)list->count < rule->least_items;
        snprintf(text, sizeof(text), "expected a list of %.0f or %s, this one has %zu",
                 few ? rule->least_items : rule->most_items, few ? "more" : "fewer", list->count);
        return say(checker, rule, list, text);
    }
    for (const struct json_value *item = list->first; item != NULL; item = item->next) {
        if (rule->items != NULL && !check(checker, rule->items, item))
            return false;
        for (const struct json_value *earlier = list->first; rule->unique && earlier != item; earlier = earlier->next)
            if (json_equal(earlier, item))
                return say_at(checker, item->line, item->column, "this stands in the list twice");
    }
    return true;
}

static const struct rule *property(const struct rule *rule, struct text key) {
    for (size_t i = 0; i < rule->property_count; i++)
        if (text_equal(rule->properties[i].key, key))
            return rule->properties[i].rule;
    return NULL;
}

static bool check_member(struct checker *checker, const struct rule *rule, const struct json_value *member) {
    const struct rule *own = property(rule, member->key);
    if (own == NULL && rule->additional != NULL && rule->additional->never)
        return say_unknown(checker, rule->noun, "key", member->key, member->key_line, member->key_column,
                           rule->property_names, rule->property_count);
    if (rule->names != NULL) {
        struct json_value name = {
            .type = JSON_STRING, .text = member->key, .line = member->key_line, .column = member->key_column};
        if (!check(checker, rule->names, &name))
            return false;
    }
    own = own != NULL ? own : rule->additional;
    return own == NULL || check(checker, own, member);
}

static bool has(const struct json_value *map, const struct json_value *key) {
    return json_get(map, key->text.bytes) != NULL;
}

static bool check_required(struct checker *checker, const struct rule *rule, const struct json_value *map) {
    for (const struct json_value *key = rule->required->first; key != NULL; key = key->next) {
        if (has(map, key))
            continue;
        if (checker->error == NULL)
            return false;
        char text[120];
        snprintf(text, sizeof(text), "the key \"%.80s\" is missing", key->text.bytes);
        return rule->message != NULL ? say(checker, rule, map, text)
                                     : say_at(checker, map->line, map->column, "%s", text);
    }
    return true;
}

static bool check_dependent(struct checker *checker, const struct rule *rule, const struct json_value *map) {
    for (const struct json_value *entry = rule->dependent->first; entry != NULL; entry = entry->next) {
        const struct json_value *member = json_get(map, entry->key.bytes);
        for (const struct json_value *key = entry->first; member != NULL && key != NULL; key = key->next)
            if (!has(map, key))
                return say_at(checker, member->key_line, member->key_column,
                              "\"%s\" goes with \"%s\", which is not here", entry->key.bytes, key->text.bytes);
    }
    return true;
}

static bool check_map(struct checker *checker, const struct rule *rule, const struct json_value *map) {
    char text[120];
    for (const struct json_value *member = map->first; member != NULL; member = member->next)
        if (!check_member(checker, rule, member))
            return false;
    if ((double)map->count < rule->least_members || (double)map->count > rule->most_members) {
        bool few = (double)map->count < rule->least_members;
        snprintf(text, sizeof(text), "expected a map of %.0f or %s keys, this one has %zu",
                 few ? rule->least_members : rule->most_members, few ? "more" : "fewer", map->count);
        return say(checker, rule, map, text);
    }
    return (rule->required == NULL || check_required(checker, rule, map)) &&
           (rule->dependent == NULL || check_dependent(checker, rule, map));
}

/* ---- rules of rules ---------------------------------------------------------------------------- */

static bool try_rule(const struct checker *checker, const struct rule *rule, const struct json_value *value) {
    struct checker quiet = {.file = checker->file, .depth = checker->depth};
    return check(&quiet, rule, value);
}

/* The one key that a rule asks for and says nothing more about; NULL for other rules. */
static const struct json_value *only_key(const struct rule *rule) {
    bool only = rule->required != NULL && rule->required->count == 1 && rule->node->count == 1;
    return only ? rule->required->first : NULL;
}

/* Exactly one of several keys: a common rule that deserves plain words. */
static bool say_one_key(struct checker *checker, const struct rule *rule, const struct json_value *map) {
    const struct json_value *found = NULL;
    struct buffer text = {.ceiling = ERROR_TEXT_CAPACITY};
    for (const struct json_value *member = map->first; member != NULL; member = member->next)
        for (size_t i = 0; i < rule->one.count; i++) {
            if (!text_equal(only_key(rule->one.rules[i])->text, member->key))
                continue;
            if (found != NULL) {
                buffer_free(&text);
                return say_at(checker, member->key_line, member->key_column, "\"%s\" cannot stand beside \"%s\"",
                              member->key.bytes, found->key.bytes);
            }
            found = member;
        }
    buffer_format(&text, "a %s is missing, expected one of ", rule->noun != NULL ? rule->noun : "key");
    for (size_t i = 0; i < rule->one.count; i++)
        buffer_format(&text, "%s%s", i == 0 ? "" : ", ", only_key(rule->one.rules[i])->text.bytes);
    say_at(checker, map->line, map->column, "%s", text.bytes);
    buffer_free(&text);
    return false;
}

static bool check_one(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    size_t fitting = 0;
    bool keys = value->type == JSON_OBJECT;
    for (size_t i = 0; i < rule->one.count; i++) {
        fitting += try_rule(checker, rule->one.rules[i], value);
        keys = keys && only_key(rule->one.rules[i]) != NULL;
    }
    if (fitting == 1)
        return true;
    if (keys && rule->message == NULL)
        return say_one_key(checker, rule, value);
    return say(checker, rule, value,
               fitting == 0 ? "none of the forms that are allowed here" : "this fits several forms at once");
}

static bool check_any(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    for (size_t i = 0; i < rule->any.count; i++)
        if (try_rule(checker, rule->any.rules[i], value))
            return true;
    return say(checker, rule, value, "none of the forms that are allowed here");
}

static bool check_combined(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    if (rule->not_ != NULL && try_rule(checker, rule->not_, value))
        return say(checker, rule, value, "this is not allowed here");
    for (size_t i = 0; i < rule->all.count; i++)
        if (!check(checker, rule->all.rules[i], value))
            return false;
    if (rule->any.count > 0 && !check_any(checker, rule, value))
        return false;
    if (rule->one.count > 0 && !check_one(checker, rule, value))
        return false;
    if (rule->if_ == NULL)
        return true;
    const struct rule *then = try_rule(checker, rule->if_, value) ? rule->then_ : rule->else_;
    return then == NULL || check(checker, then, value);
}

static bool check_by_type(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    switch (value->type) {
    case JSON_STRING:
        return check_string(checker, rule, value);
    case JSON_NUMBER:
        return check_number(checker, rule, value);
    case JSON_ARRAY:
        return check_list(checker, rule, value);
    case JSON_OBJECT:
        return check_map(checker, rule, value);
    default:
        return true;
    }
}

static bool check_here(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    if (rule->never)
        return say(checker, rule, value, "nothing is allowed here");
    if (rule->target != NULL && !check(checker, rule->target, value))
        return false;
    if (!check_type(checker, rule, value))
        return false;
    if (rule->choices != NULL && !check_choices(checker, rule, value))
        return false;
    if (rule->constant != NULL && !json_equal(rule->constant, value))
        return say(checker, rule, value, "this value is not the one that is allowed here");
    return check_by_type(checker, rule, value) && check_combined(checker, rule, value);
}

/* Recurses over the value's depth, which yaml_parse keeps below its ceiling. */
static bool check(struct checker *checker, const struct rule *rule, const struct json_value *value) {
    if (checker->depth == CHECK_DEPTH_CEILING)
        return say_at(checker, value->line, value->column, "the schema goes around in a circle here");
    checker->depth++;
    bool good = check_here(checker, rule, value);
    checker->depth--;
    return good;
}

bool schema_check(const struct schema *schema, const char *file, const struct json_value *value, struct error *error) {
    struct checker checker = {.file = file, .error = error};
    return check(&checker, schema->root, value);
}
