#include "harness/json/raw.h"
#include "harness/tests/support.h"

TestSuite(raw, .timeout = 60);

/* The members of an object, one a line as `key value`. */
static const char *members(struct arena *arena, const char *json) {
    struct text compact = json_raw_compact(arena, text_of(json));
    struct buffer out = {0};
    struct json_raw_member member;
    for (size_t at = 0; json_raw_next(compact, &at, &member);) {
        buffer_text(&out, member.key);
        buffer_string(&out, " ");
        buffer_text(&out, member.value);
        buffer_string(&out, "\n");
    }
    const char *kept = arena_copy(arena, out.bytes == NULL ? "" : out.bytes, out.length);
    buffer_free(&out);
    return kept;
}

Test(raw, only_whitespace_between_tokens_goes) {
    static const char *const cases[][2] = {
        {" { \"a b\" :\t[ 1 , 2.50 ]\r\n}", "{\"a b\":[1,2.50]}"},
        {"\"a \\\" b\"", "\"a \\\" b\""},
        {"{\"a\\\\\" : 1e2 , \"a\\\\\" : \"\\u0061 \" }", "{\"a\\\\\":1e2,\"a\\\\\":\"\\u0061 \"}"},
        {"", ""},
        {" 1 ", "1"},
    };
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text came = json_raw_compact(arena, text_of(cases[i][0]));
        test_expect_text(arena_copy(arena, came.bytes, came.length), cases[i][1], cases[i][0]);
    }
    arena_free(arena);
}

Test(raw, members_come_in_order_as_they_are_spelled) {
    static const char *const cases[][2] = {
        {"{}", ""},
        {"[1]", ""},
        {"null", ""},
        {"{\"b\": 1.50, \"a\": {\"x\": [1, {\"y\": \"},]\"}]}, \"b\": null}",
         "\"b\" 1.50\n\"a\" {\"x\":[1,{\"y\":\"},]\"}]}\n\"b\" null\n"},
        {"{\"\\u0061:\": \"a\\\\\", \"c,\": []}", "\"\\u0061:\" \"a\\\\\"\n\"c,\" []\n"},
    };
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_expect_text(members(arena, cases[i][0]), cases[i][1], cases[i][0]);
    arena_free(arena);
}
