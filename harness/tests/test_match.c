#include <stdlib.h>
#include <string.h>

#include "harness/match/template.h"
#include "harness/tests/support.h"

TestSuite(match, .timeout = 120);

/* A pattern, a value (NULL: none), and the differences that come out, one a line; "" when it matches. */
struct match_case {
    const char *pattern, *value, *differences;
};

static const char *differences_of(struct arena *arena, const struct match_result *result) {
    struct buffer text = {0};
    for (const struct difference *difference = result->first; difference != NULL; difference = difference->next) {
        buffer_string(&text, text.length > 0 ? "\n" : "");
        difference_print(&text, difference);
    }
    const char *kept = arena_copy(arena, text.bytes, text.length);
    buffer_free(&text);
    return kept;
}

static void expect_matches(const struct match_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct arena *arena = arena_new();
        struct error error = {0};
        struct json_value *pattern = test_json(arena, cases[i].pattern);
        struct json_value *value = cases[i].value != NULL ? test_json(arena, cases[i].value) : NULL;
        struct bindings bindings = {.arena = arena};
        bindings_set(&bindings, TEXT("one"), json_number(arena, 1));
        cr_assert(match_check(pattern, &error), "%s: %s", cases[i].pattern, error.text);
        struct match_result result = match(pattern, value, &bindings);
        test_expect_text(differences_of(arena, &result), cases[i].differences, cases[i].pattern);
        cr_expect_eq(result.matched, cases[i].differences[0] == '\0', "%s", cases[i].pattern);
        arena_free(arena);
    }
}

#define EXPECT_MATCHES(cases) expect_matches(cases, sizeof(cases) / sizeof(cases[0]))

Test(match, plain_values) {
    static const struct match_case cases[] = {
        {"1", "1.0", ""},
        {"1", "2", "wanted 1, came 2"},
        {"1", NULL, "wanted 1, came nothing"},
        {"null", "null", ""},
        {"null", NULL, "wanted null, came nothing"},
        {"\"a\"", "\"a\"", ""},
        {"\"a\"", "\"b\"", "wanted \"a\", came \"b\""},
        {"true", "false", "wanted true, came false"},
        {"{}", "{\"a\":1}", ""},
        {"{\"a\":1}", "{\"b\":2,\"a\":1}", ""},
        {"{\"a\":1}", "[]", "wanted {\"a\":1}, came []"},
        {"{\"a\":1}", "{}", "a: wanted 1, came nothing"},
        {"{\"a\":{\"b\":[1,{\"c\":2}]}}", "{\"a\":{\"b\":[1,{\"c\":3}]}}", "a.b[1].c: wanted 2, came 3"},
        {"{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":2,\"b\":2,\"c\":4}", "a: wanted 1, came 2\nc: wanted 3, came 4"},
        {"[1,2]", "[1,2]", ""},
        {"[1,2]", "[2,1]", "[0]: wanted 1, came 2\n[1]: wanted 2, came 1"},
        {"[1]", "[1,2]", "wanted 1 element: [1], came 2: [1,2]"},
        {"[]", "[]", ""},
        {"[[1],[2]]", "[[1],[3]]", "[1][0]: wanted 2, came 3"},
        {"{\"a b\":{\"\":{\"0\":1}}}", "{\"a b\":{\"\":{\"0\":2}}}", "[\"a b\"][\"\"][\"0\"]: wanted 1, came 2"},
    };
    EXPECT_MATCHES(cases);
}

Test(match, presence_and_type) {
    static const struct match_case cases[] = {
        {"{\"$any\":true}", "null", ""},
        {"{\"$any\":true}", NULL, "wanted any value, came nothing"},
        {"{\"$absent\":true}", NULL, ""},
        {"{\"a\":{\"$absent\":true}}", "{\"b\":1}", ""},
        {"{\"a\":{\"$absent\":true}}", "{\"a\":null}", "a: wanted nothing, came null"},
        {"{\"$type\":\"null\"}", "null", ""},
        {"{\"$type\":\"boolean\"}", "false", ""},
        {"{\"$type\":\"number\"}", "1", ""},
        {"{\"$type\":\"string\"}", "\"\"", ""},
        {"{\"$type\":\"array\"}", "[]", ""},
        {"{\"$type\":\"object\"}", "{}", ""},
        {"{\"$type\":\"string\"}", "1", "wanted a string, came 1"},
        {"{\"$type\":\"object\"}", NULL, "wanted an object, came nothing"},
    };
    EXPECT_MATCHES(cases);
}

