#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/json/characters.h"
#include "harness/tests/support.h"

TestSuite(json, .timeout = 120);

/* What is parsed, and what is printed again. */
static const char *const good[][2] = {
    {"null", "null"},
    {" \t\r\n true ", "true"},
    {"false", "false"},
    {"0", "0"},
    {"-0", "-0"},
    {"1.50", "1.50"},
    {"1E+2", "1E+2"},
    {"1e400", "1e400"},
    {"9007199254740993", "9007199254740993"},
    {"\"\"", "\"\""},
    {"\"a\\u0000b\"", "\"a\\u0000b\""},
    {"\"\\ud83d\"", "\"\\ud83d\""},
    {"\"\\uDE00\\uD83D\"", "\"\\ude00\\ud83d\""},
    {"\"\\ud83d\\u0041\"", "\"\\ud83dA\""},
    {"\"\\ud83d\\ud83d\\ude00\"", "\"\\ud83d\360\237\230\200\""},
    {"\"\\ud83d\\ude00\"", "\"\360\237\230\200\""},
    {"\"\360\237\230\200\"", "\"\360\237\230\200\""},
    {"\"\\u00e9\"", "\"\303\251\""},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
    {"\"\\u001f\"", "\"\\u001f\""},
    {"\"\355\237\277\"", "\"\355\237\277\""},
    {"[]", "[]"},
    {"[ 1 , [ ] , { } ]", "[1,[],{}]"},
    {"{}", "{}"},
    {"{\"a\":1,\"b\":{\"c\":[2]}}", "{\"a\":1,\"b\":{\"c\":[2]}}"},
    {"{\"\":1}", "{\"\":1}"},
    {"{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"},
    {"{\"a\":1,\"\\u0061\":{\"x\":[1]},\"c\":0,\"a\":[{}]}", "{\"a\":[{}],\"c\":0}"},
};

Test(json, what_is_parsed_is_printed_again) {
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct arena *arena = arena_new();
        test_expect_text(test_print(arena, test_json(arena, good[i][0])), good[i][1], good[i][0]);
        arena_free(arena);
    }
}

/* What is no JSON, and what the message says. */
static const char *const bad[][2] = {
    {"", "byte 0: expected a JSON value, but the text ends there"},
    {"  ", "byte 2: expected a JSON value, but the text ends there"},
    {"nul", "byte 3: expected null, true or false, but the text ends there"},
    {"nulL", "byte 3: expected null, true or false, came \"L\""},
    {"truefalse", "byte 4: expected nothing more after the JSON value, came \"f\""},
    {"{}{}", "byte 2: expected nothing more after the JSON value, came \"{\""},
    {"01", "byte 1: expected nothing more after the JSON value, came \"1\""},
    {"0x1", "byte 1: expected nothing more after the JSON value, came \"x\""},
    {"-", "byte 1: expected a digit, but the text ends there"},
    {"+1", "byte 0: expected a JSON value, came \"+\""},
    {".5", "byte 0: expected a JSON value, came \".\""},
    {"1.", "byte 2: expected a digit, but the text ends there"},
    {"1.e1", "byte 2: expected a digit, came \"e\""},
    {"1e", "byte 2: expected a digit, but the text ends there"},
    {"1e+", "byte 3: expected a digit, but the text ends there"},
    {"NaN", "byte 0: expected a JSON value, came \"N\""},
    {"Infinity", "byte 0: expected a JSON value, came \"I\""},
    {"\"", "byte 1: expected a character of a string or its closing quote, but the text ends there"},
    {"\"\t\"", "byte 1: expected a character of a string or its closing quote, came the byte 0x09"},
    {"\"\\x41\"", "byte 2: expected an escape (one of \" \\ / b f n r t u), came \"x\""},
    {"\"\\u12\"", "byte 5: expected four hex digits after \\u, came \"\"\""},
    {"\"\\u12g4\"", "byte 5: expected four hex digits after \\u, came \"g\""},
    {"\"\\ud83d\\u12\"", "byte 11: expected four hex digits after \\u, came \"\"\""},
    {"\"\200\"", "byte 1: expected valid UTF-8, came the byte 0x80"},
    {"\"\300\200\"", "byte 1: expected valid UTF-8, came the byte 0xC0"},
    {"\"\340\200\200\"", "byte 1: expected valid UTF-8, came the byte 0xE0"},
    {"\"\355\240\200\"", "byte 1: expected valid UTF-8, came the byte 0xED"},
    {"\"\360\200\200\200\"", "byte 1: expected valid UTF-8, came the byte 0xF0"},
    {"\"\364\220\200\200\"", "byte 1: expected valid UTF-8, came the byte 0xF4"},
    {"\"\303\"", "byte 1: expected valid UTF-8, came the byte 0xC3"},
    {"\357\273\2771", "byte 0: expected a JSON value, came the byte 0xEF"},
    {"[1,]", "byte 3: expected a JSON value, came \"]\""},
    {"[1 2]", "byte 3: expected \",\" or \"]\", came \"2\""},
    {"[1}", "byte 2: expected \",\" or \"]\", came \"}\""},
    {"{,}", "byte 1: expected a key in quotes, came \",\""},
    {"{a:1}", "byte 1: expected a key in quotes, came \"a\""},
    {"{\"a\" 1}", "byte 5: expected \":\" after the key, came \"1\""},
    {"{\"a\":1,}", "byte 7: expected a key in quotes, came \"}\""},
    {"{\"a\":1]", "byte 6: expected \",\" or \"}\", came \"]\""},
    {"]", "byte 0: expected a JSON value, came \"]\""},
};

