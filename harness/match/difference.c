#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "harness/match/matcher.h"

/* Where a text may be cut at or before `at`: not inside a character. */
static size_t whole_characters(const char *bytes, size_t at) {
    while (at > 0 && ((unsigned char)bytes[at] & 0xC0) == 0x80)
        at--;
    return at;
}

/* What a value always gets, however long the words before it are; a text past its ceiling is cut in the end. */
#define LEAST_ROOM 80

/* Bytes that are shown of a value that is cut, if there is room. */
#define SHOWN_OF_LONG (DIFFERENCE_TEXT_CEILING - 40)

/* Cuts a text that is longer than `room` and names its full length. */
static void cut(struct buffer *text, size_t room) {
    size_t full = text->length;
    if (full <= room)
        return;
    char end[48];
    size_t most = room - (size_t)snprintf(end, sizeof(end), "… (%zu bytes in all)", full);
    text->length = whole_characters(text->bytes, most < SHOWN_OF_LONG ? most : SHOWN_OF_LONG);
    buffer_string(text, end);
}

void describe_value(struct buffer *out, const struct json_value *value) {
    struct buffer text = {0};
    if (value == NULL)
        buffer_string(&text, "nothing");
    else
        json_print(&text, value);
    bool narrow = out->length > DIFFERENCE_TEXT_CEILING - LEAST_ROOM;
    cut(&text, narrow ? LEAST_ROOM : DIFFERENCE_TEXT_CEILING - out->length);
    buffer_append(out, text.bytes, text.length);
    buffer_free(&text);
}

/* ---- the path ---------------------------------------------------------------------------------- */

static bool is_plain_key(struct text key) {
    if (key.length == 0 || isdigit((unsigned char)key.bytes[0]))
        return false;
    for (size_t i = 0; i < key.length; i++)
        if (!isalnum((unsigned char)key.bytes[i]) && strchr("_-", key.bytes[i]) == NULL)
            return false;
    return true;
}

static void append_key(struct buffer *path, struct text key) {
    if (is_plain_key(key)) {
        if (path->length > 0)
            buffer_string(path, ".");
        buffer_text(path, key);
    } else {
        buffer_string(path, "[");
        json_print_string(path, key);
        buffer_string(path, "]");
    }
}

static void append_walk(struct buffer *path, const struct walk *walk) {
    for (size_t i = 0; i < walk->depth; i++) {
        const struct frame *frame = &walk->frames[i];
        if (frame->pattern->type == JSON_ARRAY)
            buffer_format(path, "[%zu]", frame->index);
        else
            append_key(path, frame->child->key);
    }
}

/* Walks stand in each other no deeper than operators do. */
static void append_path(struct buffer *path, const struct walk *walk) {
    const struct walk *chain[OPERATOR_DEPTH_CEILING + 2];
    size_t count = 0;
    for (; walk != NULL && count < OPERATOR_DEPTH_CEILING + 2; walk = walk->outer)
        chain[count++] = walk;
    while (count > 0)
        append_walk(path, chain[--count]);
}

/* The end of a long path says more than its start. */
static void cut_path(struct buffer *path) {
    if (path->length <= DIFFERENCE_TEXT_CEILING)
        return;
    size_t start = path->length - DIFFERENCE_TEXT_CEILING + 8;
    while (((unsigned char)path->bytes[start] & 0xC0) == 0x80)
        start++;
    buffer_consume(path, start - 3);
    memcpy(path->bytes, "…", 3);
}

/* ---- noting ------------------------------------------------------------------------------------ */

static struct text kept(struct arena *arena, struct text text) {
    return (struct text){arena_copy(arena, text.bytes, text.length), text.length};
}

/* The words around a value can be long too: a name, a fault. */
static struct text kept_short(struct arena *arena, struct text text) {
    if (text.length <= DIFFERENCE_TEXT_CEILING)
        return kept(arena, text);
    struct buffer shorter = {0};
    buffer_append(&shorter, text.bytes, whole_characters(text.bytes, DIFFERENCE_TEXT_CEILING - 3));
    buffer_string(&shorter, "…");
    text = kept(arena, (struct text){shorter.bytes, shorter.length});
    buffer_free(&shorter);
    return text;
}

bool differ_texts(const struct walk *walk, const struct json_value *pattern, const struct json_value *extra,
                  struct text wanted, struct text came) {
    struct matcher *matcher = walk->matcher;
    if (walk->quiet || matcher->difference_count == DIFFERENCE_COUNT_CEILING)
        return false;
    struct arena *arena = matcher->bindings->arena;
    struct buffer path = {0};
    append_path(&path, walk);
    if (extra != NULL)
        append_key(&path, extra->key);
    cut_path(&path);
    struct difference *difference = arena_alloc(arena, sizeof(*difference));
    difference->path = kept(arena, (struct text){path.bytes, path.length});
    difference->wanted = kept_short(arena, wanted);
    difference->came = kept_short(arena, came);
    difference->line = pattern->line;
    difference->column = pattern->column;
    buffer_free(&path);
    *(matcher->last != NULL ? &matcher->last->next : &matcher->first) = difference;
    matcher->last = difference;
    matcher->difference_count++;
    return false;
}

bool differ(const struct walk *walk, const struct json_value *pattern, const char *wanted,
            const struct json_value *value) {
    if (walk->quiet)
        return false;
    struct buffer came = {0};
    describe_value(&came, value);
    differ_texts(walk, pattern, NULL, text_of(wanted), (struct text){came.bytes, came.length});
    buffer_free(&came);
    return false;
}

bool differ_plain(const struct walk *walk, const struct json_value *pattern, const struct json_value *value) {
    if (walk->quiet)
        return false;
    struct buffer wanted = {0};
    describe_value(&wanted, pattern);
    differ(walk, pattern, wanted.bytes, value);
    buffer_free(&wanted);
    return false;
}

bool differ_fault(const struct walk *walk, const struct json_value *pattern, const char *fault) {
    struct matcher *matcher = walk->matcher;
    if (matcher->fault == NULL)
        matcher->fault = arena_format(matcher->bindings->arena, "%s", fault);
    struct walk loud = *walk; /* even a trial must show it */
    loud.quiet = false;
    char came[ERROR_TEXT_CAPACITY + 32];
    snprintf(came, sizeof(came), "a fault of the scenario: %s", fault);
    return differ_texts(&loud, pattern, NULL, TEXT("what cannot be known"), text_of(came));
}

void difference_print(struct buffer *out, const struct difference *difference) {
    buffer_text(out, difference->path);
    buffer_string(out, difference->path.length > 0 ? ": wanted " : "wanted ");
    buffer_text(out, difference->wanted);
    buffer_string(out, ", came ");
    buffer_text(out, difference->came);
}