Test(match, exactly) {
    static const struct match_case cases[] = {
        {"{\"$exactly\":{\"a\":1}}", "{\"a\":1}", ""},
        {"{\"$exactly\":{\"a\":1}}", "{\"a\":1,\"b\":2}", "b: wanted nothing, came 2"},
        {"{\"$exactly\":{\"a\":{\"b\":1}}}", "{\"a\":{\"b\":1,\"c\":2}}", "a.c: wanted nothing, came 2"},
        {"{\"$exactly\":{\"a\":[{\"b\":1}]}}", "{\"a\":[{\"b\":1,\"c\":2}]}", "a[0].c: wanted nothing, came 2"},
        {"{\"$exactly\":{\"a\":{\"$any\":true}}}", "{\"a\":{\"c\":2}}", ""},
        {"{\"$exactly\":{\"a\":{\"$absent\":true}}}", "{}", ""},
        {"{\"$exactly\":{\"a\":{\"$unordered\":[{\"b\":1}]}}}", "{\"a\":[{\"b\":1,\"c\":1}]}",
         "a: wanted an element of its own for {\"b\":1}, came [{\"b\":1,\"c\":1}]"},
        {"{\"$exactly\":{}}", "{}", ""},
        {"{\"$exactly\":{}}", "{\"a\":1}", "a: wanted nothing, came 1"},
        {"{\"a\":{\"$exactly\":{}},\"b\":{}}", "{\"a\":{},\"b\":{\"c\":1}}", ""},
    };
    EXPECT_MATCHES(cases);
}

Test(match, comparisons) {
    static const struct match_case cases[] = {
        {"{\"$gt\":1}", "2", ""},
        {"{\"$gt\":1}", "1", "wanted a number above 1, came 1"},
        {"{\"$gte\":1}", "1", ""},
        {"{\"$gte\":1}", "0.5", "wanted a number from 1 on, came 0.5"},
        {"{\"$lt\":1}", "0", ""},
        {"{\"$lt\":1}", "1", "wanted a number below 1, came 1"},
        {"{\"$lte\":1}", "1", ""},
        {"{\"$lte\":1}", "2", "wanted a number up to 1, came 2"},
        {"{\"$gt\":1}", "\"2\"", "wanted a number above 1, came \"2\""},
        {"{\"$gt\":1}", NULL, "wanted a number above 1, came nothing"},
        {"{\"$gt\":{\"$is\":\"one\"}}", "2", ""},
        {"{\"$gt\":{\"$plus\":[{\"$is\":\"one\"},1]}}", "2", "wanted a number above 2, came 2"},
    };
    EXPECT_MATCHES(cases);
}

Test(match, strings) {
    static const struct match_case cases[] = {
        {"{\"$regex\":\"^a.*c$\"}", "\"abbc\"", ""},
        {"{\"$regex\":\"^a.*c$\"}", "\"abbcd\"", "wanted a string that matches the regular expression \"^a.*c$\", came \"abbcd\""},
        {"{\"$regex\":\"a\"}", "1", "wanted a string that matches the regular expression \"a\", came 1"},
        {"{\"$regex\":\"b$\"}", "\"a\\u0000b\"", ""},
        {"{\"$contains\":\"bc\"}", "\"abcd\"", ""},
        {"{\"$contains\":\"\"}", "\"\"", ""},
        {"{\"$contains\":\"x\"}", "\"abcd\"", "wanted a string with the part, or an array with the element, \"x\", came \"abcd\""},
        {"{\"$contains\":{\"$concat\":[\"b\",\"c\"]}}", "\"abcd\"", ""},
        {"{\"$contains\":1}", "\"1\"", "wanted an array with an element like 1, came \"1\""},
    };
    EXPECT_MATCHES(cases);
}

