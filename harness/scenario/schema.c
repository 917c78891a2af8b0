/* Reading a schema into rules. */
#include "harness/scenario/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/nearest.h"
#include "harness/scenario/rules.h"
#include "harness/scenario/yaml.h"

struct compiler {
    struct schema *schema;
    const char *file;
    struct error *error;
    unsigned depth;
};

static struct rule *compile(struct compiler *compiler, const struct json_value *node);

static bool fault(struct compiler *compiler, const struct json_value *node, const char *what) {
    return error_set(compiler->error, ERROR_USAGE, "%s:%u:%u: not a schema: %s", compiler->file, node->line,
                     node->column, what);
}

static const char *string_of(struct compiler *compiler, const struct json_value *node) {
    if (node->type == JSON_STRING)
        return node->text.bytes; /* yaml_parse puts a NUL behind every text */
    fault(compiler, node, "expected a string");
    return NULL;
}

/* ---- keywords with a plain value ---------------------------------------------------------------- */

static bool read_type_name(struct compiler *compiler, const struct json_value *node, unsigned *types) {
    if (json_is_string(node, "integer")) {
        *types |= RULE_INTEGER;
        return true;
    }
    for (enum json_type type = JSON_NULL; type <= JSON_OBJECT; type++)
        if (json_is_string(node, json_type_name(type))) {
            *types |= 1U << type;
            return true;
        }
    return fault(compiler, node, "unknown type");
}

static bool read_types(struct compiler *compiler, const struct json_value *node, struct rule *rule) {
    if (node->type != JSON_ARRAY)
        return read_type_name(compiler, node, &rule->types);
    for (const struct json_value *name = node->first; name != NULL; name = name->next)
        if (!read_type_name(compiler, name, &rule->types))
            return false;
    return true;
}

static bool read_number(struct compiler *compiler, const struct json_value *node, double *number) {
    if (node->type != JSON_NUMBER)
        return fault(compiler, node, "expected a number");
    *number = node->number;
    return true;
}

static bool read_list(struct compiler *compiler, const struct json_value *node, const struct json_value **list) {
    if (node->type != JSON_ARRAY || node->count == 0)
        return fault(compiler, node, "expected a list that is not empty");
    *list = node;
    return true;
}

static bool read_pattern(struct compiler *compiler, const struct json_value *node, struct rule *rule) {
    rule->pattern_source = string_of(compiler, node);
    if (rule->pattern_source == NULL)
        return false;
    regex_t *pattern = arena_alloc(compiler->schema->arena, sizeof(*pattern));
    if (regex_compile(pattern, rule->pattern_source) != 0)
        return fault(compiler, node, "the pattern is no regular expression");
    rule->pattern = pattern;
    return true;
}

/* ---- keywords that hold schemas ----------------------------------------------------------------- */

static bool read_rule(struct compiler *compiler, const struct json_value *node, struct rule **rule) {
    *rule = compile(compiler, node);
    return *rule != NULL;
}

static bool read_rules(struct compiler *compiler, const struct json_value *node, struct rule_list *list) {
    if (node->type != JSON_ARRAY || node->count == 0)
        return fault(compiler, node, "expected a list of schemas");
    list->rules = arena_alloc(compiler->schema->arena, node->count * sizeof(*list->rules));
    for (const struct json_value *child = node->first; child != NULL; child = child->next)
        if (!read_rule(compiler, child, &list->rules[list->count++]))
            return false;
    return true;
}

static bool read_properties(struct compiler *compiler, const struct json_value *node, struct rule *rule) {
    struct arena *arena = compiler->schema->arena;
    if (node->type != JSON_OBJECT)
        return fault(compiler, node, "expected a map of schemas");
    rule->properties = arena_alloc(arena, node->count * sizeof(*rule->properties));
    rule->property_names = arena_alloc(arena, node->count * sizeof(*rule->property_names));
    for (const struct json_value *child = node->first; child != NULL; child = child->next) {
        struct rule_property *property = &rule->properties[rule->property_count];
        property->key = child->key;
        rule->property_names[rule->property_count++] = child->key.bytes;
        if (!read_rule(compiler, child, &property->rule))
            return false;
    }
    return true;
}