Test(json, what_is_no_json_is_refused_with_its_place) {
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct arena *arena = arena_new();
        struct error error = {0};
        cr_expect_null(json_parse(arena, text_of(bad[i][0]), &error), "%s", bad[i][0]);
        test_expect_text(error.text, bad[i][1], bad[i][0]);
        cr_expect_eq(error.code, ERROR_USAGE);
        arena_free(arena);
    }
}

Test(json, a_text_that_holds_nul_is_no_json) {
    struct arena *arena = arena_new();
    struct error error = {0};
    cr_expect_null(json_parse(arena, TEXT("\"a\0b\""), &error));
    test_expect_text(error.text, "byte 2: expected a character of a string or its closing quote, came the byte 0x00", "in a string");
    cr_expect_null(json_parse(arena, TEXT("1\0"), &error));
    test_expect_text(error.text, "byte 1: expected nothing more after the JSON value, came the byte 0x00", "behind");
    arena_free(arena);
}

/* Every start of a container or string is incomplete. The text lies at the very end of its memory. */
Test(json, no_text_can_be_cut) {
    static const char whole[] =
        "{\"a\":[1.5e3,-0,true,false,null],\"\\ud83d\\ude00\\u0000\303\251\360\237\230\200\":{\"b\":\"\\n\\\\\"},\"c\":[[],{}]}";
    for (size_t length = 0; length < sizeof(whole); length++) {
        char *copy = malloc(length > 0 ? length : 1);
        memcpy(copy, whole, length < sizeof(whole) - 1 ? length : sizeof(whole) - 1);
        struct arena *arena = arena_new();
        struct error error = {0};
        size_t used = length < sizeof(whole) - 1 ? length : sizeof(whole) - 1;
        struct json_value *value = json_parse(arena, (struct text){copy, used}, &error);
        cr_expect_eq(value != NULL, used == sizeof(whole) - 1, "%zu bytes: %s", used, error.text);
        arena_free(arena);
        free(copy);
    }
}