Test(match, arrays) {
    static const struct match_case cases[] = {
        {"{\"$contains\":2}", "[1,2,3]", ""},
        {"{\"$contains\":{\"a\":1}}", "[{\"a\":2},{\"a\":1,\"b\":0}]", ""},
        {"{\"$contains\":2}", "[]", "wanted an array with an element like 2, came []"},
        {"{\"$contains\":2}", NULL, "wanted an array with an element like 2, came nothing"},
        {"{\"$unordered\":[1,2]}", "[2,1]", ""},
        {"{\"$unordered\":[]}", "[]", ""},
        {"{\"$unordered\":[1,1]}", "[1,2]", "wanted an element of its own for 1, came [1,2]"},
        {"{\"$unordered\":[1]}", "[1,1]", "wanted 1 element in some order: [1], came 2: [1,1]"},
        {"{\"$unordered\":[1]}", "1", "wanted an array, in some order of [1], came 1"},
        /* Taking the first that fits would leave the last pattern without an element. */
        {"{\"$unordered\":[{\"$any\":true},{\"$gt\":1},{\"$gt\":2}]}", "[3,2,1]", ""},
        {"{\"$unordered\":[{\"$gt\":0},{\"$gt\":1},{\"$gt\":2},{\"$gt\":3}]}", "[4,3,2,1]", ""},
        {"{\"$unordered\":[{\"$gt\":0},{\"$gt\":1},{\"$gt\":2},{\"$gt\":3}]}", "[4,3,1,1]",
         "wanted an element of its own for {\"$gt\":3}, came [4,3,1,1]"},
    };
    EXPECT_MATCHES(cases);
}

Test(match, patterns_of_patterns) {
    static const struct match_case cases[] = {
        {"{\"$not\":1}", "2", ""},
        {"{\"$not\":1}", "1", "wanted anything but 1, came 1"},
        {"{\"$not\":1}", NULL, "wanted anything but 1, came nothing"},
        {"{\"$not\":{\"$not\":1}}", "1", ""},
        {"{\"$one-of\":[1,2]}", "2", ""},
        {"{\"$one-of\":[1,2]}", "3", "wanted one of [1,2], came 3"},
        {"{\"$one-of\":[1,{\"$absent\":true}]}", NULL, ""},
        {"{\"$all\":[{\"$gt\":1},{\"$lt\":3}]}", "2", ""},
        {"{\"$all\":[{\"$gt\":1},{\"$lt\":3}]}", "4", "wanted a number below 3, came 4"},
        {"{\"a\":{\"$all\":[{\"b\":1},{\"c\":2}]}}", "{\"a\":{\"b\":2,\"c\":3}}", "a.b: wanted 1, came 2\na.c: wanted 2, came 3"},
        {"{\"$length\":3}", "\"abc\"", ""},
        {"{\"$length\":2}", "\"\\ud83d\\ude00\"", ""},
        {"{\"$length\":1}", "\"\\ud83d\"", ""},
        {"{\"$length\":2}", "[1,2]", ""},
        {"{\"$length\":{\"$gte\":1}}", "{\"a\":1}", ""},
        {"{\"$length\":2}", "[1]", "wanted length 2, came length 1: [1]"},
        {"{\"$length\":2}", "22", "wanted a string, array or object of length 2, came 22"},
    };
    EXPECT_MATCHES(cases);
}

Test(match, generated_values) {
    static const struct match_case cases[] = {
        {"{\"$json\":\"\\\"\\\\ud83d\\\"\"}", "\"\\ud83d\"", ""},
        {"{\"$json\":\"[1]\"}", "[2]", "wanted [1], came [2]"},
        {"{\"$literal\":{\"$any\":true}}", "{\"$any\":true}", ""},
        {"{\"$literal\":{\"a\":1}}", "{\"a\":1,\"b\":1}", "wanted {\"a\":1}, came {\"a\":1,\"b\":1}"},
        {"{\"$repeat\":{\"text\":\"ab\",\"times\":3}}", "\"ababab\"", ""},
        {"{\"$repeat\":{\"text\":\"ab\",\"times\":0}}", "\"ab\"", "wanted \"\", came \"ab\""},
        {"{\"$nested\":{\"in\":\"object\",\"levels\":2}}", "{\"n\":{\"n\":1}}", ""},
        {"{\"$nested\":{\"in\":\"array\",\"levels\":1,\"with\":[]}}", "[1]", "wanted [[]], came [1]"},
        {"{\"$concat\":[\"k\",{\"$is\":\"one\"}]}", "\"k1\"", ""},
        {"{\"$plus\":[{\"$is\":\"one\"},2]}", "3", ""},
        {"{\"$is\":\"one\"}", "1.0", ""},
        {"{\"a\":{\"$is\":\"one\"}}", "{\"a\":2}", "a: wanted 1 (bound to \"one\"), came 2"},
        {"{\"$is\":\"one\"}", NULL, "wanted 1 (bound to \"one\"), came nothing"},
        {"{\"$bind\":\"one\"}", "2", "wanted 1 (bound to \"one\"), came 2"},
        {"{\"$bind\":\"new\"}", NULL, "wanted any value, to be bound to \"new\", came nothing"},
    };
    EXPECT_MATCHES(cases);
}

