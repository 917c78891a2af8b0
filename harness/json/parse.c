#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/json/characters.h"
#include "harness/json/members.h"
#include "harness/json/value.h"

/*
 * The text is copied once into the arena, and strings are decoded in place: an escape is never shorter than what it
 * stands for. The NUL behind the copy ends every run of digits, letters or blanks, so that only strings ask for the
 * end.
 */
struct parser {
    struct arena *arena;
    struct error *error;
    char *start;
    char *at;
    char *end;
    struct text key; /* of the member whose value comes next */
    struct json_value *root;
    struct json_value **open; /* the containers around `at`, outermost first */
    size_t depth, capacity;
    size_t count; /* of values so far */
};

/* ---- errors ------------------------------------------------------------------------------------ */

static bool expected(struct parser *parser, const char *what) {
    size_t offset = (size_t)(parser->at - parser->start);
    if (parser->at == parser->end)
        return error_set(parser->error, ERROR_USAGE, "byte %zu: expected %s, but the text ends there", offset, what);
    unsigned char byte = (unsigned char)*parser->at;
    if (byte > 0x20 && byte < 0x7F)
        return error_set(parser->error, ERROR_USAGE, "byte %zu: expected %s, came \"%c\"", offset, what, byte);
    return error_set(parser->error, ERROR_USAGE, "byte %zu: expected %s, came the byte 0x%02X", offset, what, byte);
}

/* ---- strings ----------------------------------------------------------------------------------- */

static bool read_hex4(struct parser *parser, uint32_t *unit) {
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        char c = *parser->at;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return expected(parser, "four hex digits after \\u");
        *unit = *unit << 4 | digit;
        parser->at++;
    }
    return true;
}

/* Reads what follows `\u`. frame.lone-surrogate: a half pair stays as it is; a whole one is one character. */
static bool read_unicode_escape(struct parser *parser, char **out) {
    uint32_t unit;
    if (!read_hex4(parser, &unit))
        return false;
    if (unit >= 0xD800 && unit < 0xDC00 && parser->at[0] == '\\' && parser->at[1] == 'u') {
        char *second = parser->at;
        uint32_t low;
        parser->at += 2;
        if (!read_hex4(parser, &low))
            return false;
        if (low >= 0xDC00 && low < 0xE000)
            unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        else
            parser->at = second;
    }
    *out += wtf8_put(*out, unit);
    return true;
}

static bool read_escape(struct parser *parser, char **out) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = *parser->at;
    if (c == 'u') {
        parser->at++;
        return read_unicode_escape(parser, out);
    }
    const char *found = c != '\0' ? strchr(letters, c) : NULL;
    if (found == NULL)
        return expected(parser, "an escape (one of \" \\ / b f n r t u)");
    *(*out)++ = meanings[found - letters];
    parser->at++;
    return true;
}

/* Reads a string from behind its opening quote to behind its closing one. */
static bool read_string(struct parser *parser, struct text *string) {
    char *out = parser->at;
    string->bytes = out;
    for (;;) {
        unsigned char byte = (unsigned char)*parser->at;
        if (byte == '"')
            break;
        if (byte == '\\') {
            parser->at++;
            if (!read_escape(parser, &out))
                return false;
        } else if (byte < 0x20) {
            return expected(parser, "a character of a string or its closing quote");
        } else {
            size_t length = byte < 0x80 ? 1 : utf8_length(parser->at, (size_t)(parser->end - parser->at));
            if (length == 0)
                return expected(parser, "valid UTF-8");
            for (size_t i = 0; i < length; i++)
                *out++ = *parser->at++;
        }
    }
    string->length = (size_t)(out - string->bytes);
    parser->at++;
    return true;
}

/* ---- numbers and words ------------------------------------------------------------------------- */

static bool read_digits(struct parser *parser) {
    if (*parser->at < '0' || *parser->at > '9')
        return expected(parser, "a digit");
    while (*parser->at >= '0' && *parser->at <= '9')
        parser->at++;
    return true;
}

/* A number that is too large for a double is infinite, as it is for JSON.parse; its spelling stays. */
static bool read_number(struct parser *parser, struct json_value *value) {
    char *start = parser->at;
    if (*parser->at == '-')
        parser->at++;
    if (*parser->at == '0')
        parser->at++;
    else if (!read_digits(parser))
        return false;
    if (*parser->at == '.') {
        parser->at++;
        if (!read_digits(parser))
            return false;
    }
    if (*parser->at == 'e' || *parser->at == 'E') {
        parser->at++;
        if (*parser->at == '+' || *parser->at == '-')
            parser->at++;
        if (!read_digits(parser))
            return false;
    }
    value->type = JSON_NUMBER;
    value->text = (struct text){start, (size_t)(parser->at - start)};
    value->number = strtod(start, NULL);
    return true;
}

static bool read_word(struct parser *parser, const char *word) {
    for (; *word != '\0'; word++, parser->at++)
        if (*parser->at != *word)
            return expected(parser, "null, true or false");
    return true;
}

static bool read_scalar(struct parser *parser, struct json_value *value) {
    switch (*parser->at) {
    case '"':
        parser->at++;
        value->type = JSON_STRING;
        return read_string(parser, &value->text);
    case 'n':
        return read_word(parser, "null");
    case 't':
        value->boolean = true;
        value->type = JSON_BOOLEAN;
        return read_word(parser, "true");
    case 'f':
        value->type = JSON_BOOLEAN;
        return read_word(parser, "false");
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return read_number(parser, value);
    default:
        return expected(parser, "a JSON value");
    }
}

