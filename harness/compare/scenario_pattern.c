/* What was said and sent, as patterns and templates. */
#include "harness/compare/memory.h"
#include "harness/compare/scenario_writer.h"

/* ---- JSON as YAML's flow style ------------------------------------------------------------------- */

/* A blank behind each comma and colon outside of strings makes it one. */
void writer_print(struct writer *writer, const struct json_value *value) {
    struct buffer text = {0};
    json_print(&text, value);
    bool quoted = false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        buffer_append(writer->out, &c, 1);
        if (quoted && c == '\\') {
            if (i + 2 < text.length && text.bytes[i + 1] == 'u' && text.bytes[i + 2] == 'd')
                error_set(writer->error, ERROR_USAGE, "no scenario is written: a lone surrogate has no place in one");
            buffer_append(writer->out, &text.bytes[++i], 1);
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == ',' || c == ':')) {
            buffer_string(writer->out, " ");
        }
    }
    buffer_free(&text);
}

/* ---- templates and patterns ---------------------------------------------------------------------- */

static struct json_value *operator_of(struct arena *arena, const char *key, struct json_value *value) {
    struct json_value *operator= json_object(arena);
    json_set(operator, text_of(key), value);
    return operator;
}

/* {OPERATOR: iN} for the shared name `$N`. */
static struct json_value *named(struct writer *writer, const char *key, struct text shared) {
    const char *name = arena_format(writer->arena, "i%.*s", (int)shared.length - 1, shared.bytes + 1);
    return operator_of(writer->arena, key, json_string(writer->arena, text_of(name)));
}

static bool is_shared(const struct json_value *name) {
    return name->text.length > 1 && name->text.bytes[0] == '$';
}

static bool is_bound(const struct writer *writer, struct text shared) {
    for (size_t i = 0; i < writer->bound_count; i++)
        if (text_equal(writer->bound[i], shared))
            return true;
    return false;
}

/* The value becomes what `other` is; its place in its parent stays. */
static void become(struct json_value *value, const struct json_value *other) {
    value->type = other->type;
    value->first = other->first;
    value->last = other->last;
    value->count = other->count;
}

/* A new epoch or instance is none of those before (epoch.unique). */
static struct json_value *bind_new(struct writer *writer, struct text shared) {
    struct json_value *patterns = json_array(writer->arena);
    for (size_t i = 0; i < writer->bound_count; i++)
        json_append(patterns, operator_of(writer->arena, "$not", named(writer, "$is", writer->bound[i])));
    json_append(patterns, named(writer, "$bind", shared));
    return operator_of(writer->arena, "$all", patterns);
}

/* In what is expected. */
static void to_pattern(void *context, struct json_value *name) {
    struct writer *writer = context;
    if (!is_shared(name))
        return;
    if (is_bound(writer, name->text) || writer->bound_count == BOUND_CEILING) {
        become(name, named(writer, "$is", name->text));
        return;
    }
    struct text shared = name->text;
    become(name, writer->bound_count == 0 ? named(writer, "$bind", shared) : bind_new(writer, shared));
    writer->bound[writer->bound_count++] = shared;
}

/* In what is sent. */
static void to_template(void *context, struct json_value *name) {
    struct writer *writer = context;
    if (!is_shared(name))
        return;
    if (!is_bound(writer, name->text))
        error_set(writer->error, ERROR_USAGE, "no scenario is written: it would send an epoch or instance that only an observer saw");
    become(name, named(writer, "$is", name->text));
}

/* Makes a list one whose order does not count. */
static void to_unordered(struct writer *writer, struct json_value *holder, const char *key) {
    struct json_value *list = json_get(holder, key);
    if (list == NULL || list->type != JSON_ARRAY || list->count < 2)
        return;
    struct json_value *patterns = json_array(writer->arena);
    for (const struct json_value *one = list->first; one != NULL; one = one->next) {
        struct json_value *pattern = json_copy(writer->arena, one);
        pattern->next = NULL;
        json_append(patterns, operator_of(writer->arena, "$exactly", pattern));
    }
    json_set(holder, text_of(key), operator_of(writer->arena, "$unordered", patterns));
}

static void registers_to_unordered(struct writer *writer, struct json_value *holder) {
    const struct json_value *registers = json_get(holder, "registers");
    for (struct json_value *one = registers != NULL ? registers->first : NULL; one != NULL; one = one->next)
        to_unordered(writer, one, "siblings");
    to_unordered(writer, holder, "registers");
}

/* What a watermark that is ahead may be answered with. */
static struct json_value *pattern_of_ahead(struct writer *writer, struct json_value *welcome) {
    struct json_value *modes = json_array(writer->arena);
    json_append(modes, json_string(writer->arena, TEXT("delta")));
    json_append(modes, json_string(writer->arena, TEXT("snapshot")));
    json_set(welcome, TEXT("mode"), operator_of(writer->arena, "$one-of", modes));
    return welcome;
}

/* What was said, and nothing besides. */
struct json_value *writer_pattern(struct writer *writer, const struct json_value *value) {
    struct json_value *pattern = json_copy(writer->arena, value);
    pattern->next = NULL;
    pattern->key = (struct text){0};
    if (pattern->type != JSON_OBJECT)
        return pattern;
    names_visit(pattern, to_pattern, writer);
    to_unordered(writer, pattern, "peers");
    registers_to_unordered(writer, pattern);
    registers_to_unordered(writer, json_get(pattern, "state"));
    if (json_is_string(json_get(pattern, "mode"), MODE_AHEAD))
        return pattern_of_ahead(writer, pattern);
    return operator_of(writer->arena, "$exactly", pattern);
}

/* Whether the violation's detail is for comparison (valid.details). */
static bool has_open_detail(const struct json_value *violation) {
    return violation != NULL && json_get(violation, "detail") == NULL && !json_is_string(json_get(violation, "reason"), "malformed");
}

struct json_value *writer_observation(struct writer *writer, const struct json_value *seen) {
    const struct json_value *violation = json_get(seen, "violation");
    if (violation == NULL)
        return writer_pattern(writer, seen);
    struct json_value *whole = json_object(writer->arena);
    json_set(whole, TEXT("room"), json_copy(writer->arena, json_get(seen, "room")));
    for (const struct json_value *part = violation->first; part != NULL; part = part->next)
        json_set(whole, part->key, json_copy(writer->arena, part));
    if (!has_open_detail(violation))
        return writer_pattern(writer, whole);
    if (json_get(whole, "path") == NULL)
        json_set(whole, TEXT("path"), operator_of(writer->arena, "$absent", json_boolean(writer->arena, true)));
    return whole;
}

void writer_template(struct writer *writer, struct json_value *step) {
    names_visit(step, to_template, writer);
}
