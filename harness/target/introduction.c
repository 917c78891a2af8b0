#include "harness/target/introduction.h"

static bool is_text(const struct json_value *value) {
    return value != NULL && value->type == JSON_STRING && value->text.length > 0;
}

static bool is_list_of_texts(const struct json_value *value) {
    if (value == NULL || value->type != JSON_ARRAY)
        return false;
    for (const struct json_value *item = value->first; item != NULL; item = item->next)
        if (!is_text(item))
            return false;
    return true;
}

bool introduction_lists(const struct json_value *strings, const char *string) {
    for (const struct json_value *item = strings != NULL ? strings->first : NULL; item != NULL; item = item->next)
        if (json_is_string(item, string))
            return true;
    return false;
}

static void put_about(struct buffer *about, const char *before, const struct json_value *value, const char *after) {
    if (!is_text(value))
        return;
    buffer_string(about, before);
    buffer_text(about, value->text);
    buffer_string(about, after);
}

const char *introduction_read(struct introduction *introduction, const struct json_value *said) {
    const struct json_value *version = json_get(said, "meshspec");
    if (version != NULL && (version->type != JSON_NUMBER || version->number != 1))
        return "speaks another version of the adapter protocol than 1";
    const struct json_value *profiles = json_get(said, "profiles"), *can = json_get(said, "can");
    if (!is_text(json_get(said, "name")))
        return "answered `start` without its `name`";
    if (!is_list_of_texts(profiles) || profiles->count == 0)
        return "answered `start` without `profiles`, the versions that it offers";
    if (!is_list_of_texts(can))
        return "answered `start` without `can`, the list of what it can do";
    introduction_free(introduction);
    introduction->arena = arena_new();
    introduction->profiles = json_copy(introduction->arena, profiles);
    introduction->can = json_copy(introduction->arena, can);
    struct buffer about = {0};
    buffer_text(&about, json_get(said, "name")->text);
    put_about(&about, " ", json_get(said, "version"), "");
    put_about(&about, " (", json_get(said, "language"), ")");
    put_about(&about, ", issues: ", json_get(said, "issues"), "");
    introduction->about = arena_copy(introduction->arena, about.bytes, about.length);
    buffer_free(&about);
    return NULL;
}

void introduction_free(struct introduction *introduction) {
    arena_free(introduction->arena);
    *introduction = (struct introduction){0};
}
