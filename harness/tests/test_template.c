#include <string.h>

#include "harness/match/template.h"
#include "harness/tests/support.h"

TestSuite(template, .timeout = 120);

/* A template, and what it gives; where it gives nothing, the message. */
static const char *const cases[][2] = {
    {"1.50", "1.50"},
    {"{\"a\":[1,{\"b\":\"\\u0000\"}]}", "{\"a\":[1,{\"b\":\"\\u0000\"}]}"},
    {"{\"$is\":\"object\"}", "{\"k\":[1]}"},
    {"{\"a\":{\"$is\":\"object\"},\"b\":2}", "{\"a\":{\"k\":[1]},\"b\":2}"},
    {"[{\"$is\":\"two\"},{\"$is\":\"two\"}]", "[2,2]"},
    {"{\"$is\":\"nobody\"}", "nothing has bound the name \"nobody\""},
    {"{\"$json\":\"1.0\"}", "1.0"},
    {"{\"a\":{\"$json\":\"[\\\"\\\\ud83d\\\", 1e400]\"}}", "{\"a\":[\"\\ud83d\",1e400]}"},
    {"{\"$literal\":{\"$is\":\"two\"}}", "{\"$is\":\"two\"}"},
    {"{\"a\":{\"$literal\":{\"$any\":true,\"x\":1}}}", "{\"a\":{\"$any\":true,\"x\":1}}"},
    {"{\"$repeat\":{\"text\":\"ab\",\"times\":3}}", "\"ababab\""},
    {"{\"$repeat\":{\"text\":\"abc\",\"times\":1}}", "\"abc\""},
    {"{\"$repeat\":{\"text\":\"abc\",\"times\":7}}", "\"abcabcabcabcabcabcabc\""},
    {"{\"$repeat\":{\"text\":{\"$json\":\"\\\"\\\\ude00\\\\ud83d\\\"\"},\"times\":3}}", "\"\\ude00\360\237\230\200\360\237\230\200\\ud83d\""},
    {"{\"$repeat\":{\"text\":\"\",\"times\":268435456}}", "\"\""},
    {"{\"$repeat\":{\"text\":{\"$concat\":[\"x\",{\"$is\":\"two\"}]},\"times\":{\"$is\":\"two\"}}}", "\"x2x2\""},
    {"{\"$repeat\":{\"text\":\"ab\",\"times\":200000000}}", "the generated value is larger than 268435456 bytes"},
    {"[{\"$repeat\":{\"text\":\"a\",\"times\":200000000}},{\"$repeat\":{\"text\":\"a\",\"times\":200000000}}]",
     "the generated value is larger than 268435456 bytes"},
    {"{\"$repeat\":{\"text\":\"a\",\"times\":{\"$is\":\"half\"}}}", "expected a whole number from 0 to 268435456"},
    {"{\"$repeat\":{\"text\":{\"$is\":\"two\"},\"times\":1}}", "expected a string to repeat"},
    {"{\"$nested\":{\"in\":\"array\",\"levels\":3}}", "[[[1]]]"},
    {"{\"$nested\":{\"in\":\"object\",\"levels\":2,\"with\":{\"$is\":\"two\"}}}", "{\"n\":{\"n\":2}}"},
    {"{\"$nested\":{\"in\":\"object\",\"levels\":0,\"with\":[]}}", "[]"},
    {"{\"a\":{\"$nested\":{\"in\":\"array\",\"levels\":1}},\"b\":1}", "{\"a\":[1],\"b\":1}"},
    {"{\"$concat\":[\"a\",1.0,{\"$is\":\"two\"}]}", "\"a1.02\""},
    {"{\"$concat\":[{\"$json\":\"\\\"\\\\ud83d\\\"\"},{\"$json\":\"\\\"\\\\ude00\\\"\"}]}", "\"\360\237\230\200\""},
    {"{\"$concat\":[{\"$is\":\"object\"}]}", "expected a string or a number to join"},
    {"{\"$plus\":[1,{\"$is\":\"two\"},{\"$plus\":[0.5]}]}", "3.5"},
    {"{\"$plus\":[{\"$is\":\"object\"}]}", "expected a number to add"},
    {"{\"$plus\":[{\"$json\":\"1e400\"}]}", "the sum is no finite number"},
    {"{\"a\":{\"$absent\":true},\"b\":[{\"c\":{\"$absent\":true}}]}", "{\"b\":[{}]}"},
};

static struct bindings some_bindings(struct arena *arena) {
    struct bindings bindings = {.arena = arena};
    bindings_set(&bindings, TEXT("two"), json_number(arena, 2));
    bindings_set(&bindings, TEXT("half"), json_number(arena, 0.5));
    bindings_set(&bindings, TEXT("object"), test_json(arena, "{\"k\":[1]}"));
    return bindings;
}

Test(template, values_are_filled_in) {
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena *arena = arena_new(), *other = arena_new();
        struct bindings bindings = some_bindings(arena);
        struct error error = {0};
        struct json_value *template = test_json(other, cases[i][0]);
        cr_expect(template_check(template, &error), "%s: %s", cases[i][0], error.text);
        struct json_value *value = template_fill(template, &bindings, &error);
        arena_free(other); /* the value must not live in the template */
        test_expect_text(value != NULL ? test_print(arena, value) : error.text, cases[i][1], cases[i][0]);
        arena_free(arena);
    }
}

/* ---- what is refused when it is loaded ----------------------------------------------------------- */

