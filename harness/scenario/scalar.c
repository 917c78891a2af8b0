/* Plain scalars by YAML 1.2's core schema. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/scenario/yaml.h"

static bool is_one_of(struct text text, const char *const *words) {
    for (; *words != NULL; words++)
        if (text_equal(text, text_of(*words)))
            return true;
    return false;
}

static size_t digits(const char *at) {
    size_t count = 0;
    while (isdigit((unsigned char)at[count]))
        count++;
    return count;
}

/* 0o17, 0x1F */
static bool is_based(const char *at, int *base) {
    if (at[0] != '0' || (at[1] != 'o' && at[1] != 'x') || at[2] == '\0')
        return false;
    *base = at[1] == 'o' ? 8 : 16;
    for (at += 2; *at != '\0'; at++)
        if (*base == 8 ? *at < '0' || *at > '7' : !isxdigit((unsigned char)*at))
            return false;
    return true;
}

/* [-+]? ( . digits | digits ( . digits? )? ) ( e [-+]? digits )? */
static bool is_decimal(const char *at) {
    at += *at == '-' || *at == '+';
    size_t whole = digits(at), fraction = 0;
    at += whole;
    if (*at == '.') {
        fraction = digits(at + 1);
        at += 1 + fraction;
    }
    if (whole + fraction == 0)
        return false;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        size_t exponent = digits(at);
        if (exponent == 0)
            return false;
        at += exponent;
    }
    return *at == '\0';
}

/* Spells a decimal as JSON does: no plus, no zeros in front, digits on both sides of the point. */
static struct text spell(struct arena *arena, const char *at) {
    struct buffer out = {0};
    if (*at == '-')
        buffer_string(&out, "-");
    at += *at == '-' || *at == '+';
    while (*at == '0' && isdigit((unsigned char)at[1]))
        at++;
    if (*at == '.')
        buffer_string(&out, "0");
    size_t whole = digits(at);
    buffer_append(&out, at, whole);
    at += whole;
    if (*at == '.' && !isdigit((unsigned char)at[1])) {
        buffer_string(&out, ".0");
        at++;
    }
    buffer_string(&out, at);
    struct text spelled = {arena_copy(arena, out.bytes, out.length), out.length};
    buffer_free(&out);
    return spelled;
}

static void resolve_number(struct arena *arena, const char *word, struct json_value *value) {
    int base;
    value->type = JSON_NUMBER;
    if (is_based(word, &base)) {
        double number = 0;
        for (const char *at = word + 2; *at != '\0'; at++)
            number = number * base + (isdigit((unsigned char)*at) ? *at - '0' : tolower((unsigned char)*at) - 'a' + 10);
        value->number = number;
        value->text = json_number(arena, number)->text;
        return;
    }
    value->text = spell(arena, word);
    value->number = strtod(value->text.bytes, NULL);
}

bool yaml_resolve_plain(struct arena *arena, struct text text, struct json_value *value) {
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    static const char *const not_finite[] = {".inf",  ".Inf",  ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
                                             "-.Inf", "-.INF", ".nan", ".NaN",  ".NAN",  NULL};
    value->plain = true;
    value->text = text;
    value->type = JSON_STRING;
    unsigned char first = text.length > 0 ? (unsigned char)text.bytes[0] : 0;
    if (isdigit(first) || first == '-' || first == '+' || first == '.') {
        int base;
        if (is_one_of(text, not_finite))
            return false;
        if (is_based(text.bytes, &base) || is_decimal(text.bytes))
            resolve_number(arena, text.bytes, value);
        return true;
    }
    if (is_one_of(text, nulls)) {
        value->type = JSON_NULL;
    } else if (is_one_of(text, trues) || is_one_of(text, falses)) {
        value->type = JSON_BOOLEAN;
        value->boolean = is_one_of(text, trues);
    }
    return true;
}
