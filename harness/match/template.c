#include "harness/match/template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/json/characters.h"
#include "harness/match/operators.h"

struct filler {
    struct bindings *bindings;
    struct error *error;
    size_t bytes;   /* generated so far */
    unsigned depth; /* of operators */
};

static struct json_value *fill(struct filler *filler, const struct json_value *node);

static struct json_value *fault(struct filler *filler, const struct json_value *node, const char *what) {
    fault_at(filler->error, node->line, node->column, "%s", what);
    return NULL;
}

static bool take_bytes(struct filler *filler, const struct json_value *node, size_t bytes) {
    if (bytes > TEMPLATE_BYTES_CEILING - filler->bytes)
        return fault_at(filler->error, node->line, node->column, "the generated value is larger than %zu bytes",
                        TEMPLATE_BYTES_CEILING);
    filler->bytes += bytes;
    return true;
}

/* A whole number from 0 to `ceiling`, perhaps from a template. */
static bool fill_count(struct filler *filler, const struct json_value *node, double ceiling, size_t *count) {
    const struct json_value *value = fill(filler, node);
    if (value == NULL)
        return false;
    if (value->type != JSON_NUMBER || !(value->number >= 0 && value->number <= ceiling) ||
        value->number != floor(value->number))
        return fault_at(filler->error, node->line, node->column, "expected a whole number from 0 to %.0f", ceiling);
    *count = (size_t)value->number;
    return true;
}

static struct json_value *fill_is(struct filler *filler, const struct json_value *node) {
    const struct json_value *bound = bindings_get(filler->bindings, node->first->text);
    if (bound != NULL)
        return json_copy(filler->bindings->arena, bound);
    struct buffer text = {.ceiling = 200};
    buffer_string(&text, "nothing has bound the name ");
    json_print_string(&text, node->first->text);
    fault(filler, node, text.bytes);
    buffer_free(&text);
    return NULL;
}

static struct json_value *fill_json(struct filler *filler, const struct json_value *node) {
    struct error reason = {0};
    struct json_value *value = json_parse(filler->bindings->arena, node->first->text, &reason);
    if (value == NULL)
        fault_at(filler->error, node->line, node->column, "$json: %s", reason.text);
    return value;
}

/* Whether half a character at the text's end and another at its start make a whole one. */
static bool joins_itself(struct text text) {
    struct buffer twice = {0};
    wtf8_append(&twice, text);
    wtf8_append(&twice, text);
    bool joins = twice.length != 2 * text.length;
    buffer_free(&twice);
    return joins;
}

/* Each time the bytes that are there already are doubled. */
static struct text repeat_bytes(struct arena *arena, struct text text, size_t times) {
    size_t whole = text.length * times;
    char *bytes = arena_alloc(arena, whole + 1);
    if (whole == 0)
        return (struct text){bytes, 0};
    memcpy(bytes, text.bytes, text.length);
    for (size_t done = text.length; done < whole;) {
        size_t more = done < whole - done ? done : whole - done;
        memcpy(bytes + done, bytes, more);
        done += more;
    }
    return (struct text){bytes, whole};
}

static struct text repeat_text(struct arena *arena, struct text text, size_t times) {
    if (!joins_itself(text))
        return repeat_bytes(arena, text, times);
    struct buffer whole = {0};
    for (size_t i = 0; i < times; i++)
        wtf8_append(&whole, text);
    struct text repeated = {arena_copy(arena, whole.bytes, whole.length), whole.length};
    buffer_free(&whole);
    return repeated;
}

static struct json_value *fill_repeat(struct filler *filler, const struct json_value *node) {
    const struct json_value *text_node = json_get(node->first, "text");
    const struct json_value *text = fill(filler, text_node);
    size_t times;
    if (text == NULL || !fill_count(filler, json_get(node->first, "times"), (double)TEMPLATE_BYTES_CEILING, &times))
        return NULL;
    if (text->type != JSON_STRING)
        return fault(filler, text_node, "expected a string to repeat");
    if (text->text.length > 0 && times > TEMPLATE_BYTES_CEILING / text->text.length)
        times = TEMPLATE_BYTES_CEILING / text->text.length + 1; /* refused next */
    if (!take_bytes(filler, node, text->text.length * times))
        return NULL;
    struct json_value *value = json_string(filler->bindings->arena, TEXT(""));
    value->text = repeat_text(filler->bindings->arena, text->text, times);
    return value;
}

static struct json_value *fill_nested(struct filler *filler, const struct json_value *node) {
    struct arena *arena = filler->bindings->arena;
    const struct json_value *argument = node->first, *with = json_get(argument, "with");
    bool in_object = json_is_string(json_get(argument, "in"), "object");
    size_t levels;
    struct json_value *value = with != NULL ? fill(filler, with) : json_number(arena, 1);
    if (value == NULL || !fill_count(filler, json_get(argument, "levels"), NESTED_CEILING, &levels) ||
        !take_bytes(filler, node, levels * 2))
        return NULL;
    for (size_t i = 0; i < levels; i++) {
        struct json_value *outer = in_object ? json_object(arena) : json_array(arena);
        value->key = in_object ? TEXT("n") : (struct text){NULL, 0};
        json_append(outer, value);
        value = outer;
    }
    return value;
}

