#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/json/value.h"

static struct json_value *make(struct arena *arena, enum json_type type) {
    struct json_value *value = arena_alloc(arena, sizeof(*value));
    value->type = type;
    return value;
}

struct json_value *json_null(struct arena *arena) {
    return make(arena, JSON_NULL);
}

struct json_value *json_boolean(struct arena *arena, bool boolean) {
    struct json_value *value = make(arena, JSON_BOOLEAN);
    value->boolean = boolean;
    return value;
}

/* The shortest spelling that reads back as the same double. */
static char *spell(struct arena *arena, double number) {
    if (isinf(number))
        return arena_format(arena, number < 0 ? "-1e400" : "1e400");
    if (number == floor(number) && fabs(number) < 1e15)
        return arena_format(arena, "%.0f", number);
    char spelling[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(spelling, sizeof(spelling), "%.*g", digits, number);
        if (strtod(spelling, NULL) == number)
            break;
    }
    return arena_copy(arena, spelling, strlen(spelling));
}

struct json_value *json_number(struct arena *arena, double number) {
    struct json_value *value = make(arena, JSON_NUMBER);
    value->number = number;
    value->text = text_of(spell(arena, number));
    return value;
}

struct json_value *json_string(struct arena *arena, struct text text) {
    struct json_value *value = make(arena, JSON_STRING);
    value->text = (struct text){arena_copy(arena, text.bytes, text.length), text.length};
    return value;
}

struct json_value *json_array(struct arena *arena) {
    return make(arena, JSON_ARRAY);
}

struct json_value *json_object(struct arena *arena) {
    return make(arena, JSON_OBJECT);
}

void json_append(struct json_value *array, struct json_value *child) {
    child->next = NULL;
    if (array->last == NULL)
        array->first = child;
    else
        array->last->next = child;
    array->last = child;
    array->count++;
}

void json_set(struct json_value *object, struct text key, struct json_value *child) {
    child->key = key;
    struct json_value *before = NULL;
    for (struct json_value *member = object->first; member != NULL; before = member, member = member->next) {
        if (!text_equal(member->key, key))
            continue;
        child->next = member->next;
        *(before != NULL ? &before->next : &object->first) = child;
        if (object->last == member)
            object->last = child;
        return;
    }
    json_append(object, child);
}

void json_remove(struct json_value *object, struct text key) {
    struct json_value *before = NULL;
    for (struct json_value *member = object->first; member != NULL; before = member, member = member->next) {
        if (!text_equal(member->key, key))
            continue;
        *(before != NULL ? &before->next : &object->first) = member->next;
        if (object->last == member)
            object->last = before;
        object->count--;
        return;
    }
}

struct json_value *json_get(const struct json_value *value, const char *key) {
    if (value == NULL || value->type != JSON_OBJECT)
        return NULL;
    struct text wanted = text_of(key);
    for (struct json_value *member = value->first; member != NULL; member = member->next)
        if (text_equal(member->key, wanted))
            return member;
    return NULL;
}

bool json_is_string(const struct json_value *value, const char *string) {
    return value != NULL && value->type == JSON_STRING && text_equal(value->text, text_of(string));
}

const char *json_type_name(enum json_type type) {
    static const char *const names[] = {"null", "boolean", "number", "string", "array", "object"};
    return names[type];
}

/* ---- copies ------------------------------------------------------------------------------------ */

struct pending_copy {
    const struct json_value *source;
    struct json_value *copy;
};

/* Copies one value, of a container without its children. */
static struct json_value *copy_one(struct arena *arena, const struct json_value *source) {
    struct json_value *copy = arena_alloc(arena, sizeof(*copy));
    *copy = *source;
    copy->first = copy->last = copy->next = NULL;
    copy->count = 0;
    if (source->text.bytes != NULL)
        copy->text.bytes = arena_copy(arena, source->text.bytes, source->text.length);
    if (source->key.bytes != NULL)
        copy->key.bytes = arena_copy(arena, source->key.bytes, source->key.length);
    return copy;
}

struct json_value *json_copy(struct arena *arena, const struct json_value *value) {
    struct pending_copy *pending = NULL;
    size_t count = 0, capacity = 0;
    struct json_value *root = copy_one(arena, value);
    pending = memory_room(pending, count, &capacity, sizeof(*pending));
    pending[count++] = (struct pending_copy){value, root};
    while (count > 0) {
        struct pending_copy parent = pending[--count];
        for (const struct json_value *child = parent.source->first; child != NULL; child = child->next) {
            struct json_value *copy = copy_one(arena, child);
            json_append(parent.copy, copy);
            if (child->first == NULL)
                continue;
            pending = memory_room(pending, count, &capacity, sizeof(*pending));
            pending[count++] = (struct pending_copy){child, copy};
        }
    }
    free(pending);
    return root;
}
