#include "harness/history/fold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- segments ---- */

static bool is_odd_name(struct text name) {
    return text_equal(name, TEXT("__proto__")) || text_equal(name, TEXT("constructor")) || text_equal(name, TEXT("prototype"));
}

/* fold.array-index: a non-negative integer, or its canonical decimal string. */
static bool array_index(const struct json_value *segment, size_t *index) {
    if (segment->type == JSON_NUMBER) {
        if (!(segment->number >= 0 && segment->number <= FOLD_ARRAY_CEILING) || floor(segment->number) != segment->number) {
            return false;
        }
        *index = (size_t)segment->number;
        return true;
    }
    struct text digits = segment->text;
    if (digits.length == 0 || digits.length > 6 || (digits.bytes[0] == '0' && digits.length > 1)) {
        return false;
    }
    *index = 0;
    for (size_t i = 0; i < digits.length; i++) {
        if (digits.bytes[i] < '0' || digits.bytes[i] > '9') {
            return false;
        }
        *index = *index * 10 + (size_t)(digits.bytes[i] - '0');
    }
    return *index <= FOLD_ARRAY_CEILING;
}

/* fold.object-number-key: the key's decimal string. False where JavaScript's spelling is not plain digits. */
static bool object_key(struct fold *fold, const struct json_value *segment, struct text *key) {
    if (segment->type == JSON_STRING) {
        *key = segment->text;
        return !is_odd_name(segment->text);
    }
    if (fabs(segment->number) > 9007199254740991.0 || floor(segment->number) != segment->number) {
        return false;
    }
    *key = text_of(arena_format(fold->arena, "%.0f", segment->number == 0 ? 0.0 : segment->number));
    return true;
}

/* ---- containers ---- */

static struct json_value *element(struct fold *fold, struct json_value *array, size_t index) {
    while (array->count <= index) {
        /* fold.array-extend: holes read as null. */
        json_append(array, json_null(fold->arena));
    }
    struct json_value *child = array->first;
    while (index-- > 0) {
        child = child->next;
    }
    return child;
}

static struct json_value *member(const struct json_value *object, struct text key) {
    for (struct json_value *child = object->first; child != NULL; child = child->next) {
        if (text_equal(child->key, key)) {
            return child;
        }
    }
    return NULL;
}

static bool is_container(const struct json_value *value) {
    return value != NULL && (value->type == JSON_ARRAY || value->type == JSON_OBJECT);
}

/* Puts what `source` is in the place of `target`, which stays in its list. */
static void overwrite(struct json_value *target, const struct json_value *source) {
    target->type = source->type;
    target->boolean = source->boolean;
    target->number = source->number;
    target->text = source->text;
    target->first = source->first;
    target->last = source->last;
    target->count = source->count;
}

/* fold.create-array, fold.create-object: what stands where a container is missing, by the segment below it. */
static struct json_value *new_container(struct fold *fold, const struct json_value *segment) {
    return segment->type == JSON_NUMBER ? json_array(fold->arena) : json_object(fold->arena);
}

/* The place that the segment names in its container, made as null when it is not there; NULL: the outcome is free. */
static struct json_value *place(struct fold *fold, struct json_value *container, const struct json_value *segment) {
    if (container->type == JSON_ARRAY) {
        size_t index;
        return array_index(segment, &index) ? element(fold, container, index) : NULL;
    }
    struct text key;
    if (!object_key(fold, segment, &key)) {
        return NULL;
    }
    struct json_value *child = member(container, key);
    if (child == NULL) {
        child = json_null(fold->arena);
        json_set(container, key, child);
    }
    return child;
}

/* fold.delete, fold.array-delete. False: the outcome is free. */
static bool delete_at(struct fold *fold, struct json_value *container, const struct json_value *segment) {
    if (container->type == JSON_ARRAY) {
        size_t index;
        if (!array_index(segment, &index)) {
            return false;
        }
        if (index < container->count) {
            overwrite(element(fold, container, index), json_null(fold->arena));
        }
        return true;
    }
    struct text key;
    if (!object_key(fold, segment, &key)) {
        return false;
    }
    json_remove(container, key);
    return true;
}

/* ---- ops ---- */

static bool is_plain(const struct json_value *op, const struct json_value *path) {
    if (path == NULL || path->type != JSON_ARRAY) {
        return false;
    }
    for (const struct json_value *segment = path->first; segment != NULL; segment = segment->next) {
        if (segment->type != JSON_STRING && segment->type != JSON_NUMBER) {
            return false;
        }
    }
    bool set = json_is_string(json_get(op, "kind"), "set");
    return (set && json_get(op, "next") != NULL) || json_is_string(json_get(op, "kind"), "delete");
}

/* Walks down to the container that holds the path's last segment, making what is missing. NULL: the outcome is free. */
static struct json_value *walk(struct fold *fold, const struct json_value *path) {
    if (!is_container(fold->root)) {
        fold->root = new_container(fold, path->first);
    }
    struct json_value *container = fold->root;
    for (const struct json_value *segment = path->first; segment->next != NULL; segment = segment->next) {
        struct json_value *child = place(fold, container, segment);
        if (child == NULL) {
            return NULL;
        }
        if (!is_container(child)) {
            overwrite(child, new_container(fold, segment->next));
        }
        container = child;
    }
    return container;
}

void fold_op(struct fold *fold, const struct json_value *op) {
    const struct json_value *path = json_get(op, "path");
    if (!is_plain(op, path)) {
        fold->is_free = true;
        return;
    }
    bool set = json_is_string(json_get(op, "kind"), "set");
    if (path->count == 0) {
        /* fold.root-set; fold.root-delete does nothing. */
        fold->root = set ? json_copy(fold->arena, json_get(op, "next")) : fold->root;
        return;
    }
    struct json_value *container = walk(fold, path);
    if (container == NULL) {
        fold->is_free = true;
        return;
    }
    if (!set) {
        fold->is_free = !delete_at(fold, container, path->last) || fold->is_free;
        return;
    }
    struct json_value *target = place(fold, container, path->last);
    if (target == NULL) {
        fold->is_free = true;
        return;
    }
    overwrite(target, json_copy(fold->arena, json_get(op, "next")));
}

void fold_envelope(struct fold *fold, const struct json_value *envelope) {
    const struct json_value *ops = json_get(envelope, "ops");
    if (ops == NULL || ops->type != JSON_ARRAY) {
        fold->is_free = true;
        return;
    }
    for (const struct json_value *op = ops->first; op != NULL; op = op->next) {
        fold_op(fold, op);
    }
}
