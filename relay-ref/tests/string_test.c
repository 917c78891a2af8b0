#include "relay-ref/json/string.h"

#include <criterion/criterion.h>
#include <string.h>

#include "relay-ref/json/number.h"

static struct json_value value_of(const char *text) {
    struct json_value value;
    cr_assert_eq(relay_json_check(text, strlen(text), &value), JSON_FINE, "%s", text);
    return value;
}

static void decodes_to(const char *json, const char *characters, size_t length) {
    char out[64];
    struct json_value value = value_of(json);
    size_t got = relay_string_decode(&value, out);
    cr_expect(got == length && memcmp(out, characters, length) == 0, "%s", json);
    cr_expect(relay_string_equals(&value, characters, length), "%s", json);
    cr_expect_not(relay_string_equals(&value, characters, length - 1), "%s", json);
    cr_expect_not(relay_string_equals(&value, "something else", 14), "%s", json);
}

Test(string, decodes_escapes) {
    decodes_to("\"plain\"", "plain", 5);
    decodes_to("\"a\\u0000b\"", "a\0b", 3);
    decodes_to("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
    decodes_to("\"\\u00e9\\u20ac\"", "\xc3\xa9\xe2\x82\xac", 5);
    decodes_to("\"\\uD83D\\uDE00\"", "\xf0\x9f\x98\x80", 4);
}

Test(string, keeps_lone_surrogates_as_wtf8) {
    decodes_to("\"\\ud83d\"", "\xed\xa0\xbd", 3);
    decodes_to("\"\\ude00\\ud83d\"", "\xed\xb8\x80\xed\xa0\xbd", 6);
    decodes_to("\"\\ud83d\\ud83d\\ude00\"", "\xed\xa0\xbd\xf0\x9f\x98\x80", 7);
    decodes_to("\"\\ud83dx\"", "\xed\xa0\xbdx", 4);
    decodes_to("\"\\ud83d\\n\"", "\xed\xa0\xbd\n", 4);
}

static void encodes_to(const char *characters, size_t length, const char *json) {
    char out[64];
    size_t got = relay_string_encode(characters, length, out);
    cr_expect(got == strlen(json) && memcmp(out, json, got) == 0, "%s", json);
    cr_expect_eq(relay_string_encoded_length(characters, length), got);
    struct json_value value = {JSON_STRING, out, got, memchr(out, '\\', got) != NULL};
    cr_expect(relay_string_equals(&value, characters, length), "%s", json);
}

Test(string, encodes_what_it_decoded) {
    encodes_to("plain", 5, "\"plain\"");
    encodes_to("", 0, "\"\"");
    encodes_to("a\0b\x1f", 4, "\"a\\u0000b\\u001f\"");
    encodes_to("\"\\/\b\f\n\r\t", 8, "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
    encodes_to("\xed\xa0\xbd", 3, "\"\\ud83d\"");
    encodes_to("\xed\xbf\xbf\xed\x9f\xbf", 6, "\"\\udfff\xed\x9f\xbf\"");
    encodes_to("\xf0\x9f\x98\x80\xc3\xa9", 6, "\"\xf0\x9f\x98\x80\xc3\xa9\"");
}

Test(string, a_backslash_is_not_its_escape) {
    struct json_value newline = value_of("\"\\n\"");
    cr_expect_not(relay_string_equals(&newline, "\\n", 2));
    cr_expect(relay_string_equals(&newline, "\n", 1));
}

static void spells(double number, const char *text) {
    char out[NUMBER_TEXT_CAPACITY];
    size_t length = relay_number_write(number, out);
    cr_expect(length == strlen(text) && memcmp(out, text, length) == 0, "%s came as %.*s", text, (int)length, out);
}

Test(number, is_spelled_as_javascript_does) {
    spells(0, "0");
    spells(-0.0, "0");
    spells(1, "1");
    spells(-17, "-17");
    spells(0.1, "0.1");
    spells(-0.5, "-0.5");
    spells(1.5, "1.5");
    spells(123456.789, "123456.789");
    spells(0.000001, "0.000001");
    spells(1e-7, "1e-7");
    spells(1.25e-7, "1.25e-7");
    spells(1e20, "100000000000000000000");
    spells(1e21, "1e+21");
    spells(1.5e300, "1.5e+300");
    spells(1.7976931348623157e308, "1.7976931348623157e+308");
    spells(5e-324, "5e-324");
    spells(9007199254740992.0, "9007199254740992");
    spells(9007199254740994.0, "9007199254740994");
}

Test(number, compares_as_double) {
    static const char *const ones[] = {"1", "1.0", "1e0", "10e-1", "0.1e1", "1.00000000000000000000000000001"};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        struct json_value value = value_of(ones[i]);
        uint64_t count = 0;
        cr_expect(relay_number_equals(&value, 1), "%s", ones[i]);
        cr_expect(relay_number_read_count(&value, &count) && count == 1, "%s", ones[i]);
    }
    struct json_value large = value_of("-12345678901234567890123"), near = value_of("9007199254740993");
    cr_expect(relay_number_equals(&large, -1.2345678901234568e22));
    cr_expect(relay_number_equals(&near, 9007199254740992.0));
    struct json_value text = value_of("\"1\"");
    cr_expect_not(relay_number_equals(&text, 1));
}

Test(number, counts_are_whole_and_in_range) {
    static const char *const none[] = {"-1", "0.5", "1e300", "1e400", "9007199254740994", "\"1\"", "null", "true"};
    uint64_t count;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct json_value value = value_of(none[i]);
        cr_expect_not(relay_number_read_count(&value, &count), "%s", none[i]);
    }
}