/* ---- bindings ---------------------------------------------------------------------------------- */

/* What is bound after the match, in the order in which names were first seen. */
static void expect_bound(const char *pattern, const char *value, bool matched, const char *wanted) {
    struct arena *arena = arena_new(), *other = arena_new();
    struct bindings bindings = {.arena = arena};
    struct match_result result = match(test_json(other, pattern), test_json(other, value), &bindings);
    arena_free(other); /* what is bound must not live there */
    cr_expect_eq(result.matched, matched, "%s on %s", pattern, value);
    struct json_value *bound = json_object(arena);
    for (const struct binding *binding = bindings.first; binding != NULL; binding = binding->next)
        json_set(bound, binding->name, binding->value);
    test_expect_text(test_print(arena, bound), wanted, pattern);
    arena_free(arena);
}

Test(match, names_are_bound_when_the_whole_matches) {
    expect_bound("{\"a\":{\"$bind\":\"x\"},\"b\":{\"$is\":\"x\"}}", "{\"a\":[1],\"b\":[1]}", true, "{\"x\":[1]}");
    expect_bound("{\"a\":{\"$bind\":\"x\"},\"b\":{\"$is\":\"x\"}}", "{\"a\":1,\"b\":2}", false, "{}");
    expect_bound("{\"a\":{\"$bind\":\"x\"},\"b\":{\"$bind\":\"x\"}}", "{\"a\":1,\"b\":1.0}", true, "{\"x\":1}");
    expect_bound("{\"a\":{\"$bind\":\"x\"},\"b\":{\"$bind\":\"x\"}}", "{\"a\":1,\"b\":2}", false, "{}");
    expect_bound("{\"$not\":{\"a\":{\"$bind\":\"x\"},\"b\":1}}", "{\"a\":1,\"b\":2}", true, "{}");
    expect_bound("{\"$one-of\":[{\"a\":{\"$bind\":\"x\"},\"b\":1},{\"b\":{\"$bind\":\"y\"}}]}", "{\"a\":1,\"b\":2}", true, "{\"y\":2}");
    expect_bound("{\"$contains\":[{\"$bind\":\"x\"},2]}", "[[1,1],[2,2],[3,2]]", true, "{\"x\":2}");
}

Test(match, patterns_in_any_order_go_back_when_a_name_does_not_fit) {
    expect_bound("{\"$unordered\":[{\"a\":{\"$bind\":\"x\"}},{\"b\":{\"$is\":\"x\"}}]}", "[{\"a\":1},{\"a\":2,\"b\":2},{\"b\":1}]", false, "{}");
    expect_bound("{\"$unordered\":[{\"a\":{\"$bind\":\"x\"}},{\"b\":{\"$is\":\"x\"}},{\"a\":1}]}", "[{\"a\":1},{\"a\":2},{\"b\":2}]", true,
                 "{\"x\":2}");
    expect_bound("{\"$unordered\":[{\"$bind\":\"x\"},{\"$bind\":\"y\"},[{\"$is\":\"x\"},{\"$is\":\"y\"}]]}", "[[2,1],1,2]", true,
                 "{\"y\":1,\"x\":2}");
    expect_bound("{\"$unordered\":[{\"$bind\":\"x\"},5,{\"$type\":\"number\"}]}", "[5,6,\"a\"]", true, "{\"x\":\"a\"}");
}

Test(match, bound_values_are_kept_and_rebound) {
    struct arena *arena = arena_new();
    struct bindings bindings = {.arena = arena};
    cr_expect_null(bindings_get(&bindings, TEXT("x")));
    bindings_set(&bindings, TEXT("x"), json_number(arena, 1));
    bindings_set(&bindings, TEXT("x"), json_number(arena, 2));
    cr_expect_eq(bindings_get(&bindings, TEXT("x"))->number, 2);
    cr_expect_null(bindings.first->next);
    arena_free(arena);
}

