#include "harness/replay/difference.h"

#include <string.h>

void difference_show(struct buffer *out, const struct json_value *value) {
    struct buffer text = {.ceiling = DIFFERENCE_SHOWN};
    if (value == NULL)
        buffer_string(&text, "nothing");
    else
        json_print(&text, value);
    buffer_append(out, text.bytes, text.length);
    if (text.overflowed)
        buffer_string(out, "…");
    buffer_free(&text);
}

static const struct json_value *member(const struct json_value *object, struct text key) {
    const struct json_value *child = object->first;
    while (child != NULL && !text_equal(child->key, key))
        child = child->next;
    return child;
}

/* Steps into the first member that is missing on one side or differs; false when there is none. */
static bool enter_object(struct buffer *path, const struct json_value **wanted, const struct json_value **came) {
    const struct json_value *child = (*wanted)->first, *other = NULL;
    for (; child != NULL; child = child->next) {
        other = member(*came, child->key);
        if (other == NULL || !json_equal(child, other))
            break;
    }
    struct text key = child != NULL ? child->key : (struct text){0};
    if (child == NULL) {
        for (other = (*came)->first; other != NULL && member(*wanted, other->key) != NULL;)
            other = other->next;
        if (other == NULL)
            return false;
        key = other->key;
    }
    buffer_string(path, ".");
    buffer_text(path, key);
    *wanted = child;
    *came = other;
    return true;
}

/* The same for the first element; arrays of different lengths differ where the shorter one ends, at the latest. */
static bool enter_array(struct buffer *path, const struct json_value **wanted, const struct json_value **came) {
    const struct json_value *child = (*wanted)->first, *other = (*came)->first;
    size_t index = 0;
    while (child != NULL && other != NULL && json_equal(child, other)) {
        child = child->next;
        other = other->next;
        index++;
    }
    if (child == NULL && other == NULL)
        return false;
    buffer_format(path, "[%zu]", index);
    *wanted = child;
    *came = other;
    return true;
}

void difference_place(struct buffer *path, const struct json_value **wanted, const struct json_value **came) {
    bool deeper = true;
    while (deeper && *wanted != NULL && *came != NULL && (*wanted)->type == (*came)->type) {
        if ((*wanted)->type == JSON_OBJECT)
            deeper = enter_object(path, wanted, came);
        else if ((*wanted)->type == JSON_ARRAY)
            deeper = enter_array(path, wanted, came);
        else
            deeper = false;
    }
}

bool difference_find(struct buffer *out, const char *path, const struct json_value *wanted,
                     const struct json_value *came) {
    if (wanted != NULL && came != NULL && json_equal(wanted, came))
        return false;
    struct buffer where = {.ceiling = 2000};
    buffer_string(&where, path);
    difference_place(&where, &wanted, &came);
    buffer_append(out, where.bytes, where.length);
    buffer_string(out, ": wanted ");
    difference_show(out, wanted);
    buffer_string(out, ", came ");
    difference_show(out, came);
    buffer_free(&where);
    return true;
}