Test(json, numbers_are_doubles_and_keep_their_spelling) {
    struct arena *arena = arena_new();
    cr_expect(isinf(test_json(arena, "1e400")->number));
    cr_expect_eq(test_json(arena, "-0")->number, 0);
    cr_expect(signbit(test_json(arena, "-0")->number) != 0);
    cr_expect_eq(test_json(arena, "9007199254740993")->number, 9007199254740992.0);
    cr_expect_eq(test_json(arena, "5e-324")->number, 5e-324);
    static const struct {
        double number;
        const char *spelling;
    } made[] = {{0, "0"}, {1, "1"}, {-3, "-3"}, {0.1, "0.1"}, {1e21, "1e+21"}, {1700000000000, "1700000000000"}, {1.0 / 3, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
        test_expect_text(test_print(arena, json_number(arena, made[i].number)), made[i].spelling, "made");
        cr_expect_eq(test_json(arena, made[i].spelling)->number, made[i].number);
    }
    arena_free(arena);
}

Test(json, a_hundred_thousand_levels_are_no_danger) {
    enum { LEVELS = 100000 };
    static const char *const opening[] = {"[", "{\"n\":"}, *const closing[] = {"]", "}"};
    for (size_t kind = 0; kind < 2; kind++) {
        struct buffer text = {0};
        for (size_t i = 0; i < LEVELS; i++)
            buffer_string(&text, opening[kind]);
        buffer_string(&text, "1");
        for (size_t i = 0; i < LEVELS; i++)
            buffer_string(&text, closing[kind]);
        struct arena *arena = arena_new();
        struct json_value *value = test_json(arena, text.bytes);
        struct json_value *copy = json_copy(arena, value);
        cr_expect(json_equal(value, copy));
        cr_expect_str_eq(test_print(arena, copy), text.bytes);
        struct json_value *deepest = copy;
        while (deepest->first != NULL)
            deepest = deepest->first;
        deepest->number = 2;
        cr_expect_not(json_equal(value, copy));
        text.bytes[text.length - 1] = kind == 0 ? '}' : ']';
        struct error error = {0};
        cr_expect_null(json_parse(arena, (struct text){text.bytes, text.length}, &error));
        arena_free(arena);
        buffer_free(&text);
    }
}

Test(json, a_text_of_too_many_values_is_refused) {
    size_t count = JSON_VALUES_CEILING; /* ones, and the array around them */
    char *text = malloc(2 * count + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(text + 1 + 2 * i, "1,", 2);
    text[0] = '[';
    text[2 * count] = ']';
    struct arena *arena = arena_new();
    struct error error = {0};
    cr_expect_null(json_parse(arena, (struct text){text, 2 * count + 1}, &error));
    test_expect_text(error.text, "byte 19999999: more than 10000000 values in one text", "one too many");
    arena_free(arena);
    free(text);
}

/* ---- equality ---------------------------------------------------------------------------------- */

Test(json, equality) {
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"1", "1.0", true},
        {"1", "1e0", true},
        {"0", "-0", true},
        {"1", "2", false},
        {"1e400", "1e999", true},
        {"9007199254740992", "9007199254740993", true},
        {"1", "\"1\"", false},
        {"null", "false", false},
        {"true", "false", false},
        {"\"a\"", "\"\\u0061\"", true},
        {"\"\\u0000\"", "\"\"", false},
        {"\"\\u0000a\"", "\"\\u0000b\"", false},
        {"\"\303\251\"", "\"e\314\201\"", false},
        {"\"\\ud83d\"", "\"\\ude00\"", false},
        {"\"\\ud83d\\ude00\"", "\"\360\237\230\200\"", true},
        {"[1,2]", "[2,1]", false},
        {"[1,2]", "[1,2,3]", false},
        {"{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}", true},
        {"{\"a\":1,\"b\":2}", "{\"a\":1}", false},
        {"{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}", false},
        {"{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}", false},
        {"{}", "[]", false},
        {"[[[{\"a\":[1]}]]]", "[[[{\"a\":[2]}]]]", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena *arena = arena_new();
        struct json_value *a = test_json(arena, cases[i].a), *b = test_json(arena, cases[i].b);
        cr_expect_eq(json_equal(a, b), cases[i].equal, "%s and %s", cases[i].a, cases[i].b);
        cr_expect_eq(json_equal(b, a), cases[i].equal, "%s and %s", cases[i].b, cases[i].a);
        arena_free(arena);
    }
}

/* Keys 0 … count-1, forwards or backwards; a quadratic comparison would take minutes. */
static struct json_value *many_keys(struct arena *arena, size_t count, bool backwards, const char *last) {
    struct buffer text = {0};
    buffer_string(&text, "{");
    for (size_t i = 0; i < count; i++)
        buffer_format(&text, "%s\"key%zu\":%zu", i == 0 ? "" : ",", backwards ? count - 1 - i : i, backwards ? count - 1 - i : i);
    buffer_string(&text, last);
    buffer_string(&text, "}");
    struct json_value *value = test_json(arena, text.bytes);
    buffer_free(&text);
    return value;
}

Test(json, many_keys_are_compared_quickly) {
    struct arena *arena = arena_new();
    struct json_value *forwards = many_keys(arena, 200000, false, "");
    cr_expect(json_equal(forwards, many_keys(arena, 200000, true, "")));
    cr_expect_not(json_equal(forwards, many_keys(arena, 199999, true, ",\"other\":1")));
    struct json_value *doubled = many_keys(arena, 200000, true, ",\"key7\":\"seven\",\"key7\":8");
    cr_expect_eq(doubled->count, 200000);
    cr_expect_not(json_equal(forwards, doubled));
    cr_expect_eq(json_get(doubled, "key7")->number, 8);
    cr_expect_eq(doubled->last, json_get(doubled, "key0"));
    arena_free(arena);
}

/* ---- members ----------------------------------------------------------------------------------- */

Test(json, members_are_set_in_their_place_and_removed) {
    struct arena *arena = arena_new();
    struct json_value *object = json_object(arena);
    json_set(object, TEXT("a"), json_number(arena, 1));
    json_set(object, TEXT("b"), json_boolean(arena, true));
    json_set(object, TEXT("c"), json_null(arena));
    json_set(object, TEXT("b"), json_string(arena, TEXT("x")));
    json_set(object, TEXT("c"), json_array(arena));
    test_expect_text(test_print(arena, object), "{\"a\":1,\"b\":\"x\",\"c\":[]}", "set");
    json_remove(object, TEXT("c"));
    json_remove(object, TEXT("none"));
    json_set(object, TEXT("d"), json_number(arena, 4));
    test_expect_text(test_print(arena, object), "{\"a\":1,\"b\":\"x\",\"d\":4}", "the last one removed");
    json_remove(object, TEXT("a"));
    test_expect_text(test_print(arena, object), "{\"b\":\"x\",\"d\":4}", "the first one removed");
    json_remove(object, TEXT("b"));
    json_remove(object, TEXT("d"));
    cr_expect_eq(object->count, 0);
    json_set(object, TEXT("e"), json_number(arena, 5));
    test_expect_text(test_print(arena, object), "{\"e\":5}", "filled again");
    cr_expect(json_is_string(test_json(arena, "\"x\""), "x"));
    cr_expect_not(json_is_string(NULL, "x"));
    cr_expect_null(json_get(NULL, "x"));
    cr_expect_null(json_get(test_json(arena, "[1]"), ""));
    arena_free(arena);
}

Test(json, printing_stops_at_the_buffers_ceiling) {
    struct arena *arena = arena_new();
    struct buffer text = {.ceiling = 7};
    json_print(&text, test_json(arena, "[[1,2,3,4,5],[6]]"));
    cr_expect(text.overflowed);
    test_expect_text(text.bytes, "[[1,2,3", "cut");
    buffer_free(&text);
    arena_free(arena);
}

Test(json, half_pairs_meet_and_count_as_units) {
    struct buffer text = {0};
    wtf8_append(&text, TEXT("a\355\240\275"));
    cr_expect_eq(wtf8_units((struct text){text.bytes, text.length}), 2);
    wtf8_append(&text, TEXT("\355\270\200b"));
    test_expect_text(text.bytes, "a\360\237\230\200b", "joined");
    cr_expect_eq(wtf8_units((struct text){text.bytes, text.length}), 4);
    wtf8_append(&text, TEXT("\355\270\200"));
    test_expect_text(text.bytes, "a\360\237\230\200b\355\270\200", "not joined");
    buffer_free(&text);
    cr_expect(utf8_valid(TEXT("a\0\303\251")));
    cr_expect_not(utf8_valid(TEXT("\355\240\275")));
}
