/*
 * The relay's JSON scanner against the harness' parser, which was written apart from it: both accept the same texts,
 * and see the same values in them.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/fuzz/support/oracle.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/scanner.h"
#include "relay-ref/json/string.h"

/* Writes a string decoded and encoded anew, and has the harness decode both spellings. */
static void check_string(const struct json_value *string, FILE *again) {
    char *characters = malloc(string->length);
    size_t length = relay_string_decode(string, characters);
    if (!oracle_has_characters(string->bytes, string->length, characters, length))
        found("decoded wrongly: %.*s", (int)string->length, string->bytes);
    size_t size = relay_string_encoded_length(characters, length);
    char *spelled = malloc(size);
    if (relay_string_encode(characters, length, spelled) != size ||
        !oracle_has_characters(spelled, size, characters, length))
        found("encoded wrongly: %.*s", (int)string->length, string->bytes);
    fwrite(spelled, 1, size, again);
    free(spelled);
    free(characters);
}

/* Reads a number, which both must read alike, and spells it as JavaScript would, which must read back. */
static void check_number(const struct json_value *value, FILE *again) {
    double number, back;
    char text[NUMBER_TEXT_CAPACITY];
    if (!relay_number_read(value, &number) || number != oracle_number(value->bytes, value->length))
        found("read wrongly: %.*s", (int)value->length, value->bytes);
    if (number - number != 0) { /* infinite */
        fwrite(value->bytes, 1, value->length, again);
        return;
    }
    struct json_value spelled = {.kind = JSON_NUMBER, .bytes = text, .length = relay_number_write(number, text)};
    if (!relay_number_read(&spelled, &back) || back != number)
        found("spelled wrongly: %.*s as %.*s", (int)value->length, value->bytes, (int)spelled.length, text);
    fwrite(text, 1, spelled.length, again);
}

/* The containers around the place, innermost last: '{' or '['. */
struct walk {
    struct json_scanner scanner;
    char *open;
    size_t depth;
    FILE *again;
};

/* Takes the value that comes next: goes into a container, writes anything else. */
static void take(struct walk *walk) {
    struct json_value value;
    enum json_kind kind = relay_scan_peek(&walk->scanner);
    if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
        if (!relay_scan_enter(&walk->scanner))
            found("a container that was accepted cannot be entered");
        walk->open[walk->depth] = kind == JSON_ARRAY ? '[' : '{';
        fputc(walk->open[walk->depth++], walk->again);
        return;
    }
    if (!relay_scan_value(&walk->scanner, &value) || value.kind != kind)
        found("a value that was accepted cannot be taken");
    if (kind == JSON_STRING)
        check_string(&value, walk->again);
    else if (kind == JSON_NUMBER)
        check_number(&value, walk->again);
    else
        fwrite(value.bytes, 1, value.length, walk->again);
}

/* Takes the next child of the innermost container, or leaves it. True when there is something after which a comma may
   be needed. */
static bool step(struct walk *walk, bool behind_value) {
    struct json_value name;
    bool object = walk->open[walk->depth - 1] == '{';
    if (!(object ? relay_scan_member(&walk->scanner, &name) : relay_scan_element(&walk->scanner))) {
        walk->depth--;
        fputc(object ? '}' : ']', walk->again);
        return true;
    }
    if (behind_value)
        fputc(',', walk->again);
    if (object) {
        check_string(&name, walk->again);
        fputc(':', walk->again);
    }
    size_t depth = walk->depth;
    take(walk);
    return walk->depth == depth;
}

/* Pulls the whole text apart and writes it anew; it must be the same value. */
static void check_again(const char *text, size_t length) {
    char *written = NULL;
    size_t size = 0;
    struct walk walk = {.open = malloc(length + 1), .again = open_memstream(&written, &size)};
    relay_scan_start(&walk.scanner, text, length);
    take(&walk);
    for (bool behind_value = false; walk.depth > 0;)
        behind_value = step(&walk, behind_value);
    if (!relay_scan_finish(&walk.scanner))
        found("a text that was accepted does not end well");
    relay_scan_end(&walk.scanner);
    fclose(walk.again);
    if (!oracle_equal(text, length, written, size))
        found("pulled apart it is another value: %.*s", (int)size, written);
    free(written);
    free(walk.open);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    struct json_value value;
    enum json_error error = relay_json_check(text, size, &value);
    if ((error == JSON_FINE) != oracle_accepts(text, size))
        found("the relay %s what the harness %s", error == JSON_FINE ? "accepts" : "refuses",
              error == JSON_FINE ? "refuses" : "accepts");
    if (error != JSON_FINE)
        return 0;
    if (!oracle_equal(text, size, value.bytes, value.length))
        found("the value without the white space around it is another one");
    check_again(text, size);
    return 0;
}
