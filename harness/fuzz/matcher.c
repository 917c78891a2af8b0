/*
 * The matcher. The input is a pattern and a value, each as JSON on a line of its own, or, when it does not begin so,
 * decisions that make both. What follows from the operators' meaning must hold for every pair.
 */
#include <string.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/match/match.h"

#include <stdlib.h>

#define DEPTH_CEILING 5

/* ---- patterns from decisions --------------------------------------------------------------------- */

static void put_pattern(struct bytes *bytes, FILE *out, unsigned depth);

static void put_patterns(struct bytes *bytes, FILE *out, unsigned depth) {
    unsigned count = bytes_choose(bytes, 4);
    fputc('[', out);
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', out);
        put_pattern(bytes, out, depth + 1);
    }
    fputc(']', out);
}

static void put_operator(struct bytes *bytes, FILE *out, unsigned depth) {
    static const char *const fixed[] = {
        "{\"$bind\":\"x\"}",
        "{\"$bind\":\"y\"}",
        "{\"$is\":\"x\"}",
        "{\"$any\":true}",
        "{\"$absent\":true}",
        "{\"$type\":\"number\"}",
        "{\"$type\":\"object\"}",
        "{\"$gt\":0}",
        "{\"$lte\":1}",
        "{\"$regex\":\"^a*$\"}",
        "{\"$length\":1}",
        "{\"$json\":\"[1]\"}",
        "{\"$length\":{\"$gte\":1}}",
        "{\"$repeat\":{\"text\":\"a\",\"times\":2}}",
    };
    static const char *const around[] = {"$exactly", "$not", "$contains", "$literal", "$length"};
    static const char *const lists[] = {"$unordered", "$one-of", "$all"};
    unsigned kind = bytes_choose(bytes, 3);
    if (kind == 0) {
        fputs(fixed[bytes_choose(bytes, sizeof fixed / sizeof *fixed)], out);
    } else if (kind == 1) {
        fprintf(out, "{\"%s\":", around[bytes_choose(bytes, sizeof around / sizeof *around)]);
        put_pattern(bytes, out, depth + 1);
        fputc('}', out);
    } else {
        fprintf(out, "{\"%s\":", lists[bytes_choose(bytes, sizeof lists / sizeof *lists)]);
        put_patterns(bytes, out, depth);
        fputc('}', out);
    }
}

static void put_object(struct bytes *bytes, FILE *out, unsigned depth) {
    static const char *const keys[] = {"a", "b", "", "0", "length"};
    unsigned count = bytes_choose(bytes, 4);
    fputc('{', out);
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "%s\"%s\":", i > 0 ? "," : "", keys[bytes_choose(bytes, sizeof keys / sizeof *keys)]);
        put_pattern(bytes, out, depth + 1);
    }
    fputc('}', out);
}

static void put_pattern(struct bytes *bytes, FILE *out, unsigned depth) {
    unsigned kind = depth >= DEPTH_CEILING ? 0 : bytes_choose(bytes, 5);
    if (kind == 1)
        put_object(bytes, out, depth);
    else if (kind == 2)
        put_patterns(bytes, out, depth);
    else if (kind > 2)
        put_operator(bytes, out, depth);
    else
        bytes_json(bytes, out);
}

/* ---- what must hold ------------------------------------------------------------------------------ */

struct pair {
    struct arena *arena;
    struct json_value *pattern, *value;
};

/* {KEY: pattern}, or {KEY: [pattern]}; NULL when the operators would stand too deep in each other. */
static struct json_value *wrapped(const struct pair *pair, const char *key, const struct json_value *inner, bool list) {
    struct error error = {0};
    struct json_value *outer = json_object(pair->arena), *content = json_copy(pair->arena, inner);
    if (list) {
        struct json_value *array = json_array(pair->arena);
        json_append(array, content);
        content = array;
    }
    json_set(outer, text_of(key), content);
    return match_check(outer, &error) ? outer : NULL;
}

static struct match_result result_of(const struct pair *pair, const struct json_value *pattern) {
    struct bindings bindings = {.arena = pair->arena};
    return match(pattern, pair->value, &bindings);
}

static void expect(const struct pair *pair, const struct json_value *pattern, bool matches, const char *what) {
    if (pattern == NULL)
        return;
    struct match_result result = result_of(pair, pattern);
    if (result.fault == NULL && result.matched != matches) {
        struct buffer text = {0};
        json_print(&text, pattern);
        buffer_string(&text, " and ");
        json_print(&text, pair->value);
        found("%s: %s", what, text.bytes);
    }
}

static void check_differences(const struct match_result *result) {
    size_t count = 0;
    struct buffer text = {0};
    for (const struct difference *at = result->first; at != NULL; at = at->next, count++) {
        if (at->wanted.length > DIFFERENCE_TEXT_CEILING || at->came.length > DIFFERENCE_TEXT_CEILING)
            found("the text of a difference is past its ceiling");
        difference_print(&text, at);
    }
    buffer_free(&text);
    if (count > DIFFERENCE_COUNT_CEILING || (result->matched && count > 0) || (!result->matched && count == 0))
        found("%zu differences of a value that %s", count, result->matched ? "matches" : "does not match");
}

static void check_pair(const struct pair *pair) {
    struct match_result result = result_of(pair, pair->pattern);
    check_differences(&result);
    expect(pair, wrapped(pair, "$literal", pair->value, false), true, "a value does not match itself");
    if (result.fault != NULL)
        return;
    expect(pair, pair->pattern, result.matched, "the same match ends otherwise");
    expect(pair, wrapped(pair, "$not", pair->pattern, false), !result.matched, "$not is no opposite");
    expect(pair, wrapped(pair, "$one-of", pair->pattern, true), result.matched, "$one-of of one is not the same");
    expect(pair, wrapped(pair, "$all", pair->pattern, true), result.matched, "$all of one is not the same");
}

static void check(struct pair *pair) {
    struct error error = {0};
    if (pair->pattern == NULL || pair->value == NULL)
        return;
    if (match_check(pair->pattern, &error))
        check_pair(pair);
    else if (error.code != ERROR_USAGE || error.text[0] == '\0')
        found("a pattern is refused without a reason");
}

/* ---- both sorts of input ------------------------------------------------------------------------- */

static void read_lines(struct pair *pair, const char *text, size_t size) {
    struct error error = {0};
    const char *feed = memchr(text, '\n', size);
    if (feed == NULL)
        return;
    pair->pattern = json_parse(pair->arena, (struct text){text, (size_t)(feed - text)}, &error);
    pair->value = json_parse(pair->arena, (struct text){feed + 1, size - (size_t)(feed + 1 - text)}, &error);
}

static struct json_value *made(struct arena *arena, struct bytes *bytes, bool pattern) {
    struct error error = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (pattern)
        put_pattern(bytes, out, 0);
    else
        bytes_json(bytes, out);
    fclose(out);
    struct json_value *value = json_parse(arena, (struct text){text, length}, &error);
    if (value == NULL)
        found("made up bad JSON: %s", text);
    free(text);
    return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, size};
    struct pair pair = {.arena = arena_new()};
    if (size > 0 && strchr("{[\"-0123456789tfn", data[0]) != NULL && data[0] != '\0') {
        read_lines(&pair, (const char *)data, size);
    } else {
        pair.pattern = made(pair.arena, &bytes, true);
        pair.value = made(pair.arena, &bytes, false);
    }
    check(&pair);
    arena_free(pair.arena);
    return 0;
}