static bool read_definitions(struct compiler *compiler, const struct json_value *node) {
    struct schema *schema = compiler->schema;
    if (node->type != JSON_OBJECT || compiler->depth > 1)
        return fault(compiler, node, "$defs is a map of schemas and stands at the top");
    for (const struct json_value *child = node->first; child != NULL; child = child->next) {
        struct rule_definition *definition = arena_alloc(schema->arena, sizeof(*definition));
        *definition = (struct rule_definition){.name = child->key, .next = schema->definitions};
        schema->definitions = definition;
        if (!read_rule(compiler, child, &definition->rule))
            return false;
    }
    return true;
}

/* ---- keywords ---------------------------------------------------------------------------------- */

enum keyword {
    KEYWORD_IGNORED,
    KEYWORD_DEFS,
    KEYWORD_REF,
    KEYWORD_TYPE,
    KEYWORD_ENUM,
    KEYWORD_CONST,
    KEYWORD_PROPERTIES,
    KEYWORD_REQUIRED,
    KEYWORD_ADDITIONAL,
    KEYWORD_NAMES,
    KEYWORD_MIN_PROPERTIES,
    KEYWORD_MAX_PROPERTIES,
    KEYWORD_DEPENDENT,
    KEYWORD_ITEMS,
    KEYWORD_MIN_ITEMS,
    KEYWORD_MAX_ITEMS,
    KEYWORD_UNIQUE,
    KEYWORD_MIN_LENGTH,
    KEYWORD_PATTERN,
    KEYWORD_MINIMUM,
    KEYWORD_MAXIMUM,
    KEYWORD_ABOVE,
    KEYWORD_ALL,
    KEYWORD_ANY,
    KEYWORD_ONE,
    KEYWORD_NOT,
    KEYWORD_IF,
    KEYWORD_THEN,
    KEYWORD_ELSE,
    KEYWORD_NOUN,
    KEYWORD_MESSAGE
};

static const struct {
    const char *name;
    enum keyword keyword;
} keywords[] = {{"$schema", KEYWORD_IGNORED},
                {"$id", KEYWORD_IGNORED},
                {"$comment", KEYWORD_IGNORED},
                {"title", KEYWORD_IGNORED},
                {"description", KEYWORD_IGNORED},
                {"$defs", KEYWORD_DEFS},
                {"$ref", KEYWORD_REF},
                {"type", KEYWORD_TYPE},
                {"enum", KEYWORD_ENUM},
                {"const", KEYWORD_CONST},
                {"properties", KEYWORD_PROPERTIES},
                {"required", KEYWORD_REQUIRED},
                {"additionalProperties", KEYWORD_ADDITIONAL},
                {"propertyNames", KEYWORD_NAMES},
                {"minProperties", KEYWORD_MIN_PROPERTIES},
                {"maxProperties", KEYWORD_MAX_PROPERTIES},
                {"dependentRequired", KEYWORD_DEPENDENT},
                {"items", KEYWORD_ITEMS},
                {"minItems", KEYWORD_MIN_ITEMS},
                {"maxItems", KEYWORD_MAX_ITEMS},
                {"uniqueItems", KEYWORD_UNIQUE},
                {"minLength", KEYWORD_MIN_LENGTH},
                {"pattern", KEYWORD_PATTERN},
                {"minimum", KEYWORD_MINIMUM},
                {"maximum", KEYWORD_MAXIMUM},
                {"exclusiveMinimum", KEYWORD_ABOVE},
                {"allOf", KEYWORD_ALL},
                {"anyOf", KEYWORD_ANY},
                {"oneOf", KEYWORD_ONE},
                {"not", KEYWORD_NOT},
                {"if", KEYWORD_IF},
                {"then", KEYWORD_THEN},
                {"else", KEYWORD_ELSE},
                {"x-noun", KEYWORD_NOUN},
                {"x-message", KEYWORD_MESSAGE}};