/* ---- containers -------------------------------------------------------------------------------- */

static void skip_blanks(struct parser *parser) {
    while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\n' || *parser->at == '\r')
        parser->at++;
}

static bool read_key(struct parser *parser) {
    skip_blanks(parser);
    if (*parser->at != '"')
        return expected(parser, "a key in quotes");
    parser->at++;
    if (!read_string(parser, &parser->key))
        return false;
    skip_blanks(parser);
    if (*parser->at != ':')
        return expected(parser, "\":\" after the key");
    parser->at++;
    return true;
}

static struct json_value *add_value(struct parser *parser) {
    struct json_value *value = arena_alloc(parser->arena, sizeof(*value));
    if (parser->depth == 0) {
        parser->root = value;
        return value;
    }
    struct json_value *parent = parser->open[parser->depth - 1];
    if (parent->type == JSON_OBJECT)
        value->key = parser->key;
    json_append(parent, value);
    return value;
}

static void push(struct parser *parser, struct json_value *container) {
    parser->open = memory_room(parser->open, parser->depth, &parser->capacity, sizeof(*parser->open));
    parser->open[parser->depth++] = container;
}

static bool has_doubles(const struct json_value *object) {
    for (const struct json_value *a = object->first; a != NULL; a = a->next)
        for (const struct json_value *b = a->next; b != NULL; b = b->next)
            if (text_equal(a->key, b->key))
                return true;
    return false;
}

/* Puts the last one of each key in the place of the first and marks the others by a key without bytes. */
static bool mark_doubles(struct json_value **sorted, size_t count) {
    bool found = false;
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && text_equal(sorted[start]->key, sorted[end]->key); end++)
            ;
        if (end - start < 2)
            continue;
        found = true;
        struct json_value *next = sorted[start]->next;
        *sorted[start] = *sorted[end - 1];
        sorted[start]->next = next;
        for (size_t i = start + 1; i < end; i++)
            sorted[i]->key.bytes = NULL;
    }
    return found;
}

static void unlink_marked(struct json_value *object) {
    struct json_value **link = &object->first;
    object->last = NULL;
    object->count = 0;
    for (struct json_value *member = object->first; member != NULL; member = member->next) {
        if (member->key.bytes == NULL)
            continue;
        *link = member;
        link = &member->next;
        object->last = member;
        object->count++;
    }
    *link = NULL;
}

/* As JSON.parse does: the last one wins, in the place of the first. */
static void drop_doubles(struct json_value *object) {
    if (object->count <= JSON_WALKED_MEMBERS && !has_doubles(object))
        return;
    struct json_value **sorted = json_members_sorted(object);
    if (mark_doubles(sorted, object->count))
        unlink_marked(object);
    free(sorted);
}

static char closing(const struct json_value *container) {
    return container->type == JSON_OBJECT ? '}' : ']';
}

static void close_container(struct parser *parser) {
    struct json_value *container = parser->open[--parser->depth];
    if (container->type == JSON_OBJECT)
        drop_doubles(container);
    parser->at++;
}

/* Reads a value up to where its first child, or what follows it, starts. `*opened`: a child comes next. */
static bool read_value(struct parser *parser, bool *opened) {
    skip_blanks(parser);
    if (++parser->count > JSON_VALUES_CEILING)
        return error_set(parser->error, ERROR_USAGE, "byte %zu: more than %zu values in one text",
                         (size_t)(parser->at - parser->start), JSON_VALUES_CEILING);
    struct json_value *value = add_value(parser);
    *opened = false;
    char c = *parser->at;
    if (c != '[' && c != '{')
        return read_scalar(parser, value);
    value->type = c == '{' ? JSON_OBJECT : JSON_ARRAY;
    push(parser, value);
    parser->at++;
    skip_blanks(parser);
    if (*parser->at == closing(value)) {
        close_container(parser);
        return true;
    }
    *opened = true;
    return value->type == JSON_ARRAY || read_key(parser);
}

/* Reads what follows a value: ends of containers, then a comma (`*more`) or nothing else. */
static bool read_ends(struct parser *parser, bool *more) {
    *more = false;
    for (;;) {
        skip_blanks(parser);
        if (parser->depth == 0)
            return parser->at == parser->end || expected(parser, "nothing more after the JSON value");
        struct json_value *container = parser->open[parser->depth - 1];
        if (*parser->at == ',') {
            parser->at++;
            *more = true;
            return container->type == JSON_ARRAY || read_key(parser);
        }
        if (*parser->at != closing(container))
            return expected(parser, container->type == JSON_OBJECT ? "\",\" or \"}\"" : "\",\" or \"]\"");
        close_container(parser);
    }
}

static bool read_text(struct parser *parser) {
    for (;;) {
        bool opened, more;
        if (!read_value(parser, &opened))
            return false;
        if (opened)
            continue;
        if (!read_ends(parser, &more))
            return false;
        if (!more)
            return true;
    }
}

struct json_value *json_parse(struct arena *arena, struct text text, struct error *error) {
    char *copy = arena_copy(arena, text.bytes, text.length);
    struct parser parser = {.arena = arena, .error = error, .start = copy, .at = copy, .end = copy + text.length};
    bool good = read_text(&parser);
    free(parser.open);
    return good ? parser.root : NULL;
}