static struct json_value *fill_concat(struct filler *filler, const struct json_value *node) {
    struct buffer whole = {0};
    struct json_value *result = NULL;
    const struct json_value *item = node->first->first;
    for (; item != NULL; item = item->next) {
        const struct json_value *part = fill(filler, item);
        if (part == NULL || !take_bytes(filler, node, part->text.length))
            break;
        if (part->type != JSON_STRING && part->type != JSON_NUMBER) {
            fault(filler, item, "expected a string or a number to join");
            break;
        }
        wtf8_append(&whole, part->text);
    }
    if (item == NULL)
        result = json_string(filler->bindings->arena, (struct text){whole.bytes, whole.length});
    buffer_free(&whole);
    return result;
}

static struct json_value *fill_plus(struct filler *filler, const struct json_value *node) {
    double sum = 0;
    for (const struct json_value *item = node->first->first; item != NULL; item = item->next) {
        const struct json_value *part = fill(filler, item);
        if (part == NULL)
            return NULL;
        if (part->type != JSON_NUMBER)
            return fault(filler, item, "expected a number to add");
        sum += part->number;
    }
    return isfinite(sum) ? json_number(filler->bindings->arena, sum)
                         : fault(filler, node, "the sum is no finite number");
}

static struct json_value *fill_by_kind(struct filler *filler, const struct json_value *node, enum operator kind) {
    switch (kind) {
    case OPERATOR_IS:
        return fill_is(filler, node);
    case OPERATOR_JSON:
        return fill_json(filler, node);
    case OPERATOR_LITERAL:
        return json_copy(filler->bindings->arena, node->first);
    case OPERATOR_REPEAT:
        return fill_repeat(filler, node);
    case OPERATOR_NESTED:
        return fill_nested(filler, node);
    case OPERATOR_CONCAT:
        return fill_concat(filler, node);
    case OPERATOR_PLUS:
        return fill_plus(filler, node);
    default:
        return fault(filler, node, "this operator gives no value");
    }
}

static struct json_value *fill_operator(struct filler *filler, const struct json_value *node, enum operator kind) {
    if (filler->depth >= OPERATOR_DEPTH_CEILING)
        return fault(filler, node, "operators stand in each other too deep");
    filler->depth++;
    struct json_value *value = fill_by_kind(filler, node, kind);
    filler->depth--;
    if (value != NULL) {
        value->line = node->line;
        value->column = node->column;
    }
    return value;
}

/* ---- plain values ------------------------------------------------------------------------------ */

struct pending {
    const struct json_value *source;
    struct json_value *copy;
};

static struct json_value *copy_plain(struct arena *arena, const struct json_value *source) {
    struct json_value bare = *source;
    bare.first = bare.last = NULL;
    bare.count = 0;
    return json_copy(arena, &bare);
}

/* Fills the children of one container; containers among them are noted. */
static bool fill_children(struct filler *filler, struct pending parent, struct pending **pending, size_t *count,
                          size_t *capacity) {
    struct arena *arena = filler->bindings->arena;
    for (const struct json_value *child = parent.source->first; child != NULL; child = child->next) {
        enum operator kind = operator_of(child);
        if (kind == OPERATOR_ABSENT && parent.source->type == JSON_OBJECT)
            continue;
        struct json_value *copy = kind == OPERATOR_NONE ? copy_plain(arena, child) : fill_operator(filler, child, kind);
        if (copy == NULL)
            return false;
        copy->key = (struct text){arena_copy(arena, child->key.bytes, child->key.length), child->key.length};
        json_append(parent.copy, copy);
        if (kind != OPERATOR_NONE || child->first == NULL)
            continue;
        *pending = memory_room(*pending, *count, capacity, sizeof(**pending));
        (*pending)[(*count)++] = (struct pending){child, copy};
    }
    return true;
}

static struct json_value *fill(struct filler *filler, const struct json_value *node) {
    enum operator kind = operator_of(node);
    if (kind != OPERATOR_NONE)
        return fill_operator(filler, node, kind);
    struct json_value *root = copy_plain(filler->bindings->arena, node);
    struct pending *pending = NULL;
    size_t count = 0, capacity = 0;
    bool good = node->first == NULL || fill_children(filler, (struct pending){node, root}, &pending, &count, &capacity);
    while (good && count > 0) {
        struct pending parent = pending[--count];
        good = fill_children(filler, parent, &pending, &count, &capacity);
    }
    free(pending);
    return good ? root : NULL;
}

struct json_value *template_fill(const struct json_value *value, struct bindings *bindings, struct error *error) {
    struct filler filler = {.bindings = bindings, .error = error};
    return fill(&filler, value);
}