#define KEYWORD_COUNT (sizeof(keywords) / sizeof(keywords[0]))

static bool refuse_keyword(struct compiler *compiler, const struct json_value *node) {
    const char *names[KEYWORD_COUNT];
    for (size_t i = 0; i < KEYWORD_COUNT; i++)
        names[i] = keywords[i].name;
    struct buffer text = {.ceiling = 300};
    buffer_string(&text, "unknown keyword ");
    json_print_string(&text, node->key);
    nearest_suggest(&text, node->key, names, KEYWORD_COUNT);
    fault(compiler, node, text.bytes);
    buffer_free(&text);
    return false;
}

static bool read_keyword(struct compiler *compiler, const struct json_value *node, enum keyword keyword,
                         struct rule *rule) {
    switch (keyword) {
    case KEYWORD_IGNORED:
        return true;
    case KEYWORD_DEFS:
        return read_definitions(compiler, node);
    case KEYWORD_REF:
        return (rule->reference = string_of(compiler, node)) != NULL;
    case KEYWORD_TYPE:
        return read_types(compiler, node, rule);
    case KEYWORD_ENUM:
        return read_list(compiler, node, &rule->choices);
    case KEYWORD_CONST:
        rule->constant = node;
        return true;
    case KEYWORD_PROPERTIES:
        return read_properties(compiler, node, rule);
    case KEYWORD_REQUIRED:
        return read_list(compiler, node, &rule->required);
    case KEYWORD_ADDITIONAL:
        return read_rule(compiler, node, &rule->additional);
    case KEYWORD_NAMES:
        return read_rule(compiler, node, &rule->names);
    case KEYWORD_MIN_PROPERTIES:
        return read_number(compiler, node, &rule->least_members);
    case KEYWORD_MAX_PROPERTIES:
        return read_number(compiler, node, &rule->most_members);
    case KEYWORD_DEPENDENT:
        rule->dependent = node;
        return node->type == JSON_OBJECT || fault(compiler, node, "expected a map of lists");
    case KEYWORD_ITEMS:
        return read_rule(compiler, node, &rule->items);
    case KEYWORD_MIN_ITEMS:
        return read_number(compiler, node, &rule->least_items);
    case KEYWORD_MAX_ITEMS:
        return read_number(compiler, node, &rule->most_items);
    case KEYWORD_UNIQUE:
        rule->unique = node->boolean;
        return node->type == JSON_BOOLEAN || fault(compiler, node, "expected true or false");
    case KEYWORD_MIN_LENGTH:
        return read_number(compiler, node, &rule->least_length);
    case KEYWORD_PATTERN:
        return read_pattern(compiler, node, rule);
    case KEYWORD_MINIMUM:
        return read_number(compiler, node, &rule->minimum);
    case KEYWORD_MAXIMUM:
        return read_number(compiler, node, &rule->maximum);
    case KEYWORD_ABOVE:
        return read_number(compiler, node, &rule->above);
    case KEYWORD_ALL:
        return read_rules(compiler, node, &rule->all);
    case KEYWORD_ANY:
        return read_rules(compiler, node, &rule->any);
    case KEYWORD_ONE:
        return read_rules(compiler, node, &rule->one);
    case KEYWORD_NOT:
        return read_rule(compiler, node, &rule->not_);
    case KEYWORD_IF:
        return read_rule(compiler, node, &rule->if_);
    case KEYWORD_THEN:
        return read_rule(compiler, node, &rule->then_);
    case KEYWORD_ELSE:
        return read_rule(compiler, node, &rule->else_);
    case KEYWORD_NOUN:
        return (rule->noun = string_of(compiler, node)) != NULL;
    default:
        return (rule->message = string_of(compiler, node)) != NULL;
    }
}

