#include <string.h>

#include "harness/scenario/yaml.h"
#include "harness/tests/support.h"

TestSuite(yaml, .timeout = 120);

/* Scalars, and what they are as JSON. Messages of files that are refused stand in data/bad-scenarios.txt. */
static const char *const scalars[][2] = {
    {"null", "null"},       {"~", "null"},          {"Null", "null"},     {"nULL", "\"nULL\""},   {"true", "true"},
    {"False", "false"},     {"yes", "\"yes\""},     {"on", "\"on\""},     {"0", "0"},             {"-12", "-12"},
    {"+12", "12"},          {"007", "7"},           {"-0", "-0"},         {"00", "0"},            {"0o17", "15"},
    {"0xFf", "255"},        {"0x", "\"0x\""},       {"0o8", "\"0o8\""},   {"1.5", "1.5"},         {"1.50", "1.50"},
    {"1.", "1.0"},          {".5", "0.5"},          {"-.5", "-0.5"},      {"1e3", "1e3"},         {"1.e3", "1.0e3"},
    {"1e400", "1e400"},     {"1e", "\"1e\""},       {".", "\".\""},       {"-", NULL},            {"+", "\"+\""},
    {"0.1.0", "\"0.1.0\""}, {"1_000", "\"1_000\""}, {"12:30", "\"12:30\""}, {"2024-01-02", "\"2024-01-02\""},
    {"abc", "\"abc\""},     {"a b", "\"a b\""},     {"'1'", "\"1\""},     {"\"null\"", "\"null\""}, {"''", "\"\""},
    {"\"\\0\\n\\u00e9\"", "\"\\u0000\\né\""},       {"'it''s'", "\"it's\""}, {".inf", NULL},      {"-.INF", NULL},
    {".nan", NULL},         {"9007199254740993", "9007199254740993"},
};

Test(yaml, scalars_follow_the_core_schema) {
    for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
        struct arena *arena = arena_new();
        struct error error = {0};
        struct json_value *value = yaml_parse(arena, "f", text_of(scalars[i][0]), &error);
        if (scalars[i][1] != NULL)
            test_expect_text(test_print(arena, value), scalars[i][1], scalars[i][0]);
        else
            cr_expect(value == NULL || value->type == JSON_ARRAY, "%s", scalars[i][0]);
        arena_free(arena);
    }
}

Test(yaml, spelled_numbers_read_back_as_json) {
    struct arena *arena = arena_new();
    struct error error = {0};
    for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
        struct json_value *value = yaml_parse(arena, "f", text_of(scalars[i][0]), &error);
        if (value != NULL)
            cr_expect(json_equal(value, test_json(arena, test_print(arena, value))), "%s", scalars[i][0]);
    }
    arena_free(arena);
}

Test(yaml, every_value_knows_its_place) {
    static const char text[] = "# comment\n"
                               "title: Ä x\n"
                               "list:\n"
                               "  - ana: {gets: {t: env}}\n"
                               "  - [1, 'é', \"two\"]\n"
                               "text: |\n"
                               "  block\n";
    static const struct {
        const char *key;
        uint32_t line, column, key_line, key_column;
        bool plain;
    } members[] = {{"title", 2, 8, 2, 1, true}, {"list", 4, 3, 3, 1, false}, {"text", 6, 7, 6, 1, false}};
    struct arena *arena = arena_new();
    struct error error = {0};
    struct json_value *root = yaml_parse(arena, "f", text_of(text), &error);
    cr_assert_not_null(root, "%s", error.text);
    for (size_t i = 0; i < 3; i++) {
        const struct json_value *member = json_get(root, members[i].key);
        cr_expect_eq(member->line, members[i].line, "%s: %u", members[i].key, member->line);
        cr_expect_eq(member->column, members[i].column, "%s: %u", members[i].key, member->column);
        cr_expect_eq(member->key_line, members[i].key_line);
        cr_expect_eq(member->key_column, members[i].key_column);
        cr_expect_eq(member->plain, members[i].plain);
    }
    const struct json_value *list = json_get(root, "list");
    const struct json_value *env = list->first->first->first->first;
    cr_expect(env->line == 4 && env->column == 21 && env->key_column == 18, "%u:%u", env->line, env->column);
    const struct json_value *two = list->last->last;
    cr_expect(two->line == 5 && two->column == 14 && !two->plain, "columns are characters, not bytes: %u", two->column);
    test_expect_text(json_get(root, "text")->text.bytes, "block\n", "block text");
    arena_free(arena);
}

Test(yaml, no_text_that_is_cut_is_dangerous) {
    static const char text[] = "a: {b: [1, 'x', \"\\u00e9\"], ? c : !t d}\ne: |\n  f\n- g";
    for (size_t length = 0; length < sizeof(text); length++) {
        struct arena *arena = arena_new();
        struct error error = {0};
        char *copy = arena_copy(arena, text, length);
        struct json_value *value = yaml_parse(arena, "f", (struct text){copy, length}, &error);
        cr_expect(value != NULL || text_starts_with(text_of(error.text), TEXT("f:")), "%zu: %s", length, error.text);
        arena_free(arena);
    }
}

Test(yaml, two_hundred_levels_are_the_ceiling) {
    for (size_t levels = 200; levels <= 201; levels++) {
        struct buffer text = {0};
        for (size_t i = 0; i < levels; i++)
            buffer_string(&text, "[");
        for (size_t i = 0; i < levels; i++)
            buffer_string(&text, "]");
        struct arena *arena = arena_new();
        struct error error = {0};
        cr_expect_eq(yaml_parse(arena, "f", (struct text){text.bytes, text.length}, &error) != NULL, levels == 200);
        arena_free(arena);
        buffer_free(&text);
    }
}

Test(yaml, doubled_keys_are_found_among_many) {
    struct buffer text = {0};
    for (int i = 0; i < 2000; i++)
        buffer_format(&text, "k%d: 1\n", i == 1500 ? 7 : i);
    struct arena *arena = arena_new();
    struct error error = {0};
    cr_expect_null(yaml_parse(arena, "f", (struct text){text.bytes, text.length}, &error));
    test_expect_text(error.text, "f:1501:1: the key \"k7\" stands in this map twice", "doubled");
    arena_free(arena);
    buffer_free(&text);
}

Test(yaml, large_files_are_refused) {
    struct arena *arena = arena_new();
    struct error error = {0};
    cr_expect_null(yaml_read(arena, "harness/tests/support.c", 10, &error));
    cr_expect(strstr(error.text, "more than the 10 that are allowed") != NULL, "%s", error.text);
    arena_free(arena);
}
