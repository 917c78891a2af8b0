#include "tools/sync-server/fault.h"

#include "tools/sync-server/json.h"

#include <stdlib.h>
#include <string.h>

/* The longest method, path or body of a fault, in bytes. */
#define FAULT_TEXT_CEILING ((size_t)64 * 1024)

/* The longest hold or delay: ten minutes. */
#define FAULT_WAIT_CEILING_MS 600000

struct fault {
    struct buffer method;
    struct buffer path;
    uint64_t nth;
    uint64_t count;
    struct fault_effect effect;
    bool effect_said; /* whether `effect=` was given, rather than what follows from the rest */
    uint64_t seen;
    uint64_t struck;
};

struct fault *fault_new(void) {
    struct fault *fault = calloc(1, sizeof *fault);
    if (fault) {
        buffer_init(&fault->method, FAULT_TEXT_CEILING);
        buffer_init(&fault->path, FAULT_TEXT_CEILING);
        buffer_init(&fault->effect.body, FAULT_TEXT_CEILING);
        fault->nth = 1;
        fault->count = 1;
    }
    return fault;
}

void fault_free(struct fault *fault) {
    if (fault) {
        buffer_free(&fault->method);
        buffer_free(&fault->path);
        buffer_free(&fault->effect.body);
        free(fault);
    }
}

static bool set_number(uint64_t *number, struct text value, uint64_t least, uint64_t most, const char *key,
                       struct buffer *why) {
    if (text_to_number(value, number) && *number >= least && *number <= most) {
        return true;
    }
    buffer_format(why, "a fault's %s is a number from %llu to %llu", key, (unsigned long long)least,
                  (unsigned long long)most);
    return false;
}

static bool set_status(struct fault *fault, struct text value, struct buffer *why) {
    uint64_t status;
    if (!set_number(&status, value, 200, 599, "status", why)) {
        return false;
    }
    fault->effect.status = (int)status;
    return true;
}

static bool set_cut(struct fault *fault, struct text value, struct buffer *why) {
    bool before = text_equal(value, TEXT("before"));
    if (!before && !text_equal(value, TEXT("after"))) {
        buffer_append_string(why, "a fault's cut is before or after (the request took effect)");
        return false;
    }
    fault->effect.cut = before ? FAULT_CUT_BEFORE : FAULT_CUT_AFTER;
    return true;
}

static bool set_effect(struct fault *fault, struct text value, struct buffer *why) {
    bool yes = text_equal(value, TEXT("yes")) || text_equal(value, TEXT("true"));
    if (!yes && !text_equal(value, TEXT("no")) && !text_equal(value, TEXT("false"))) {
        buffer_append_string(why, "a fault's effect is yes or no");
        return false;
    }
    fault->effect_said = true;
    fault->effect.prevented = !yes;
    return true;
}

static bool set_text(struct buffer *buffer, struct text value, const char *key, struct buffer *why) {
    buffer_clear(buffer);
    buffer_append_text(buffer, value);
    if (buffer->failed || (value.length == 0 && strcmp(key, "body") != 0)) {
        buffer_format(why, "a fault's %s is a text of 1 to %zu bytes", key, FAULT_TEXT_CEILING);
        return false;
    }
    return true;
}

bool fault_set(struct fault *fault, struct text key, struct text value, struct buffer *why) {
    struct fault_effect *effect = &fault->effect;
    if (text_equal(key, TEXT("method"))) {
        return set_text(&fault->method, value, "method", why);
    }
    if (text_equal(key, TEXT("path"))) {
        return set_text(&fault->path, value, "path", why);
    }
    if (text_equal(key, TEXT("nth"))) {
        return set_number(&fault->nth, value, 1, 1000000000, "nth", why);
    }
    if (text_equal(key, TEXT("count"))) {
        if (text_equal(value, TEXT("all"))) {
            fault->count = UINT64_MAX;
            return true;
        }
        return set_number(&fault->count, value, 1, 1000000000, "count (or all)", why);
    }
    if (text_equal(key, TEXT("hold"))) {
        return set_number(&effect->hold_ms, value, 0, FAULT_WAIT_CEILING_MS, "hold", why);
    }
    if (text_equal(key, TEXT("delay"))) {
        return set_number(&effect->delay_ms, value, 0, FAULT_WAIT_CEILING_MS, "delay", why);
    }
    if (text_equal(key, TEXT("status"))) {
        return set_status(fault, value, why);
    }
    if (text_equal(key, TEXT("cut"))) {
        return set_cut(fault, value, why);
    }
    if (text_equal(key, TEXT("body"))) {
        effect->has_body = true;
        return set_text(&effect->body, value, "body", why);
    }
    if (text_equal(key, TEXT("effect"))) {
        return set_effect(fault, value, why);
    }
    buffer_append_string(why,
                         "a fault has method, path, nth, count, hold, delay, status, cut, body and effect; not this: ");
    json_quote(why, key);
    return false;
}

bool fault_add(struct fault_list *list, struct fault *fault, struct buffer *why) {
    const char *problem = NULL;
    if (fault->method.length == 0 || fault->path.length == 0) {
        problem = "a fault needs a method and a path, each a pattern or *";
    } else if (list->count == FAULTS_CEILING) {
        problem = "there are 64 faults already";
    }
    if (problem) {
        buffer_append_string(why, problem);
        fault_free(fault);
        return false;
    }
    /* A made-up status means that the store did not do it, unless said otherwise. */
    if (!fault->effect_said) {
        fault->effect.prevented = fault->effect.status >= 300;
    }
    list->faults[list->count++] = fault;
    return true;
}

