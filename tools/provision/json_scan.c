#include "tools/provision/json.h"

#include <string.h>

#define NO_NODE UINT32_MAX

struct scanner {
    struct text text;
    size_t at;
    struct json_document *document;
    size_t capacity;
    uint32_t open; /* the innermost open array or object, or NO_NODE */
    size_t depth;
    uint32_t key_start, key_end; /* of the member whose value comes next */
    struct json_fault fault;
};

static bool fail(struct scanner *scanner, const char *what) {
    if (scanner->fault.what == NULL) scanner->fault = (struct json_fault){what, scanner->at};
    return false;
}

/* The byte at the scanner's place, or 0 at the end (a NUL byte is never legal either). */
static char peek(const struct scanner *scanner) {
    return scanner->at < scanner->text.length ? scanner->text.bytes[scanner->at] : '\0';
}

static void skip_space(struct scanner *scanner) {
    for (;; scanner->at++) {
        char c = peek(scanner);
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
    }
}

/* ---- scalars ----------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static bool scan_escape(struct scanner *scanner) {
    scanner->at++;
    char c = peek(scanner);
    if (c == 'u') {
        for (int i = 0; i < 4; i++) {
            scanner->at++;
            if (!is_hex(peek(scanner))) return fail(scanner, "four hexadecimal digits must follow \\u");
        }
    } else if (c == '\0' || strchr("\"\\/bfnrt", c) == NULL) {
        return fail(scanner, "this is not an escape of JSON");
    }
    scanner->at++;
    return true;
}

static bool scan_string(struct scanner *scanner) {
    for (scanner->at++; scanner->at < scanner->text.length;) {
        unsigned char byte = (unsigned char)peek(scanner);
        if (byte == '"') {
            scanner->at++;
            return true;
        }
        if (byte < 0x20) return fail(scanner, "a control character inside a string must be escaped");
        if (byte == '\\') {
            if (!scan_escape(scanner)) return false;
            continue;
        }
        size_t length = utf8_length(scanner->text.bytes + scanner->at, scanner->text.length - scanner->at);
        if (length == 0) return fail(scanner, "this is not UTF-8");
        scanner->at += length;
    }
    return fail(scanner, "the text ends inside a string");
}

static bool scan_digits(struct scanner *scanner) {
    if (!is_digit(peek(scanner))) return fail(scanner, "a digit is missing here");
    while (is_digit(peek(scanner))) scanner->at++;
    return true;
}

static bool scan_number(struct scanner *scanner) {
    if (peek(scanner) == '-') scanner->at++;
    if (peek(scanner) == '0') {
        scanner->at++;
        if (is_digit(peek(scanner))) return fail(scanner, "a number must not begin with 0");
    } else if (!scan_digits(scanner)) {
        return false;
    }
    if (peek(scanner) == '.') {
        scanner->at++;
        if (!scan_digits(scanner)) return false;
    }
    if (peek(scanner) == 'e' || peek(scanner) == 'E') {
        scanner->at++;
        if (peek(scanner) == '+' || peek(scanner) == '-') scanner->at++;
        if (!scan_digits(scanner)) return false;
    }
    return true;
}

static bool scan_word(struct scanner *scanner, const char *word) {
    struct text wanted = text_from(word);
    struct text rest = {scanner->text.bytes + scanner->at, scanner->text.length - scanner->at};
    if (rest.length > wanted.length) rest.length = wanted.length;
    if (!text_equal(rest, wanted)) return fail(scanner, "a JSON value must stand here");
    scanner->at += wanted.length;
    return true;
}

/* ---- the tree ---------------------------------------------------------------------------------- */

static struct json_node *node_at(struct scanner *scanner, uint32_t index) { return &scanner->document->nodes[index]; }

/* Adds a value below the innermost open container; its end is not known yet. */
static bool add_node(struct scanner *scanner, enum json_kind kind) {
    struct json_document *document = scanner->document;
    if (document->count == scanner->capacity) return fail(scanner, "the text holds too many values");
    uint32_t index = document->count++;
    *node_at(scanner, index) = (struct json_node){.key_start = scanner->key_start,
                                                  .key_end = scanner->key_end,
                                                  .start = (uint32_t)scanner->at,
                                                  .parent = scanner->open,
                                                  .kind = kind};
    scanner->key_start = scanner->key_end = 0;
    if (scanner->open == NO_NODE) return true;
    struct json_node *parent = node_at(scanner, scanner->open);
    if (parent->count > 0) node_at(scanner, parent->last)->next = index;
    parent->last = index;
    parent->count++;
    return true;
}

