#include <string.h>

#include "harness/scenario/schema.h"
#include "harness/scenario/yaml.h"
#include "harness/tests/support.h"

TestSuite(schema, .timeout = 120);

/* Values for data/schema.json, and the message; "" when they are good. */
static const char *const values[][2] = {
    {"{}", ""},
    {"[]", "f:1:1: expected a map, came a list"},
    {"{any: [1]}", ""},
    {"{none: 1}", "f:1:8: \"none\": nothing is allowed here"},
    {"{types: x}", ""},
    {"{types: null}", ""},
    {"{types: 1}", "f:1:9: \"types\": expected null or a string, came 1"},
    {"{whole: 2}", ""},
    {"{whole: 2.0}", ""},
    {"{whole: 2.5}", "f:1:9: \"whole\": expected a whole number, came 2.5"},
    {"{whole: 0}", "f:1:9: \"whole\": expected at least 1"},
    {"{whole: 4}", "f:1:9: \"whole\": expected at most 3"},
    {"{above: 0.5}", ""},
    {"{above: 0}", "f:1:9: \"above\": expected more than 0"},
    {"{choice: red}", ""},
    {"{choice: 3.0}", ""},
    {"{choice: gren}", "f:1:10: unknown value \"gren\"; did you mean \"green\"?"},
    {"{choice: blue}", "f:1:10: unknown value \"blue\", expected one of red, green"},
    {"{choice: 4}", "f:1:10: \"choice\": expected one of \"red\", \"green\", 3, came 4"},
    {"{constant: {a: 1.0}}", ""},
    {"{constant: {a: 2}}", "f:1:12: \"constant\": this value is not the one that is allowed here"},
    {"{pattern: abc}", ""},
    {"{pattern: a}", "f:1:11: \"pattern\": expected a longer string"},
    {"{pattern: abd}", "f:1:11: \"pattern\": expected a string that matches ^[a-c]+$"},
    {"{list: [1, 2]}", ""},
    {"{list: []}", "f:1:8: \"list\": expected a list of 1 or more, this one has 0"},
    {"{list: [1, 2, 3]}", "f:1:8: \"list\": expected a list of 2 or fewer, this one has 3"},
    {"{list: [1, x]}", "f:1:12: expected a number, came \"x\""},
    {"{list: [1, 1.0]}", "f:1:12: this stands in the list twice"},
    {"{map: {x1: 1}}", ""},
    {"{map: {y: 1}}", "f:1:8: expected a string that matches ^x"},
    {"{map: {x: a}}", "f:1:11: \"x\": expected a number, came \"a\""},
    {"{map: {}}", "f:1:7: \"map\": expected a map of 1 or more keys, this one has 0"},
    {"{map: {x1: 1, x2: 2, x3: 3}}", "f:1:7: \"map\": expected a map of 2 or fewer keys, this one has 3"},
    {"{needs: {a: 1}}", ""},
    {"{needs: {}}", "f:1:9: the key \"a\" is missing"},
    {"{needs: {a: 1, b: 2}}", "f:1:16: \"b\" goes with \"c\", which is not here"},
    {"{needs: {a: 1, b: 2, c: 3}}", ""},
    {"{all: 1.5}", ""},
    {"{all: 0}", "f:1:7: \"all\": expected at least 1"},
    {"{all: 3}", "f:1:7: \"all\": expected at most 2"},
    {"{some: 2}", ""},
    {"{some: 3}", "f:1:8: \"some\": none of the forms that are allowed here"},
    {"{one: {a: 1}}", ""},
    {"{one: {}}", "f:1:7: a letter is missing, expected one of a, b"},
    {"{one: {a: 1, b: 2}}", "f:1:14: \"b\" cannot stand beside \"a\""},
    {"{either: 1}", ""},
    {"{either: 5.5}", ""},
    {"{either: 5}", "f:1:10: \"either\": this fits several forms at once"},
    {"{either: 1.5}", "f:1:10: \"either\": none of the forms that are allowed here"},
    {"{not: 2}", ""},
    {"{not: 1}", "f:1:7: anything but one"},
    {"{if: ab}", ""},
    {"{if: a}", "f:1:6: \"if\": expected a longer string"},
    {"{if: true}", ""},
    {"{if: 1}", "f:1:6: \"if\": expected true or false, came 1"},
    {"{again: {again: {again: {}}}}", ""},
    {"{again: {again: {agian: {}}}}", "f:1:18: unknown key \"agian\"; did you mean \"again\"?"},
};

Test(schema, values_are_held_against_it) {
    struct error error = {0};
    struct schema *schema = schema_read(TEST_DATA "/schema.json", &error);
    cr_assert_not_null(schema, "%s", error.text);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct arena *arena = arena_new();
        error.text[0] = '\0';
        struct json_value *value = yaml_parse(arena, "f", text_of(values[i][0]), &error);
        cr_assert_not_null(value, "%s: %s", values[i][0], error.text);
        cr_expect_eq(schema_check(schema, "f", value, &error), values[i][1][0] == '\0', "%s", values[i][0]);
        test_expect_text(error.text, values[i][1], values[i][0]);
        arena_free(arena);
    }
    schema_free(schema);
    schema_free(NULL);
}

static const char *const bad[][2] = {
    {"unknown-keyword", ":3:16: not a schema: unknown keyword \"propertys\"; did you mean \"properties\"?"},
    {"unknown-type", ":1:10: not a schema: unknown type"},
    {"reference-to-nothing", ":1:1: not a schema: $ref must name a schema below #/$defs/"},
    {"reference-in-a-circle", ":1:66: not a schema: $ref leads around in a circle"},
    {"bad-pattern", ":1:13: not a schema: the pattern is no regular expression"},
    {"no-schema-inside", ":1:22: not a schema: expected a map of keywords, true or false, not too deep in others"},
    {"empty-enum", ":1:10: not a schema: expected a list that is not empty"},
    {"minimum-in-quotes", ":1:14: not a schema: expected a number"},
};

Test(schema, a_schema_with_a_mistake_is_refused) {
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct arena *arena = arena_new();
        struct error error = {0};
        const char *file = arena_format(arena, TEST_DATA "/bad-schemas/%s.json", bad[i][0]);
        cr_expect_null(schema_read(file, &error), "%s", file);
        test_expect_text(error.text, arena_format(arena, "%s%s", file, bad[i][1]), file);
        arena_free(arena);
    }
}
