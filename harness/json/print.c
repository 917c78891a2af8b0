#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/json/characters.h"
#include "harness/json/value.h"

/* Appends the escape for what starts at `bytes`, if it needs one; returns how many bytes that stands for, else 0. */
static size_t print_escape(struct buffer *out, const char *bytes, size_t left) {
    static const char letters[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    unsigned char byte = (unsigned char)*bytes;
    const char *found = byte != 0 ? strchr(letters, byte) : NULL;
    if (found != NULL) {
        buffer_append(out, (char[]){'\\', names[found - letters]}, 2);
        return 1;
    }
    if (byte < 0x20) {
        buffer_format(out, "\\u%04x", byte);
        return 1;
    }
    if (byte == 0xED && left >= 3 && (unsigned char)bytes[1] > 0x9F) {
        size_t length;
        buffer_format(out, "\\u%04x", wtf8_get(bytes, &length));
        return length;
    }
    return 0;
}

void json_print_string(struct buffer *out, struct text text) {
    buffer_append(out, "\"", 1);
    size_t plain = 0; /* where the run that needs no escape starts */
    for (size_t at = 0; at < text.length;) {
        unsigned char byte = (unsigned char)text.bytes[at];
        if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0xED) {
            at++;
            continue;
        }
        buffer_append(out, text.bytes + plain, at - plain);
        size_t escaped = print_escape(out, text.bytes + at, text.length - at);
        plain = at + escaped;
        at = escaped > 0 ? plain : at + 1;
    }
    buffer_append(out, text.bytes + plain, text.length - plain);
    buffer_append(out, "\"", 1);
}

static void print_scalar(struct buffer *out, const struct json_value *value) {
    switch (value->type) {
    case JSON_NULL:
        buffer_append(out, "null", 4);
        break;
    case JSON_BOOLEAN:
        buffer_string(out, value->boolean ? "true" : "false");
        break;
    case JSON_NUMBER:
        buffer_text(out, value->text);
        break;
    default:
        json_print_string(out, value->text);
        break;
    }
}

static bool is_container(const struct json_value *value) {
    return value->type == JSON_ARRAY || value->type == JSON_OBJECT;
}

/* Prints a value, of a container its start only. */
static void print_start(struct buffer *out, const struct json_value *value) {
    if (is_container(value))
        buffer_append(out, value->type == JSON_OBJECT ? "{" : "[", 1);
    else
        print_scalar(out, value);
}

struct open_container {
    const struct json_value *container;
    const struct json_value *next; /* the child that is printed next */
};

void json_print(struct buffer *out, const struct json_value *value) {
    struct open_container *open = NULL;
    size_t depth = 0, capacity = 0;
    print_start(out, value);
    if (is_container(value)) {
        open = memory_room(open, depth, &capacity, sizeof(*open));
        open[depth++] = (struct open_container){value, value->first};
    }
    while (depth > 0 && !out->overflowed) {
        struct open_container *top = &open[depth - 1];
        const struct json_value *container = top->container, *child = top->next;
        if (child == NULL) {
            buffer_append(out, container->type == JSON_OBJECT ? "}" : "]", 1);
            depth--;
            continue;
        }
        top->next = child->next;
        if (child != container->first)
            buffer_append(out, ",", 1);
        if (container->type == JSON_OBJECT) {
            json_print_string(out, child->key);
            buffer_append(out, ":", 1);
        }
        print_start(out, child);
        if (is_container(child)) {
            open = memory_room(open, depth, &capacity, sizeof(*open));
            open[depth++] = (struct open_container){child, child->first};
        }
    }
    free(open);
}