static bool scan_scalar(struct scanner *scanner, char first) {
    switch (first) {
    case '"': return add_node(scanner, JSON_STRING) && scan_string(scanner);
    case 't': return add_node(scanner, JSON_TRUE) && scan_word(scanner, "true");
    case 'f': return add_node(scanner, JSON_FALSE) && scan_word(scanner, "false");
    case 'n': return add_node(scanner, JSON_NULL) && scan_word(scanner, "null");
    default: break;
    }
    if (first == '-' || is_digit(first)) return add_node(scanner, JSON_NUMBER) && scan_number(scanner);
    return fail(scanner, scanner->at >= scanner->text.length ? "the text ends where a value must stand"
                                                             : "a JSON value must stand here");
}

/* A member's name and the colon behind it. */
static bool scan_key(struct scanner *scanner) {
    skip_space(scanner);
    if (peek(scanner) != '"') return fail(scanner, "a name in double quotes must stand here");
    scanner->key_start = (uint32_t)scanner->at;
    if (!scan_string(scanner)) return false;
    scanner->key_end = (uint32_t)scanner->at;
    skip_space(scanner);
    if (peek(scanner) != ':') return fail(scanner, "a colon must follow the name");
    scanner->at++;
    return true;
}

static void close_container(struct scanner *scanner) {
    struct json_node *node = node_at(scanner, scanner->open);
    scanner->at++;
    node->end = (uint32_t)scanner->at;
    scanner->open = node->parent;
    scanner->depth--;
}

static char closer(const struct json_node *node) { return node->kind == JSON_OBJECT ? '}' : ']'; }

/* Opens an array or object. `*complete` tells whether it was empty and is closed again. */
static bool open_container(struct scanner *scanner, enum json_kind kind, bool *complete) {
    if (scanner->depth == JSON_MAX_DEPTH) return fail(scanner, "the text is nested deeper than 1000 levels");
    uint32_t index = scanner->document->count;
    if (!add_node(scanner, kind)) return false;
    scanner->open = index;
    scanner->depth++;
    scanner->at++;
    skip_space(scanner);
    *complete = peek(scanner) == closer(node_at(scanner, index));
    if (*complete) {
        close_container(scanner);
        return true;
    }
    return kind == JSON_ARRAY || scan_key(scanner);
}

/* One value from its first byte on; of a filled array or object only the opening (`*complete` is false then). */
static bool scan_value(struct scanner *scanner, bool *complete) {
    skip_space(scanner);
    char first = peek(scanner);
    if (first == '{') return open_container(scanner, JSON_OBJECT, complete);
    if (first == '[') return open_container(scanner, JSON_ARRAY, complete);
    uint32_t index = scanner->document->count;
    *complete = true;
    if (!scan_scalar(scanner, first)) return false;
    node_at(scanner, index)->end = (uint32_t)scanner->at;
    return true;
}

/* What follows a complete value: closes containers, up to the next value or the end (`*done`). */
static bool scan_after_value(struct scanner *scanner, bool *done) {
    for (;;) {
        skip_space(scanner);
        *done = scanner->open == NO_NODE;
        if (*done) return scanner->at == scanner->text.length || fail(scanner, "something follows the JSON value");
        struct json_node *node = node_at(scanner, scanner->open);
        char c = peek(scanner);
        if (c == ',') {
            scanner->at++;
            return node->kind == JSON_ARRAY || scan_key(scanner);
        }
        if (c != closer(node))
            return fail(scanner, node->kind == JSON_ARRAY ? "a comma or ] must stand here" : "a comma or } must stand here");
        close_container(scanner);
    }
}

static bool scan_document(struct scanner *scanner) {
    for (bool done = false, complete = false; !done;) {
        if (!scan_value(scanner, &complete)) return false;
        if (complete && !scan_after_value(scanner, &done)) return false;
    }
    return true;
}

/* An upper bound on the values in a text: each but the first stands behind one of these bytes. */
static size_t bound_values(struct text text) {
    size_t bound = 1;
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == ',' || text.bytes[i] == '[' || text.bytes[i] == '{') bound++;
    return bound < JSON_MAX_VALUES ? bound : JSON_MAX_VALUES;
}

struct json json_scan(struct arena *arena, struct text text, struct json_fault *fault) {
    struct scanner scanner = {.text = text, .open = NO_NODE};
    if (text.length > JSON_MAX_BYTES) {
        *fault = (struct json_fault){"the text is longer than 256 MiB", JSON_MAX_BYTES};
        return (struct json){0};
    }
    scanner.document = arena_take(arena, sizeof *scanner.document);
    scanner.capacity = bound_values(text);
    scanner.document->text = text;
    scanner.document->nodes = arena_take(arena, scanner.capacity * sizeof *scanner.document->nodes);
    if (!scan_document(&scanner)) {
        *fault = scanner.fault;
        return (struct json){0};
    }
    return (struct json){scanner.document, 0};
}
