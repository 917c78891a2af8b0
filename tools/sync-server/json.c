#include "tools/sync-server/json.h"

#include "tools/sync-server/utf8.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct json_document *document;
    const char *source;
    uint32_t length;
    uint32_t at;
    uint32_t open[JSON_DEPTH_CEILING]; /* the containers that are not closed yet, outermost first */
    uint32_t depth;
    struct json_error *error;
};

static bool refuse(struct reader *reader, const char *message) {
    reader->error->message = message;
    reader->error->offset = reader->at;
    return false;
}

static uint32_t add_node(struct reader *reader, enum json_kind kind) {
    struct json_document *document = reader->document;
    if (document->count == document->capacity) {
        uint32_t capacity = document->capacity ? document->capacity * 2 : 64;
        struct json_node *nodes = realloc(document->nodes, (size_t)capacity * sizeof *nodes);
        if (!nodes) {
            reader->error->out_of_memory = true;
            refuse(reader, "there is not enough memory to read this");
            return JSON_NONE;
        }
        document->nodes = nodes;
        document->capacity = capacity;
    }
    document->nodes[document->count] = (struct json_node){.start = reader->at, .kind = (uint8_t)kind};
    return document->count++;
}

static void close_node(struct reader *reader, uint32_t node) {
    reader->document->nodes[node].end = reader->at;
    reader->document->nodes[node].next = reader->document->count;
}

static void skip_whitespace(struct reader *reader) {
    while (reader->at < reader->length) {
        char c = reader->source[reader->at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            return;
        }
        reader->at++;
    }
}