static bool read_keywords(struct compiler *compiler, const struct json_value *node, struct rule *rule) {
    for (const struct json_value *child = node->first; child != NULL; child = child->next) {
        size_t i = 0;
        while (i < KEYWORD_COUNT && !text_equal(child->key, text_of(keywords[i].name)))
            i++;
        if (i == KEYWORD_COUNT)
            return refuse_keyword(compiler, child);
        if (!read_keyword(compiler, child, keywords[i].keyword, rule))
            return false;
    }
    return true;
}

static struct rule *new_rule(struct schema *schema, const struct json_value *node) {
    struct rule *rule = arena_alloc(schema->arena, sizeof(*rule));
    *rule = (struct rule){.most_members = INFINITY,
                          .most_items = INFINITY,
                          .minimum = -INFINITY,
                          .maximum = INFINITY,
                          .above = -INFINITY,
                          .node = node,
                          .next = schema->rules};
    schema->rules = rule;
    return rule;
}

/* Recurses as deep as schemas are written in each other: at most SCHEMA_DEPTH_CEILING. */
static struct rule *compile(struct compiler *compiler, const struct json_value *node) {
    struct rule *rule = new_rule(compiler->schema, node);
    rule->never = node->type == JSON_BOOLEAN && !node->boolean;
    if (node->type == JSON_BOOLEAN)
        return rule;
    if (node->type != JSON_OBJECT || compiler->depth == SCHEMA_DEPTH_CEILING) {
        fault(compiler, node, "expected a map of keywords, true or false, not too deep in others");
        return NULL;
    }
    compiler->depth++;
    bool good = read_keywords(compiler, node, rule);
    compiler->depth--;
    return good ? rule : NULL;
}

static bool resolve(struct compiler *compiler, struct rule *rule) {
    struct text reference = text_of(rule->reference);
    for (struct rule_definition *definition = compiler->schema->definitions; definition != NULL;
         definition = definition->next)
        if (text_starts_with(reference, TEXT("#/$defs/")) &&
            text_equal((struct text){reference.bytes + 8, reference.length - 8}, definition->name)) {
            rule->target = definition->rule;
            return true;
        }
    return fault(compiler, rule->node, "$ref must name a schema below #/$defs/");
}

/* A circle of $refs alone would never end. */
static bool leads_somewhere(struct compiler *compiler, const struct rule *rule) {
    unsigned steps = 0;
    for (const struct rule *at = rule; at->target != NULL; at = at->target)
        if (++steps > SCHEMA_DEPTH_CEILING)
            return fault(compiler, rule->node, "$ref leads around in a circle");
    return true;
}

static bool read_schema(struct compiler *compiler) {
    struct schema *schema = compiler->schema;
    struct json_value *root = yaml_read(schema->arena, compiler->file, SCHEMA_FILE_CEILING, compiler->error);
    if (root == NULL || (schema->root = compile(compiler, root)) == NULL)
        return false;
    for (struct rule *rule = schema->rules; rule != NULL; rule = rule->next)
        if (rule->reference != NULL && !resolve(compiler, rule))
            return false;
    for (struct rule *rule = schema->rules; rule != NULL; rule = rule->next)
        if (!leads_somewhere(compiler, rule))
            return false;
    return true;
}

struct schema *schema_read(const char *file, struct error *error) {
    struct arena *arena = arena_new();
    struct schema *schema = arena_alloc(arena, sizeof(*schema));
    schema->arena = arena;
    struct compiler compiler = {.schema = schema, .file = file, .error = error};
    if (read_schema(&compiler))
        return schema;
    schema_free(schema);
    return NULL;
}

void schema_free(struct schema *schema) {
    if (schema == NULL)
        return;
    for (struct rule *rule = schema->rules; rule != NULL; rule = rule->next)
        if (rule->pattern != NULL)
            regfree(rule->pattern);
    arena_free(schema->arena);
}
