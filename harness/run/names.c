#include "harness/run/names.h"

#include <string.h>

struct text names_room(const struct names *names, struct text room) {
    if (names->suffix.length == 0) {
        return room;
    }
    char *wire = arena_alloc(names->arena, room.length + names->suffix.length + 1);
    memcpy(wire, room.bytes, room.length);
    memcpy(wire + room.length, names->suffix.bytes, names->suffix.length);
    return (struct text){wire, room.length + names->suffix.length};
}

struct text names_writer(const struct names *names, struct text writer) {
    return names->writers_stay ? writer : names_room(names, writer);
}

static void strip_member(const struct names *names, struct json_value *object, const char *key) {
    struct json_value *name = json_get(object, key);
    if (name != NULL && name->type == JSON_STRING && text_ends_with(name->text, names->suffix)) {
        name->text.length -= names->suffix.length;
    }
}

static void strip_writers(const struct names *names, struct json_value *list) {
    if (list == NULL || list->type != JSON_ARRAY) {
        return;
    }
    for (struct json_value *child = list->first; child != NULL; child = child->next) {
        strip_member(names, child, "writer");
    }
}

/* The writers of what is kept for each path. */
static void strip_registers(const struct names *names, struct json_value *registers) {
    if (registers == NULL || registers->type != JSON_ARRAY) {
        return;
    }
    for (struct json_value *child = registers->first; child != NULL; child = child->next) {
        strip_writers(names, json_get(child, "siblings"));
    }
}

void names_strip(const struct names *names, struct json_value *message) {
    if (names->suffix.length == 0 || message == NULL) {
        return;
    }
    strip_member(names, message, "room");
    if (names->writers_stay) {
        return;
    }
    strip_member(names, message, "writer");
    strip_member(names, json_get(message, "peer"), "writer");
    strip_member(names, json_get(message, "env"), "writer");
    strip_member(names, json_get(message, "violation"), "writer");
    strip_writers(names, json_get(message, "peers"));
    strip_writers(names, json_get(message, "envs"));
    strip_registers(names, json_get(message, "registers"));
    strip_registers(names, json_get(json_get(message, "state"), "registers"));
}

static bool is_a_writer(const struct scenario *scenario, struct text name) {
    for (size_t i = 0; i < scenario->client_count; i++) {
        if (text_equal(scenario->clients[i].writer, name)) {
            return true;
        }
    }
    return false;
}

static void dress_writer(const struct names *names, const struct scenario *scenario, struct json_value *object) {
    struct json_value *writer = json_get(object, "writer");
    if (writer != NULL && writer->type == JSON_STRING && is_a_writer(scenario, writer->text)) {
        writer->text = names_writer(names, writer->text);
    }
}

void names_dress(const struct names *names, const struct scenario *scenario, struct json_value *message) {
    struct json_value *room = json_get(message, "room");
    if (room != NULL && room->type == JSON_STRING) {
        room->text = names_room(names, room->text);
    }
    dress_writer(names, scenario, message);
    dress_writer(names, scenario, json_get(message, "env"));
}

static struct text escaped(const struct names *names, struct text wire) {
    struct buffer buffer = {0};
    json_print_string(&buffer, wire);
    struct text inside = {arena_copy(names->arena, buffer.bytes + 1, buffer.length - 2), buffer.length - 2};
    buffer_free(&buffer);
    return inside;
}

/* What `inside` of {{inside}} stands for; bytes NULL when it is no placeholder. */
static struct text placeholder(const struct names *names, struct text inside, const struct placeholders *values) {
    if (text_equal(inside, TEXT("room"))) {
        return escaped(names, names_room(names, values->room));
    }
    if (text_equal(inside, TEXT("wire"))) {
        return text_of(arena_format(names->arena, "%d", values->wire));
    }
    if (text_equal(inside, TEXT("instance"))) {
        return escaped(names, values->instance);
    }
    if (text_starts_with(inside, TEXT("room:"))) {
        return escaped(names, names_room(names, (struct text){inside.bytes + 5, inside.length - 5}));
    }
    if (text_starts_with(inside, TEXT("writer:"))) {
        return escaped(names, names_writer(names, (struct text){inside.bytes + 7, inside.length - 7}));
    }
    return (struct text){NULL, 0};
}

struct text names_expand(const struct names *names, struct text text, const struct placeholders *values) {
    struct buffer out = {0};
    const char *at = text.bytes;
    const char *end = text.bytes + text.length;
    while (at < end) {
        const char *open = memmem(at, (size_t)(end - at), "{{", 2);
        const char *close = open == NULL ? NULL : memmem(open, (size_t)(end - open), "}}", 2);
        if (close == NULL) {
            break;
        }
        struct text name = placeholder(names, (struct text){open + 2, (size_t)(close - open) - 2}, values);
        /* Braces that are no placeholder are text: go on behind the first of them. */
        const char *behind = name.bytes != NULL ? close + 2 : open + 1;
        buffer_append(&out, at, (size_t)((name.bytes != NULL ? open : behind) - at));
        buffer_append(&out, name.bytes, name.length);
        at = behind;
    }
    buffer_append(&out, at, (size_t)(end - at));
    struct text result = {arena_copy(names->arena, out.length == 0 ? "" : out.bytes, out.length), out.length};
    buffer_free(&out);
    return result;
}