static char peek(const struct reader *reader) {
    return reader->at < reader->length ? reader->source[reader->at] : '\0';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool read_escape(struct reader *reader) {
    reader->at++;
    char c = peek(reader);
    if (c == 'u') {
        for (int digit = 0; digit < 4; digit++) {
            reader->at++;
            if (!is_hex(peek(reader))) {
                return refuse(reader, "\\u needs four hex digits");
            }
        }
    } else if (c == '\0' || !strchr("\"\\/bfnrt", c)) {
        return refuse(reader, "this escape does not exist in JSON");
    }
    reader->at++;
    return true;
}

static bool read_string(struct reader *reader) {
    uint32_t node = add_node(reader, JSON_STRING);
    if (node == JSON_NONE) {
        return false;
    }
    reader->at++;
    while (reader->at < reader->length) {
        unsigned char c = (unsigned char)reader->source[reader->at];
        if (c == '"') {
            reader->at++;
            close_node(reader, node);
            return true;
        }
        if (c < 0x20) {
            return refuse(reader, "a control character inside a string must be escaped");
        }
        if (c == '\\') {
            reader->document->nodes[node].escaped = true;
            if (!read_escape(reader)) {
                return false;
            }
        } else {
            reader->at++;
        }
    }
    return refuse(reader, "the text ends inside a string");
}

static bool read_digits(struct reader *reader) {
    if (!is_digit(peek(reader))) {
        return refuse(reader, "a digit was expected");
    }
    while (is_digit(peek(reader))) {
        reader->at++;
    }
    return true;
}

static bool read_number(struct reader *reader) {
    uint32_t node = add_node(reader, JSON_NUMBER);
    if (node == JSON_NONE) {
        return false;
    }
    if (peek(reader) == '-') {
        reader->at++;
    }
    if (peek(reader) == '0') {
        reader->at++;
    } else if (!read_digits(reader)) {
        return false;
    }
    if (peek(reader) == '.') {
        reader->at++;
        if (!read_digits(reader)) {
            return false;
        }
    }
    if (peek(reader) == 'e' || peek(reader) == 'E') {
        reader->at++;
        if (peek(reader) == '+' || peek(reader) == '-') {
            reader->at++;
        }
        if (!read_digits(reader)) {
            return false;
        }
    }
    close_node(reader, node);
    return true;
}

static bool read_word(struct reader *reader, const char *word, enum json_kind kind) {
    size_t length = strlen(word);
    if (reader->length - reader->at < length || memcmp(reader->source + reader->at, word, length) != 0) {
        return refuse(reader, "a value was expected");
    }
    uint32_t node = add_node(reader, kind);
    if (node == JSON_NONE) {
        return false;
    }
    reader->at += (uint32_t)length;
    close_node(reader, node);
    return true;
}

static bool open_container(struct reader *reader, enum json_kind kind) {
    if (reader->depth == JSON_DEPTH_CEILING) {
        return refuse(reader, "the nesting is deeper than 512 levels");
    }
    uint32_t node = add_node(reader, kind);
    if (node == JSON_NONE) {
        return false;
    }
    reader->open[reader->depth++] = node;
    reader->at++;
    return true;
}

static bool read_name(struct reader *reader) {
    if (peek(reader) != '"') {
        return refuse(reader, "a member's name in quotes was expected");
    }
    if (!read_string(reader)) {
        return false;
    }
    skip_whitespace(reader);
    if (peek(reader) != ':') {
        return refuse(reader, "':' was expected after a member's name");
    }
    reader->at++;
    skip_whitespace(reader);
    return true;
}

/* Reads one scalar, or opens one container and reads up to the place of its first value. `*opened` tells a container
 * that still waits for values from a finished value. */
static bool read_value(struct reader *reader, bool *opened) {
    *opened = false;
    switch (peek(reader)) {
    case '"':
        return read_string(reader);
    case '{':
    case '[': {
        bool object = peek(reader) == '{';
        if (!open_container(reader, object ? JSON_OBJECT : JSON_ARRAY)) {
            return false;
        }
        skip_whitespace(reader);
        if (peek(reader) == (object ? '}' : ']')) {
            reader->at++;
            close_node(reader, reader->open[--reader->depth]);
            return true;
        }
        *opened = true;
        return !object || read_name(reader);
    }
    case 't':
        return read_word(reader, "true", JSON_TRUE);
    case 'f':
        return read_word(reader, "false", JSON_FALSE);
    case 'n':
        return read_word(reader, "null", JSON_NULL);
    default:
        if (peek(reader) == '-' || is_digit(peek(reader))) {
            return read_number(reader);
        }
        return refuse(reader, reader->at == reader->length ? "the text ends where a value was expected"
                                                           : "a value was expected");
    }
}

/* After a value: closes what ends here, and moves to the next value of the container that goes on. */
static bool finish_value(struct reader *reader) {
    while (reader->depth > 0) {
        uint32_t container = reader->open[reader->depth - 1];
        bool object = reader->document->nodes[container].kind == JSON_OBJECT;
        skip_whitespace(reader);
        char c = peek(reader);
        if (c == ',') {
            reader->at++;
            skip_whitespace(reader);
            return !object || read_name(reader);
        }
        if (c != (object ? '}' : ']')) {
            return refuse(reader, object ? "',' or '}' was expected" : "',' or ']' was expected");
        }
        reader->at++;
        close_node(reader, container);
        reader->depth--;
    }
    return true;
}

static bool read_document(struct reader *reader) {
    skip_whitespace(reader);
    do {
        bool opened;
        if (!read_value(reader, &opened)) {
            return false;
        }
        if (!opened && !finish_value(reader)) {
            return false;
        }
    } while (reader->depth > 0);
    skip_whitespace(reader);
    return reader->at == reader->length || refuse(reader, "something follows the value");
}

bool json_read(struct json_document *document, struct text source, struct json_error *error) {
    *document = (struct json_document){.source = source.bytes};
    *error = (struct json_error){0};
    if (source.length > JSON_LENGTH_CEILING) {
        error->message = "the text is longer than 2 GiB";
        return false;
    }
    size_t valid = utf8_valid_length(source);
    if (valid < source.length) {
        *error = (struct json_error){.message = "the text is not valid UTF-8", .offset = valid};
        return false;
    }
    struct reader reader = {
        .document = document, .source = source.bytes, .length = (uint32_t)source.length, .error = error};
    if (read_document(&reader)) {
        return true;
    }
    json_free(document);
    return false;
}

void json_free(struct json_document *document) {
    free(document->nodes);
    *document = (struct json_document){0};
}

struct text json_text(const struct json_document *document, uint32_t node) {
    const struct json_node *value = &document->nodes[node];
    return (struct text){document->source + value->start, value->end - value->start};
}

uint32_t json_first(const struct json_document *document, uint32_t parent) {
    return document->nodes[parent].next > parent + 1 ? parent + 1 : JSON_NONE;
}

uint32_t json_after(const struct json_document *document, uint32_t parent, uint32_t child) {
    uint32_t next = document->nodes[child].next;
    return next < document->nodes[parent].next ? next : JSON_NONE;
}

size_t json_size(const struct json_document *document, uint32_t container) {
    size_t nodes = 0;
    for (uint32_t at = json_first(document, container); at != JSON_NONE; at = json_after(document, container, at)) {
        nodes++;
    }
    return json_kind(document, container) == JSON_OBJECT ? nodes / 2 : nodes;
}

uint32_t json_member_text(const struct json_document *document, uint32_t object, struct text name) {
    if (object == JSON_NONE || json_kind(document, object) != JSON_OBJECT) {
        return JSON_NONE;
    }
    uint32_t found = JSON_NONE;
    uint32_t at = json_first(document, object);
    while (at != JSON_NONE) {
        uint32_t value = at + 1;
        if (json_string_is(document, at, name)) {
            found = value;
        }
        at = json_after(document, object, value);
    }
    return found;
}

uint32_t json_member(const struct json_document *document, uint32_t object, const char *name) {
    return json_member_text(document, object, text_of(name));
}
