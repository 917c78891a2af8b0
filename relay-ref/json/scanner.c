#include "relay-ref/json/scanner.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/json/utf8.h"

void relay_scan_start(struct json_scanner *scanner, const char *text, size_t length) {
    scanner->text = text;
    scanner->length = length;
    scanner->at = 0;
    scanner->escaped = false;
    scanner->first = false;
    scanner->error = JSON_FINE;
    scanner->max_depth = SIZE_MAX;
    scanner->depth = 0;
    scanner->heap_levels = NULL;
    scanner->heap_words = 0;
}

void relay_scan_end(struct json_scanner *scanner) {
    free(scanner->heap_levels);
    scanner->heap_levels = NULL;
    scanner->heap_words = 0;
}

static bool fail(struct json_scanner *scanner, enum json_error error) {
    if (scanner->error == JSON_FINE)
        scanner->error = error;
    return false;
}

static inline bool is_space(char byte) {
    return byte <= ' ' && (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r');
}

static inline bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

/* Mostly there is none. */
static inline void skip_space(struct json_scanner *scanner) {
    size_t at = scanner->at;
    while (at < scanner->length && is_space(scanner->text[at]))
        at++;
    scanner->at = at;
}

/* The next byte, or NUL at the end (a NUL in the text is malformed wherever this is asked). */
static inline char next_byte(const struct json_scanner *scanner) {
    return scanner->at < scanner->length ? scanner->text[scanner->at] : '\0';
}

/* ---- scalars ----------------------------------------------------------------------------------- */

static bool take_word(struct json_scanner *scanner, const char *word, size_t length) {
    if (scanner->length - scanner->at < length || memcmp(scanner->text + scanner->at, word, length) != 0)
        return fail(scanner, JSON_MALFORMED);
    scanner->at += length;
    return true;
}

static bool take_digits(struct json_scanner *scanner) {
    size_t at = scanner->at;
    while (at < scanner->length && is_digit(scanner->text[at]))
        at++;
    if (at == scanner->at)
        return fail(scanner, JSON_MALFORMED);
    scanner->at = at;
    return true;
}

static bool take_number(struct json_scanner *scanner) {
    if (next_byte(scanner) == '-')
        scanner->at++;
    if (next_byte(scanner) == '0')
        scanner->at++;
    else if (!take_digits(scanner))
        return false;
    if (next_byte(scanner) == '.') {
        scanner->at++;
        if (!take_digits(scanner))
            return false;
    }
    if (next_byte(scanner) == 'e' || next_byte(scanner) == 'E') {
        scanner->at++;
        if (next_byte(scanner) == '+' || next_byte(scanner) == '-')
            scanner->at++;
        return take_digits(scanner);
    }
    return true;
}

static bool is_hex(char byte) {
    return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

/* An escape behind its backslash. */
static bool take_escape(struct json_scanner *scanner) {
    char kind = next_byte(scanner);
    if (kind == '\0' || strchr("\"\\/bfnrtu", kind) == NULL)
        return fail(scanner, JSON_MALFORMED);
    scanner->at++;
    if (kind != 'u')
        return true;
    for (int digit = 0; digit < 4; digit++, scanner->at++)
        if (!is_hex(next_byte(scanner)))
            return fail(scanner, JSON_MALFORMED);
    return true;
}

/* Looks at eight bytes at once: has the high bit of each byte set that is a control character, a quote, a backslash or
   beyond ASCII. Above the first such byte others may be marked that are none, below it none is. */
static inline uint64_t special_bytes(uint64_t word) {
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    return ((word - ones * 0x20) | (quote - ones) | (backslash - ones) | word) & highs;
}

/* The eight bytes with the first one lowest. */
static inline uint64_t load_eight(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline bool is_plain(char byte) {
    return byte >= 0x20 && byte != '"' && byte != '\\' && (unsigned char)byte < 0x80;
}

/* Where the plain characters from `at` on end. */
static inline size_t plain_end(const char *text, size_t at, size_t length) {
    for (; length - at >= 8; at += 8) {
        uint64_t special = special_bytes(load_eight(text + at));
        if (special != 0)
            return at + (size_t)__builtin_ctzll(special) / 8;
    }
    while (at < length && is_plain(text[at]))
        at++;
    return at;
}

/* What stands in a string and is not plain: an escape or a character beyond ASCII. */
static bool take_special(struct json_scanner *scanner) {
    unsigned char byte = (unsigned char)scanner->text[scanner->at];
    if (byte < 0x20)
        return fail(scanner, JSON_MALFORMED);
    if (byte == '\\') {
        scanner->at++;
        scanner->escaped = true;
        return take_escape(scanner);
    }
    size_t step = relay_utf8_step(scanner->text + scanner->at, scanner->length - scanner->at);
    scanner->at += step;
    return step > 0 || fail(scanner, JSON_NOT_UTF8);
}

static bool take_string(struct json_scanner *scanner) {
    scanner->escaped = false;
    scanner->at++;
    for (;;) {
        scanner->at = plain_end(scanner->text, scanner->at, scanner->length);
        if (scanner->at == scanner->length)
            return fail(scanner, JSON_MALFORMED);
        if (scanner->text[scanner->at] == '"') {
            scanner->at++;
            return true;
        }
        if (!take_special(scanner))
            return false;
    }
}

static inline enum json_kind kind_of(char byte) {
    static const unsigned char kinds[256] = {
        ['{'] = JSON_OBJECT, ['['] = JSON_ARRAY,  ['"'] = JSON_STRING, ['t'] = JSON_TRUE,   ['f'] = JSON_FALSE,
        ['n'] = JSON_NULL,   ['-'] = JSON_NUMBER, ['0'] = JSON_NUMBER, ['1'] = JSON_NUMBER, ['2'] = JSON_NUMBER,
        ['3'] = JSON_NUMBER, ['4'] = JSON_NUMBER, ['5'] = JSON_NUMBER, ['6'] = JSON_NUMBER, ['7'] = JSON_NUMBER,
        ['8'] = JSON_NUMBER, ['9'] = JSON_NUMBER,
    };
    return (enum json_kind)kinds[(unsigned char)byte];
}

static bool take_scalar(struct json_scanner *scanner, enum json_kind kind) {
    switch (kind) {
    case JSON_STRING:
        return take_string(scanner);
    case JSON_NUMBER:
        return take_number(scanner);
    case JSON_TRUE:
        return take_word(scanner, "true", 4);
    case JSON_FALSE:
        return take_word(scanner, "false", 5);
    case JSON_NULL:
        return take_word(scanner, "null", 4);
    default:
        return fail(scanner, JSON_MALFORMED);
    }
}

/* ---- nesting of values that are taken whole: one bit a level, set for an object ----------------- */

static bool grow_levels(struct json_scanner *scanner) {
    size_t words = scanner->heap_words == 0 ? JSON_INLINE_LEVELS / 32 : scanner->heap_words * 2;
    uint64_t *levels = realloc(scanner->heap_levels, words * sizeof *levels);
    if (levels == NULL)
        return fail(scanner, JSON_NO_MEMORY);
    if (scanner->heap_words == 0)
        memcpy(levels, scanner->inline_levels, sizeof scanner->inline_levels);
    scanner->heap_levels = levels;
    scanner->heap_words = words;
    return true;
}

static uint64_t *level_words(struct json_scanner *scanner) {
    return scanner->heap_levels != NULL ? scanner->heap_levels : scanner->inline_levels;
}

static bool push_level(struct json_scanner *scanner, size_t depth, bool object) {
    size_t words = scanner->heap_levels != NULL ? scanner->heap_words : JSON_INLINE_LEVELS / 64;
    if (depth / 64 >= words && !grow_levels(scanner))
        return false;
    uint64_t *word = &level_words(scanner)[depth / 64], bit = (uint64_t)1 << (depth % 64);
    *word = object ? *word | bit : *word & ~bit;
    return true;
}

static bool level_is_object(struct json_scanner *scanner, size_t depth) {
    return (level_words(scanner)[depth / 64] >> (depth % 64) & 1) != 0;
}

static inline bool take_name(struct json_scanner *scanner, struct json_value *name) {
    skip_space(scanner);
    size_t start = scanner->at;
    if (next_byte(scanner) != '"')
        return fail(scanner, JSON_MALFORMED);
    if (!take_string(scanner))
        return false;
    if (name != NULL)
        *name = (struct json_value){JSON_STRING, scanner->text + start, scanner->at - start, scanner->escaped};
    skip_space(scanner);
    if (next_byte(scanner) != ':')
        return fail(scanner, JSON_MALFORMED);
    scanner->at++;
    return true;
}

/* Behind a value at `*depth` open levels: closes what closes here, up to the next comma or the outermost end. */
static bool close_levels(struct json_scanner *scanner, size_t *depth) {
    while (*depth > 0) {
        bool object = level_is_object(scanner, *depth - 1);
        skip_space(scanner);
        char byte = next_byte(scanner);
        if (byte == ',') {
            scanner->at++;
            return object ? take_name(scanner, NULL) : true;
        }
        if (byte != (object ? '}' : ']'))
            return fail(scanner, JSON_MALFORMED);
        scanner->at++;
        --*depth;
    }
    return true;
}

/* Takes the opening bracket and stands before the first inner value, or behind the end of an empty container. */
static bool open_level(struct json_scanner *scanner, enum json_kind kind, size_t *depth, bool *empty) {
    bool object = kind == JSON_OBJECT;
    scanner->at++;
    skip_space(scanner);
    *empty = next_byte(scanner) == (object ? '}' : ']');
    if (*depth >= scanner->max_depth)
        return fail(scanner, JSON_TOO_DEEP);
    if (*depth >= scanner->depth)
        scanner->depth = *depth + 1;
    if (*empty) {
        scanner->at++;
        return true;
    }
    if (!push_level(scanner, *depth, object))
        return false;
    ++*depth;
    return object ? take_name(scanner, NULL) : true;
}

static bool take_container(struct json_scanner *scanner) {
    size_t depth = 0;
    do {
        skip_space(scanner);
        enum json_kind kind = kind_of(next_byte(scanner));
        bool whole = true;
        if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
            if (!open_level(scanner, kind, &depth, &whole))
                return false;
        } else if (!take_scalar(scanner, kind)) {
            return false;
        }
        if (whole && !close_levels(scanner, &depth))
            return false;
    } while (depth > 0);
    return true;
}

/* ---- the reader's side -------------------------------------------------------------------------- */

enum json_kind relay_scan_peek(struct json_scanner *scanner) {
    if (scanner->error != JSON_FINE)
        return JSON_ABSENT;
    skip_space(scanner);
    return kind_of(next_byte(scanner));
}

bool relay_scan_value(struct json_scanner *scanner, struct json_value *out) {
    enum json_kind kind = relay_scan_peek(scanner);
    if (scanner->error != JSON_FINE)
        return false;
    scanner->first = false;
    scanner->depth = 0;
    size_t start = scanner->at;
    bool container = kind == JSON_ARRAY || kind == JSON_OBJECT;
    if (!(container ? take_container(scanner) : take_scalar(scanner, kind)))
        return false;
    *out =
        (struct json_value){kind, scanner->text + start, scanner->at - start, kind == JSON_STRING && scanner->escaped};
    return true;
}

bool relay_scan_enter(struct json_scanner *scanner) {
    enum json_kind kind = relay_scan_peek(scanner);
    if (kind != JSON_ARRAY && kind != JSON_OBJECT)
        return fail(scanner, JSON_MALFORMED);
    scanner->at++;
    scanner->first = true;
    return true;
}

/* True when another item of the current container follows; false at its end, which is taken, and on failure. */
static bool more_items(struct json_scanner *scanner, char end) {
    if (scanner->error != JSON_FINE)
        return false;
    bool first = scanner->first;
    scanner->first = false;
    skip_space(scanner);
    char byte = next_byte(scanner);
    if (byte == end) {
        scanner->at++;
        return false;
    }
    if (first)
        return true;
    if (byte != ',')
        return fail(scanner, JSON_MALFORMED);
    scanner->at++;
    return true;
}

bool relay_scan_member(struct json_scanner *scanner, struct json_value *name) {
    return more_items(scanner, '}') && take_name(scanner, name);
}

bool relay_scan_element(struct json_scanner *scanner) {
    if (!more_items(scanner, ']'))
        return false;
    if (relay_scan_peek(scanner) == JSON_ABSENT)
        return fail(scanner, JSON_MALFORMED);
    return true;
}

bool relay_scan_finish(struct json_scanner *scanner) {
    if (scanner->error != JSON_FINE)
        return false;
    skip_space(scanner);
    return scanner->at == scanner->length || fail(scanner, JSON_MALFORMED);
}

enum json_error relay_json_check(const char *text, size_t length, struct json_value *out) {
    struct json_scanner scanner;
    relay_scan_start(&scanner, text, length);
    if (relay_scan_value(&scanner, out))
        relay_scan_finish(&scanner);
    relay_scan_end(&scanner);
    return scanner.error;
}
