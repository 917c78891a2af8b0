#include "relay-ref/adapters/tokens.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/query.h"
#include "relay-ref/json/scanner.h"
#include "relay-ref/json/string.h"

struct token {
    struct relay_text text;           /* owned, ended by NUL */
    struct relay_principal principal; /* its texts are owned */
};

struct tokens {
    struct token *rows; /* sorted by text once all are read */
    size_t count, capacity;
};

static int compare_texts(struct relay_text a, struct relay_text b) {
    int order = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_rows(const void *a, const void *b) {
    return compare_texts(((const struct token *)a)->text, ((const struct token *)b)->text);
}

/* The characters of a JSON string, ended by NUL, owned by the caller. */
static bool decode(const struct json_value *string, struct relay_text *out) {
    char *characters = malloc(string->length + 1);
    if (characters == NULL)
        return false;
    size_t length = relay_string_decode(string, characters);
    characters[length] = '\0';
    free((char *)(uintptr_t)out->bytes);
    *out = (struct relay_text){characters, length};
    return true;
}

static bool copy(const struct json_value *value, struct relay_text *out) {
    char *bytes = malloc(value->length);
    if (bytes == NULL)
        return false;
    memcpy(bytes, value->bytes, value->length);
    free((char *)(uintptr_t)out->bytes);
    *out = (struct relay_text){bytes, value->length};
    return true;
}

static bool read_field(const struct json_value *name, const struct json_value *value,
                       struct relay_principal *principal) {
    if (relay_string_is(name, "writer"))
        return value->kind == JSON_STRING && decode(value, &principal->writer);
    if (relay_string_is(name, "kind"))
        return value->kind == JSON_STRING && decode(value, &principal->kind);
    return relay_string_is(name, "claims") && value->kind == JSON_OBJECT && copy(value, &principal->claims);
}

static bool read_principal(struct json_scanner *scanner, struct relay_principal *principal) {
    struct json_value name, value;
    if (relay_scan_peek(scanner) != JSON_OBJECT || !relay_scan_enter(scanner))
        return false;
    while (relay_scan_member(scanner, &name))
        if (!relay_scan_value(scanner, &value) || !read_field(&name, &value, principal))
            return false;
    return scanner->error == JSON_FINE && principal->writer.length > 0 && query_is_utf8(principal->writer) &&
           query_is_utf8(principal->kind);
}

static struct token *add_row(struct tokens *tokens) {
    if (tokens->count == tokens->capacity) {
        size_t capacity = tokens->capacity == 0 ? 16 : tokens->capacity * 2;
        struct token *rows = realloc(tokens->rows, capacity * sizeof *rows);
        if (rows == NULL)
            return NULL;
        tokens->rows = rows;
        tokens->capacity = capacity;
    }
    struct token *row = &tokens->rows[tokens->count++];
    *row = (struct token){0};
    return row;
}

static bool fail(char *reason, size_t capacity, const char *words) {
    snprintf(reason, capacity, "%s", words);
    return false;
}

static bool read_rows(struct tokens *tokens, struct json_scanner *scanner, char *reason, size_t capacity) {
    struct json_value name;
    if (relay_scan_peek(scanner) != JSON_OBJECT || !relay_scan_enter(scanner))
        return fail(reason, capacity, "the file is not a JSON object of tokens");
    while (relay_scan_member(scanner, &name)) {
        struct token *row = add_row(tokens);
        if (row == NULL || !decode(&name, &row->text))
            return fail(reason, capacity, "out of memory");
        if (row->text.length == 0 || strlen(row->text.bytes) != row->text.length)
            return fail(reason, capacity, "a token is empty or has U+0000 in it");
        if (!read_principal(scanner, &row->principal)) {
            snprintf(reason, capacity,
                     "the principal of token number %zu must be {\"writer\":TEXT,\"kind\":TEXT,\"claims\":{…}} with a "
                     "writer that is not empty; byte %zu of the file",
                     tokens->count, scanner->at);
            return false;
        }
    }
    if (relay_scan_finish(scanner))
        return true;
    snprintf(reason, capacity, "the file is not well-formed JSON at byte %zu", scanner->at);
    return false;
}

static bool sort_rows(struct tokens *tokens, char *reason, size_t capacity) {
    if (tokens->count == 0)
        return fail(reason, capacity, "the file has no token in it");
    qsort(tokens->rows, tokens->count, sizeof *tokens->rows, compare_rows);
    for (size_t i = 1; i < tokens->count; i++)
        if (compare_rows(&tokens->rows[i - 1], &tokens->rows[i]) == 0)
            return fail(reason, capacity, "a token is in the file twice");
    return true;
}

struct tokens *tokens_read(struct relay_text json, char *reason, size_t capacity) {
    struct tokens *tokens = calloc(1, sizeof *tokens);
    if (tokens == NULL) {
        fail(reason, capacity, "out of memory");
        return NULL;
    }
    struct json_scanner scanner;
    relay_scan_start(&scanner, json.bytes, json.length);
    bool read = read_rows(tokens, &scanner, reason, capacity) && sort_rows(tokens, reason, capacity);
    relay_scan_end(&scanner);
    if (read)
        return tokens;
    tokens_free(tokens);
    return NULL;
}

const struct relay_principal *tokens_find(const struct tokens *tokens, struct relay_text token) {
    struct token wanted = {.text = token};
    const struct token *row = bsearch(&wanted, tokens->rows, tokens->count, sizeof *tokens->rows, compare_rows);
    return row != NULL ? &row->principal : NULL;
}

size_t tokens_count(const struct tokens *tokens) {
    return tokens->count;
}

const char *tokens_at(const struct tokens *tokens, size_t index) {
    return tokens->rows[index].text.bytes;
}

void tokens_free(struct tokens *tokens) {
    if (tokens == NULL)
        return;
    for (size_t i = 0; i < tokens->count; i++) {
        struct token *row = &tokens->rows[i];
        free((char *)(uintptr_t)row->principal.claims.bytes);
        free((char *)(uintptr_t)row->principal.kind.bytes);
        free((char *)(uintptr_t)row->principal.writer.bytes);
        free((char *)(uintptr_t)row->text.bytes);
    }
    free(tokens->rows);
    free(tokens);
}