/* Written as a pattern and as a template: the message of each, "" when it is good. */
static const struct {
    const char *text, *as_pattern, *as_template;
} checks[] = {
    {"{\"$any\":true}", "", "$any belongs into patterns; what is sent needs a value here"},
    {"{\"$gt\":1}", "", "$gt belongs into patterns; what is sent needs a value here"},
    {"{\"a\":{\"$absent\":true}}", "", ""},
    {"[{\"$absent\":true}]", "", "$absent takes away a member of an object; there is none here"},
    {"{\"$absent\":1}", "$absent takes true and nothing else", "$absent takes away a member of an object; there is none here"},
    {"{\"$is\":\"x\"}", "", ""},
    {"{\"$is\":\"\"}", "$is takes a name, not a string", "$is takes a name, not a string"},
    {"{\"$bind\":[]}", "$bind takes a name, not an array", "$bind belongs into patterns; what is sent needs a value here"},
    {"{\"$\":1}", "unknown operator \"$\"", "unknown operator \"$\""},
    {"{\"$contians\":1}", "unknown operator \"$contians\"; did you mean \"$contains\"?", "unknown operator \"$contians\""},
    {"{\"$is\":\"x\",\"y\":1}",
     "the operator $is must be the only key of its object (use $all to join several, $literal for plain data)",
     "the operator $is must be the only key of its object (use $all to join several, $literal for plain data)"},
    {"{\"$literal\":{\"$what\":{\"$any\":1}}}", "", ""},
    {"{\"$exactly\":{\"$anny\":true}}", "unknown operator \"$anny\"; did you mean \"$any\"?",
     "$exactly belongs into patterns; what is sent needs a value here"},
    {"{\"$json\":1}", "$json takes a string that holds JSON, not a number", "$json takes a string that holds JSON, not a number"},
    {"{\"$json\":\"\"}", "$json: byte 0: expected a JSON value, but the text ends there",
     "$json: byte 0: expected a JSON value, but the text ends there"},
    {"{\"$repeat\":\"a\"}", "$repeat takes {text: …, times: …}, not a string", "$repeat takes {text: …, times: …}, not a string"},
    {"{\"$repeat\":{\"text\":\"a\",\"times\":1.5}}", "\"times\" takes a whole number from 0 to 268435456",
     "\"times\" takes a whole number from 0 to 268435456"},
    {"{\"$repeat\":{\"text\":{\"$any\":true},\"times\":1}}", "$any belongs into patterns; what is sent needs a value here",
     "$any belongs into patterns; what is sent needs a value here"},
    {"{\"$nested\":{\"in\":\"array\",\"levels\":1000001}}", "\"levels\" takes a whole number from 0 to 1000000",
     "\"levels\" takes a whole number from 0 to 1000000"},
    {"{\"$concat\":[true]}", "$concat takes strings and numbers, not a boolean", "$concat takes strings and numbers, not a boolean"},
    {"{\"$concat\":[]}", "$concat takes a list that is not empty", "$concat takes a list that is not empty"},
    {"{\"$type\":null}", "$type takes the name of a JSON type, not null", "$type belongs into patterns; what is sent needs a value here"},
    {"{\"$regex\":\"a{,\"}", "not a POSIX extended regular expression: Unmatched \\{",
     "$regex belongs into patterns; what is sent needs a value here"},
};

Test(template, mistakes_are_found_when_loading) {
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        struct arena *arena = arena_new();
        struct json_value *value = test_json(arena, checks[i].text);
        struct error error = {0};
        cr_expect_eq(match_check(value, &error), checks[i].as_pattern[0] == '\0');
        test_expect_text(error.text, checks[i].as_pattern, checks[i].text);
        error.text[0] = '\0';
        cr_expect_eq(template_check(value, &error), checks[i].as_template[0] == '\0');
        test_expect_text(error.text, checks[i].as_template, checks[i].text);
        arena_free(arena);
    }
}

Test(template, operators_in_operators_have_a_ceiling) {
    for (size_t depth = 64; depth <= 65; depth++) {
        struct buffer text = {0};
        for (size_t i = 0; i < depth; i++)
            buffer_string(&text, i + 1 < depth ? "{\"$not\":" : "{\"$any\":");
        buffer_string(&text, "true");
        for (size_t i = 0; i < depth; i++)
            buffer_string(&text, "}");
        struct arena *arena = arena_new();
        struct error error = {0};
        struct json_value *pattern = test_json(arena, text.bytes);
        struct bindings bindings = {.arena = arena};
        cr_expect_eq(match_check(pattern, &error), depth == 64);
        if (depth == 64)
            cr_expect_not(match(pattern, json_null(arena), &bindings).matched); /* not … not any, an odd number of times */
        else
            test_expect_text(error.text, "operators stand in each other more than 64 deep", "too deep");
        arena_free(arena);
        buffer_free(&text);
    }
}

Test(template, long_regular_expressions_are_refused) {
    struct arena *arena = arena_new();
    struct error error = {0};
    struct bindings bindings = {.arena = arena};
    struct json_value *pattern = json_object(arena);
    json_set(pattern, TEXT("$regex"), template_fill(test_json(arena, "{\"$repeat\":{\"text\":\"(\",\"times\":1001}}"), &bindings, &error));
    cr_expect_not(match_check(pattern, &error));
    test_expect_text(error.text, "$regex takes at most 1000 bytes, none of them NUL", "too long");
    arena_free(arena);
}