Test(match, a_name_that_nothing_bound_is_the_scenarios_fault) {
    static const char *const patterns[] = {"{\"$is\":\"nobody\"}", "{\"$not\":{\"$is\":\"nobody\"}}", "{\"$one-of\":[{\"$is\":\"nobody\"},1]}",
                                           "{\"$unordered\":[{\"$is\":\"nobody\"}]}", "{\"$gt\":{\"$is\":\"nobody\"}}"};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        struct arena *arena = arena_new();
        struct bindings bindings = {.arena = arena};
        struct match_result result = match(test_json(arena, patterns[i]), test_json(arena, i == 3 ? "[1]" : "1"), &bindings);
        cr_expect_not(result.matched, "%s", patterns[i]);
        cr_assert_not_null(result.fault, "%s", patterns[i]);
        test_expect_text(result.fault, "nothing has bound the name \"nobody\"", patterns[i]);
        cr_assert_not_null(result.first, "%s", patterns[i]);
        arena_free(arena);
    }
}

Test(match, messages_in_any_order) {
    struct arena *arena = arena_new();
    struct bindings bindings = {.arena = arena};
    struct json_value *patterns = test_json(arena, "[{\"t\":\"a\",\"v\":{\"$bind\":\"v\"}},{\"t\":\"b\"}]");
    cr_expect(match_in_any_order(patterns, test_json(arena, "[{\"t\":\"b\"},{\"t\":\"a\",\"v\":3}]"), &bindings).matched);
    cr_expect_eq(bindings_get(&bindings, TEXT("v"))->number, 3);
    struct match_result result = match_in_any_order(patterns, test_json(arena, "[{\"t\":\"b\"},{\"t\":\"a\",\"v\":4}]"), &bindings);
    cr_expect_not(result.matched);
    test_expect_text(differences_of(arena, &result),
                     "wanted an element of its own for {\"t\":\"a\",\"v\":{\"$bind\":\"v\"}}, came [{\"t\":\"b\"},{\"t\":\"a\",\"v\":4}]", "bound already");
    result = match_in_any_order(patterns, test_json(arena, "[{\"t\":\"b\"}]"), &bindings);
    test_expect_text(differences_of(arena, &result),
                     "wanted 2 elements in some order: [{\"t\":\"a\",\"v\":{\"$bind\":\"v\"}},{\"t\":\"b\"}], came 1: [{\"t\":\"b\"}]", "too few");
    arena_free(arena);
}

/* ---- sizes ------------------------------------------------------------------------------------- */

Test(match, a_hundred_thousand_levels_are_no_danger) {
    struct arena *arena = arena_new();
    struct error error = {0};
    struct bindings bindings = {.arena = arena};
    static const char *const templates[][2] = {{"{\"$nested\":{\"in\":\"object\",\"levels\":100000}}", "{\"$nested\":{\"in\":\"object\",\"levels\":100000,\"with\":2}}"},
                                               {"{\"$nested\":{\"in\":\"array\",\"levels\":100000}}", "{\"$nested\":{\"in\":\"array\",\"levels\":100000,\"with\":2}}"}};
    for (size_t i = 0; i < 2; i++) {
        struct json_value *one = template_fill(test_json(arena, templates[i][0]), &bindings, &error);
        struct json_value *two = template_fill(test_json(arena, templates[i][1]), &bindings, &error);
        cr_assert(match_check(one, &error));
        cr_assert(template_check(one, &error));
        cr_expect(match(one, one, &bindings).matched);
        struct match_result result = match(one, two, &bindings);
        cr_assert_not(result.matched);
        cr_expect_leq(result.first->path.length, DIFFERENCE_TEXT_CEILING);
        cr_expect(text_starts_with(result.first->path, TEXT("…")));
        test_expect_text(result.first->wanted.bytes, "1", "at the bottom");
        test_expect_text(result.first->came.bytes, "2", "at the bottom");
    }
    arena_free(arena);
}

