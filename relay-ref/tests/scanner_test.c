#include "relay-ref/json/scanner.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/tests/world.h"

/* The text is copied to memory of exactly its size, so that a sanitizer sees any byte read past its end. */
static enum json_error check_bytes(const char *text, size_t length) {
    struct json_value value;
    char *exact = malloc(length > 0 ? length : 1);
    cr_assert_not_null(exact);
    memcpy(exact, text, length);
    enum json_error error = relay_json_check(exact, length, &value);
    free(exact);
    return error;
}

static enum json_error check(const char *text) {
    return check_bytes(text, strlen(text));
}

static const char *const valid[] = {
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1.5",
    "1e5",
    "1E+5",
    "1e-5",
    "0.1",
    "12345678901234567890",
    "\"\"",
    "\"a\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\u0000\"",
    "\"\\ud83d\"",
    "\"\\uD83D\\uDE00\"",
    "\"\xc3\xa9\"",
    "\"\xe2\x82\xac\"",
    "\"\xf0\x9f\x98\x80\"",
    "\"\xef\xbf\xbf\"",
    "\"\xf4\x8f\xbf\xbf\"",
    "\"\x7f\"",
    "[]",
    "[ ]",
    "{}",
    "{ }",
    " [1 , 2] ",
    "[[],[[]],{}]",
    "{\"a\":1}",
    "{\"a\":{\"b\":[1,{\"c\":null}]}}",
    "\t\r\n{ \"a\" : [ true , false ] , \"b\" : \"x\" }\n",
    "{\"\":0}",
    "{\"a\":1,\"a\":2}",
};

static const char *const invalid[] = {
    "",
    " ",
    "nul",
    "nulll",
    "True",
    "00",
    "01",
    "-",
    "+1",
    ".5",
    "1.",
    "1.e5",
    "1e",
    "1e+",
    "0x1",
    "NaN",
    "Infinity",
    "\"",
    "\"a",
    "\"\\\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"\\",
    "\"\\u",
    "\"\n\"",
    "\"\t\"",
    "'a'",
    "[",
    "]",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1}",
    "{",
    "}",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1",
    "{\"a\":1,",
    "{\"a\":1,}",
    "{,}",
    "{a:1}",
    "{\"a\" 1}",
    "{\"a\":1]",
    "{1:2}",
    "{\"a\":1 \"b\":2}",
    "[[]",
    "[{]}",
    "{\"a\":[}",
    "{}x",
    "{}{}",
    "[] []",
    "1 2",
    "null,",
    "\xef\xbb\xbf{}",
    "\xc2\xa0{}",
    "{}\x01",
    "[1]/**/",
};

static const char *const not_utf8[] = {
    "\"\x80\"",
    "\"\xbf\"",
    "\"\xc0\x80\"",
    "\"\xc1\xbf\"",
    "\"\xe0\x80\x80\"",
    "\"\xe0\x9f\xbf\"",
    "\"\xed\xa0\x80\"",
    "\"\xed\xbf\xbf\"",
    "\"\xf0\x80\x80\x80\"",
    "\"\xf0\x8f\xbf\xbf\"",
    "\"\xf4\x90\x80\x80\"",
    "\"\xf5\x80\x80\x80\"",
    "\"\xff\"",
    "\"\xc3\"",
    "\"\xe2\x82\"",
    "\"\xf0\x9f\x98\"",
    "\"\xc3\xc3\"",
    "{\"\xfe\":1}",
};

Test(scanner, takes_what_is_json) {
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
        cr_expect_eq(check(valid[i]), JSON_FINE, "%s", valid[i]);
}

Test(scanner, refuses_what_is_not) {
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        cr_expect_eq(check(invalid[i]), JSON_MALFORMED, "%s", invalid[i]);
    cr_expect_eq(check_bytes("[1]\0", 4), JSON_MALFORMED);
    cr_expect_eq(check_bytes("\"a\0b\"", 5), JSON_MALFORMED);
}

Test(scanner, refuses_what_is_not_utf8) {
    for (size_t i = 0; i < sizeof not_utf8 / sizeof *not_utf8; i++)
        cr_expect_eq(check(not_utf8[i]), JSON_NOT_UTF8, "number %zu", i);
}

