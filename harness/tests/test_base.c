#include <stdint.h>
#include <string.h>

#include "harness/base/arena.h"
#include "harness/base/error.h"
#include "harness/base/file.h"
#include "harness/base/nearest.h"
#include "harness/tests/support.h"

TestSuite(base, .timeout = 120);

Test(base, error_texts_gain_context) {
    struct error error;
    cr_expect_not(error_set(&error, ERROR_USAGE, "line %d", 3));
    cr_expect_not(error_context(&error, "file %s", "a.yaml"));
    cr_expect_eq(error.code, ERROR_USAGE);
    test_expect_text(error.text, "file a.yaml: line 3", "context in front");
    error_set(&error, ERROR_TARGET, "<%s>", error.text);
    test_expect_text(error.text, "<file a.yaml: line 3>", "a text made of itself");
}

Test(base, long_error_texts_are_cut_between_characters) {
    char text[ERROR_TEXT_CAPACITY * 2];
    for (size_t pad = 0; pad < 4; pad++) {
        memset(text, 'a', pad);
        for (size_t i = pad; i + 2 < sizeof(text); i += 2)
            memcpy(text + i, "é", 3);
        struct error error;
        error_set(&error, ERROR_USAGE, "%s", text);
        size_t length = strlen(error.text);
        cr_expect_lt(length, ERROR_TEXT_CAPACITY);
        cr_expect_gt(length, ERROR_TEXT_CAPACITY - 8);
        cr_expect_str_eq(error.text + length - 3, "…");
        cr_expect_eq((length - 3 - pad) % 2, 0, "half a character is left in front of the mark");
        error_context(&error, "x");
        cr_expect_str_eq(error.text + strlen(error.text) - 3, "…");
    }
}

Test(base, arena_memory_is_zeroed_aligned_and_apart) {
    struct arena *arena = arena_new();
    unsigned char *earlier = NULL;
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *bytes = arena_alloc(arena, size);
        cr_assert_eq((uintptr_t)bytes % sizeof(max_align_t) % _Alignof(max_align_t), 0);
        cr_assert_neq(bytes, earlier);
        for (size_t i = 0; i < size; i++)
            cr_assert_eq(bytes[i], 0);
        memset(bytes, 0xAA, size);
        earlier = bytes;
    }
    memset(arena_alloc(arena, 5 << 20), 1, 5 << 20);
    test_expect_text(arena_format(arena, "%s-%d", "a", 7), "a-7", "formatted");
    cr_expect_eq(memcmp(arena_copy(arena, "a\0b", 3), "a\0b", 4), 0);
    arena_free(arena);
    arena_free(NULL);
}

Test(base, texts_compare_by_length_and_bytes) {
    cr_expect(text_equal((struct text){NULL, 0}, TEXT("")));
    cr_expect(text_equal(TEXT("a\0b"), TEXT("a\0b")));
    cr_expect_not(text_equal(TEXT("a\0b"), TEXT("a\0c")));
    cr_expect_not(text_equal(TEXT("a"), TEXT("ab")));
    cr_expect(text_starts_with(TEXT("abc"), TEXT("ab")));
    cr_expect_not(text_starts_with(TEXT("ab"), TEXT("abc")));
    cr_expect(text_ends_with(TEXT("abc"), TEXT("bc")));
    cr_expect_not(text_ends_with(TEXT("c"), TEXT("bc")));
}

Test(base, globs) {
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {{"", "", true},          {"*", "", true},         {"a*c", "abbc", true},   {"a*c", "abbd", false},
                 {"join/*", "join/x", true}, {"?", "", false},     {"?", "x", true},        {"a?c", "abc", true},
                 {"*a*b", "xaxbxb", true}, {"*a*b", "xaxbx", false}, {"abc", "abcd", false}, {"abcd", "abc", false},
                 {"**", "x", true},        {"a*", "ba", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        cr_expect_eq(text_glob(cases[i].pattern, text_of(cases[i].text)), cases[i].matches, "%s on %s", cases[i].pattern,
                     cases[i].text);
}

Test(base, many_stars_take_no_exponential_time) {
    char text[2001];
    memset(text, 'a', 2000);
    text[2000] = '\0';
    cr_expect_not(text_glob("a*a*a*a*a*a*a*a*a*a*a*a*b", text_of(text)));
}

Test(base, a_buffer_is_cut_at_its_ceiling) {
    struct buffer buffer = {.ceiling = 10};
    buffer_string(&buffer, "12345");
    cr_expect_not(buffer.overflowed);
    buffer_format(&buffer, "%d", 1234567);
    cr_expect(buffer.overflowed);
    test_expect_text(buffer.bytes, "1234512345", "cut");
    buffer_append(&buffer, "x", 1);
    cr_expect_eq(buffer.length, 10);
    buffer_consume(&buffer, 4);
    test_expect_text(buffer.bytes, "512345", "consumed");
    buffer_consume(&buffer, 100);
    test_expect_text(buffer.bytes, "", "consumed whole");
    buffer_free(&buffer);
    cr_expect_eq(buffer.ceiling, 10);
    cr_expect_null(buffer.bytes);
}

Test(base, the_nearest_name_is_suggested) {
    static const char *const names[] = {"hello", "gets", "gets-in-any-order", "quiet", "closed", "presence"};
    static const struct {
        const char *name, *nearest;
    } cases[] = {{"get", "gets"},     {"helo", "hello"},   {"hlelo", "hello"},     {"quite", "quiet"}, {"close", "closed"},
                 {"HELLO", "hello"},  {"gtes", "gets"},  {"presense", "presence"}, {"gets-in-any-ordr", "gets-in-any-order"},
                 {"frobnicate", NULL}, {"x", NULL},        {"", NULL}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *nearest = nearest_name(text_of(cases[i].name), names, sizeof(names) / sizeof(names[0]));
        test_expect_text(nearest != NULL ? nearest : "none", cases[i].nearest != NULL ? cases[i].nearest : "none", cases[i].name);
    }
}

Test(base, files_that_cannot_be_read_are_named) {
    struct arena *arena = arena_new();
    struct text text;
    struct error error = {0};
    cr_expect_not(file_read(arena, TEST_DATA "/none", 10, &text, &error));
    test_expect_text(error.text, TEST_DATA "/none: cannot be read: No such file or directory", "missing");
    cr_expect_eq(error.code, ERROR_USAGE);
    cr_expect_not(file_read(arena, TEST_DATA, 10, &text, &error));
    test_expect_text(error.text, TEST_DATA ": expected a plain file", "a folder");
    cr_expect_not(file_read(arena, "harness/tests/support.c", 10, &text, &error));
    cr_expect(strstr(error.text, "more than the 10 that are allowed") != NULL, "%s", error.text);
    cr_expect(file_read(arena, "harness/tests/support.c", 100000, &text, &error));
    cr_expect(text_starts_with(text, TEXT("#include")));
    arena_free(arena);
}