Test(match, many_keys_are_matched_quickly) {
    struct arena *arena = arena_new();
    struct bindings bindings = {.arena = arena};
    struct buffer text = {0};
    for (int i = 0; i < 200000; i++)
        buffer_format(&text, "%s\"k%d\":%d", i == 0 ? "{\"$exactly\":{" : ",", i, i);
    buffer_string(&text, "}}");
    struct json_value *pattern = test_json(arena, text.bytes);
    buffer_free(&text);
    for (int i = 200000 - 1; i >= 0; i--)
        buffer_format(&text, "%s\"k%d\":%d", i == 200000 - 1 ? "{" : ",", i, i);
    buffer_string(&text, "}");
    cr_expect(match(pattern, test_json(arena, text.bytes), &bindings).matched);
    buffer_free(&text);
    arena_free(arena);
}

Test(match, many_elements_in_any_order_are_paired) {
    enum { COUNT = 400 };
    struct arena *arena = arena_new();
    struct bindings bindings = {.arena = arena};
    struct json_value *patterns = json_array(arena), *values = json_array(arena);
    for (int i = 0; i < COUNT; i++) {
        struct json_value *above = json_object(arena);
        json_set(above, TEXT("$gte"), json_number(arena, i));
        json_append(patterns, above);
        json_append(values, json_number(arena, COUNT - 1 - i));
    }
    cr_expect(match_in_any_order(patterns, values, &bindings).matched);
    values->last->number = -1;
    cr_expect_not(match_in_any_order(patterns, values, &bindings).matched);
    arena_free(arena);
}

Test(match, a_search_that_takes_too_long_says_so) {
    struct arena *arena = arena_new();
    struct bindings bindings = {.arena = arena};
    struct json_value *patterns = json_array(arena), *values = json_array(arena);
    for (int i = 0; i < 12; i++) {
        struct json_value *bind = json_object(arena);
        json_set(bind, TEXT("$bind"), json_string(arena, text_of(arena_format(arena, "n%d", i))));
        json_append(patterns, bind);
        json_append(values, json_number(arena, i));
    }
    json_append(patterns, json_string(arena, TEXT("none")));
    json_append(values, json_number(arena, 12));
    struct match_result result = match_in_any_order(patterns, values, &bindings);
    cr_assert_not(result.matched);
    cr_expect(strstr(result.first->wanted.bytes, "fewer trials") != NULL, "%s", result.first->wanted.bytes);
    cr_expect_null(bindings.first);
    arena_free(arena);
}

Test(match, long_texts_are_cut_and_differences_are_counted) {
    struct arena *arena = arena_new();
    struct error error = {0};
    struct bindings bindings = {.arena = arena};
    struct json_value *value = template_fill(test_json(arena, "{\"$repeat\":{\"text\":\"é\",\"times\":1000}}"), &bindings, &error);
    struct match_result result = match(test_json(arena, "1"), value, &bindings);
    cr_expect_leq(result.first->came.length, DIFFERENCE_TEXT_CEILING);
    cr_expect(text_ends_with(result.first->came, TEXT("é… (2002 bytes in all)")), "%s", result.first->came.bytes);
    value = template_fill(test_json(arena, "{\"$concat\":[\"a\",{\"$repeat\":{\"text\":\"é\",\"times\":1000}}]}"), &bindings, &error);
    result = match(test_json(arena, "1"), value, &bindings);
    cr_expect(text_ends_with(result.first->came, TEXT("é… (2003 bytes in all)")), "%s", result.first->came.bytes);
    /* The words around a value count too. */
    value = template_fill(test_json(arena, "{\"$repeat\":{\"text\":\"é\",\"times\":196}}"), &bindings, &error);
    struct json_value *anything_but = json_object(arena);
    json_set(anything_but, TEXT("$not"), json_copy(arena, value));
    result = match(anything_but, value, &bindings);
    cr_expect_eq(result.first->came.length, 394);
    cr_expect_leq(result.first->wanted.length, DIFFERENCE_TEXT_CEILING);
    cr_expect(text_ends_with(result.first->wanted, TEXT("é… (394 bytes in all)")), "%s", result.first->wanted.bytes);
    struct json_value *many = json_array(arena), *others = json_array(arena);
    for (int i = 0; i < 50; i++) {
        json_append(many, json_number(arena, i));
        json_append(others, json_number(arena, -1));
    }
    size_t count = 0;
    result = match(many, others, &bindings);
    for (const struct difference *difference = result.first; difference != NULL; difference = difference->next)
        count++;
    cr_expect_eq(count, DIFFERENCE_COUNT_CEILING);
    arena_free(arena);
}