/* Wherever a string starts within the eight bytes that are looked at together, every position is checked. */
Test(scanner, sees_every_byte_of_long_strings) {
    for (size_t length = 1; length < 40; length++) {
        for (size_t at = 0; at < length; at++) {
            static const char spoilers[] = "\x01\x1f\x80\xff";
            char text[48] = "\"";
            memset(text + 1, 'a', length);
            text[1 + length] = '"';
            cr_assert_eq(check(text), JSON_FINE);
            for (size_t s = 0; s < 4; s++) {
                text[1 + at] = spoilers[s];
                cr_assert_neq(check_bytes(text, length + 2), JSON_FINE, "%zu of %zu", at, length);
            }
        }
    }
}

Test(scanner, refuses_every_text_that_is_cut) {
    static const char text[] =
        "{\"t\":\"env\",\"n\":[1,-2.5e+3,{\"a\":null,\"b\":[true,false]}],\"s\":\"\\ud83d\xe2\x82\xac\"}";
    size_t length = sizeof text - 1;
    cr_assert_eq(check(text), JSON_FINE);
    for (size_t cut = 0; cut < length; cut++)
        cr_expect_neq(check_bytes(text, cut), JSON_FINE, "cut at %zu", cut);
}

/* One bit flipped anywhere never makes the scanner read past the end or loop. */
Test(scanner, survives_every_flipped_bit) {
    static const char text[] = "{\"a\":[1,{\"b\":\"x\\n\xc3\xa9\"},null],\"c\":-0.5e1}";
    char copy[sizeof text];
    size_t accepted = 0;
    for (size_t bit = 0; bit < (sizeof text - 1) * 8; bit++) {
        memcpy(copy, text, sizeof text);
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        accepted += check_bytes(copy, sizeof text - 1) == JSON_FINE;
    }
    cr_assert(accepted > 0 && accepted < (sizeof text - 1) * 8);
}

static void check_depth(size_t levels, const char *open, const char *inner, const char *close) {
    char *opens = repeated(open, levels), *closes = repeated(close, levels);
    size_t length = strlen(opens) + strlen(inner) + strlen(closes);
    char *text = malloc(length + 1);
    cr_assert_not_null(text);
    snprintf(text, length + 1, "%s%s%s", opens, inner, closes);
    cr_expect_eq(check_bytes(text, length), JSON_FINE, "%zu levels of %s", levels, open);
    cr_expect_eq(check_bytes(text, length - 1), JSON_MALFORMED, "%zu levels of %s, cut", levels, open);
    text[length - 1] = *close == ']' ? '}' : ']';
    cr_expect_eq(check_bytes(text, length), JSON_MALFORMED, "%zu levels of %s, wrong end", levels, open);
    free(text);
    free(opens);
    free(closes);
}

Test(scanner, nests_without_a_limit) {
    static const size_t levels[] = {1, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 5000, 100000};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        check_depth(levels[i], "[", "", "]");
        check_depth(levels[i], "{\"a\":", "1", "}");
    }
}

Test(scanner, hands_out_values_as_they_came) {
    static const char text[] = " { \"a\" : [ 1 , 2 ] ,\"\\u0062\":\"x\\ty\", \"c\":1.50 } ";
    struct json_scanner scanner;
    struct json_value name, value;
    relay_scan_start(&scanner, text, sizeof text - 1);
    cr_assert_eq(relay_scan_peek(&scanner), JSON_OBJECT);
    cr_assert(relay_scan_enter(&scanner));
    cr_assert(relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &value));
    cr_expect_eq(value.kind, JSON_ARRAY);
    cr_expect(value.length == 9 && memcmp(value.bytes, "[ 1 , 2 ]", 9) == 0);
    cr_assert(relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &value));
    cr_expect(name.escaped && name.length == 8 && memcmp(name.bytes, "\"\\u0062\"", 8) == 0);
    cr_expect(value.escaped && value.kind == JSON_STRING && value.length == 6);
    cr_assert(relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &value));
    cr_expect(!name.escaped && value.kind == JSON_NUMBER && value.length == 4);
    cr_expect_not(relay_scan_member(&scanner, &name));
    cr_expect(relay_scan_finish(&scanner));
    relay_scan_end(&scanner);
}
