#include "tools/provision/json.h"

#define NO_NODE UINT32_MAX

struct place text_place(struct text text, size_t offset) {
    struct place place = {.line = 1, .column = 1};
    for (size_t i = 0; i < offset && i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (byte == '\n') {
            place.line++;
            place.column = 1;
        } else if ((byte & 0xC0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

static bool is_plain_name(struct text name) {
    for (size_t i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.bytes[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
        if (!word) return false;
    }
    return name.length > 0;
}

static size_t position_in_array(struct json value, uint32_t parent) {
    size_t position = 0;
    for (uint32_t index = parent + 1; index != value.index; index = value.document->nodes[index].next) position++;
    return position;
}

/* Adds the path of `value`; recursion is bounded by JSON_MAX_DEPTH. */
static void add_path(struct builder *path, struct json value) {
    const struct json_node *node = &value.document->nodes[value.index];
    if (node->parent == NO_NODE) {
        builder_add_string(path, "$");
        return;
    }
    add_path(path, (struct json){value.document, node->parent});
    struct text key = json_raw_key(value);
    if (key.bytes == NULL) {
        builder_format(path, "[%zu]", position_in_array(value, node->parent));
        return;
    }
    struct text inside = {key.bytes + 1, key.length - 2};
    bool plain = is_plain_name(inside);
    builder_add_string(path, plain ? "." : "[");
    builder_add(path, plain ? inside : key);
    if (!plain) builder_add_string(path, "]");
}

struct place json_place(struct arena *arena, struct json value) {
    if (!json_present(value)) return (struct place){0};
    const struct json_node *node = &value.document->nodes[value.index];
    struct place place = text_place(value.document->text, node->key_end > 0 ? node->key_start : node->start);
    struct builder path = {.arena = arena};
    add_path(&path, value);
    place.path = builder_text(&path);
    return place;
}