static struct text take_word(struct text *rest) {
    while (rest->length > 0 && rest->bytes[0] == ' ') {
        rest->bytes++;
        rest->length--;
    }
    struct text word = {rest->bytes, 0};
    while (word.length < rest->length && rest->bytes[word.length] != ' ') {
        word.length++;
    }
    rest->bytes += word.length;
    rest->length -= word.length;
    return word;
}

static bool read_words(struct fault *fault, struct text rest, struct buffer *why) {
    struct text method = take_word(&rest);
    struct text path = take_word(&rest);
    if (!fault_set(fault, TEXT("method"), method, why) || !fault_set(fault, TEXT("path"), path, why)) {
        return false;
    }
    for (struct text word = take_word(&rest); word.length > 0; word = take_word(&rest)) {
        size_t equals = text_find(word, TEXT("="));
        if (equals == SIZE_MAX) {
            buffer_append_string(why, "a fault is METHOD PATH key=value …; this is no key=value: ");
            json_quote(why, word);
            return false;
        }
        struct text key = {word.bytes, equals};
        struct text value = {word.bytes + equals + 1, word.length - equals - 1};
        if (!fault_set(fault, key, value, why)) {
            return false;
        }
    }
    return true;
}

bool fault_add_text(struct fault_list *list, struct text text, struct buffer *why) {
    struct fault *fault = fault_new();
    if (!fault) {
        buffer_append_string(why, "there is not enough memory");
        return false;
    }
    if (!read_words(fault, text, why)) {
        fault_free(fault);
        return false;
    }
    return fault_add(list, fault, why);
}

/* Goes back to the last star only, so the time is at most the product of both lengths. */
bool glob_matches(struct text pattern, struct text text) {
    size_t at = 0;
    size_t in = 0;
    size_t star = SIZE_MAX;
    size_t retry = 0;
    while (at < text.length) {
        if (in < pattern.length && pattern.bytes[in] == '*') {
            star = in++;
            retry = at;
        } else if (in < pattern.length && pattern.bytes[in] == text.bytes[at]) {
            in++;
            at++;
        } else if (star != SIZE_MAX) {
            in = star + 1;
            at = ++retry;
        } else {
            return false;
        }
    }
    while (in < pattern.length && pattern.bytes[in] == '*') {
        in++;
    }
    return in == pattern.length;
}

static void copy_effect(const struct fault_effect *from, struct fault_effect *to) {
    *to = *from;
    buffer_init(&to->body, FAULT_TEXT_CEILING);
    buffer_append_text(&to->body, buffer_text(&from->body));
}

bool fault_strike(struct fault_list *list, struct text method, struct text path, struct fault_effect *effect) {
    bool struck = false;
    for (size_t at = 0; at < list->count; at++) {
        struct fault *fault = list->faults[at];
        if (!glob_matches(buffer_text(&fault->method), method) || !glob_matches(buffer_text(&fault->path), path)) {
            continue;
        }
        fault->seen++;
        bool strikes = fault->seen >= fault->nth && fault->seen - fault->nth < fault->count;
        if (strikes && !struck) {
            struck = true;
            fault->struck++;
            copy_effect(&fault->effect, effect);
        }
    }
    return struck;
}

static void describe_one(const struct fault *fault, struct buffer *out) {
    const struct fault_effect *effect = &fault->effect;
    static const char *const cuts[] = {"", ",\"cut\":\"before\"", ",\"cut\":\"after\""};
    buffer_append_string(out, "{\"method\":");
    json_quote(out, buffer_text(&fault->method));
    buffer_append_string(out, ",\"path\":");
    json_quote(out, buffer_text(&fault->path));
    buffer_format(out, ",\"nth\":%llu,\"count\":", (unsigned long long)fault->nth);
    if (fault->count == UINT64_MAX) {
        buffer_append_string(out, "\"all\"");
    } else {
        buffer_append_number(out, (int64_t)fault->count);
    }
    buffer_format(out, ",\"hold\":%llu,\"delay\":%llu", (unsigned long long)effect->hold_ms,
                  (unsigned long long)effect->delay_ms);
    if (effect->status) {
        buffer_format(out, ",\"status\":%d", effect->status);
    }
    buffer_append_string(out, cuts[effect->cut]);
    if (effect->has_body) {
        buffer_append_string(out, ",\"body\":");
        json_quote(out, buffer_text(&effect->body));
    }
    buffer_format(out, ",\"effect\":%s,\"seen\":%llu,\"struck\":%llu}", effect->prevented ? "false" : "true",
                  (unsigned long long)fault->seen, (unsigned long long)fault->struck);
}

void fault_describe(const struct fault_list *list, struct buffer *out) {
    buffer_append_byte(out, '[');
    for (size_t at = 0; at < list->count; at++) {
        if (at > 0) {
            buffer_append_byte(out, ',');
        }
        describe_one(list->faults[at], out);
    }
    buffer_append_byte(out, ']');
}

void fault_clear(struct fault_list *list) {
    for (size_t at = 0; at < list->count; at++) {
        fault_free(list->faults[at]);
    }
    list->count = 0;
}
