#include "harness/scenario/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "harness/base/file.h"
#include "harness/base/memory.h"
#include "harness/json/members.h"

struct reader {
    struct arena *arena;
    const char *file;
    struct error *error;
    yaml_parser_t parser;
    struct json_value *root;
    struct json_value *open[YAML_DEPTH_CEILING]; /* the lists and maps around the place, outermost first */
    size_t depth;
    bool has_key; /* a key was read and its value comes next */
    struct text key;
    uint32_t key_line, key_column;
};

static bool refuse(struct reader *reader, yaml_mark_t mark, const char *what) {
    return error_set(reader->error, ERROR_USAGE, "%s:%zu:%zu: %s", reader->file, mark.line + 1, mark.column + 1, what);
}

/* ---- YAML that libyaml cannot read --------------------------------------------------------------- */

/* Bytes that are no UTF-8 text are told by their offset only. */
static yaml_mark_t mark_of_offset(struct text text, size_t offset) {
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < offset && i < text.length; i++) {
        if (text.bytes[i] == '\n') {
            mark.line++;
            mark.column = 0;
        } else if (((unsigned char)text.bytes[i] & 0xC0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

static bool refuse_syntax(struct reader *reader, struct text text) {
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem != NULL ? parser->problem : "unreadable";
    char sentence[400];
    if (parser->error == YAML_MEMORY_ERROR)
        memory_is_out("while %s was read", reader->file);
    if (parser->error == YAML_READER_ERROR) {
        snprintf(sentence, sizeof(sentence), "not YAML: %s", problem);
        return refuse(reader, mark_of_offset(text, parser->problem_offset), sentence);
    }
    if (parser->context != NULL)
        snprintf(sentence, sizeof(sentence), "not YAML: %s %s that starts at %zu:%zu", problem, parser->context,
                 parser->context_mark.line + 1, parser->context_mark.column + 1);
    else
        snprintf(sentence, sizeof(sentence), "not YAML: %s", problem);
    return refuse(reader, parser->problem_mark, sentence);
}

/* ---- building ---------------------------------------------------------------------------------- */

static struct json_value *add_value(struct reader *reader, enum json_type type, yaml_mark_t mark) {
    struct json_value *value = arena_alloc(reader->arena, sizeof(*value));
    value->type = type;
    value->line = (uint32_t)mark.line + 1;
    value->column = (uint32_t)mark.column + 1;
    if (reader->depth == 0) {
        reader->root = value;
        return value;
    }
    if (reader->has_key) {
        value->key = reader->key;
        value->key_line = reader->key_line;
        value->key_column = reader->key_column;
        reader->has_key = false;
    }
    json_append(reader->open[reader->depth - 1], value);
    return value;
}

static bool expects_key(const struct reader *reader) {
    return reader->depth > 0 && reader->open[reader->depth - 1]->type == JSON_OBJECT && !reader->has_key;
}

static bool read_key(struct reader *reader, const yaml_event_t *event) {
    struct text key = {(const char *)event->data.scalar.value, event->data.scalar.length};
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain && text_equal(key, TEXT("<<")))
        return refuse(reader, event->start_mark, "merge keys (<<) are not allowed; write the members out");
    if (plain && key.length == 0)
        return refuse(reader, event->start_mark, "a key is missing in front of the colon");
    reader->key = (struct text){arena_copy(reader->arena, key.bytes, key.length), key.length};
    reader->key_line = (uint32_t)event->start_mark.line + 1;
    reader->key_column = (uint32_t)event->start_mark.column + 1;
    reader->has_key = true;
    return true;
}

static bool read_scalar(struct reader *reader, const yaml_event_t *event) {
    if (event->data.scalar.anchor != NULL)
        return refuse(reader, event->start_mark, "anchors (&name) are not allowed; write the value out");
    if (event->data.scalar.tag != NULL)
        return refuse(reader, event->start_mark, "tags (!name) are not allowed; quotes make a string");
    if (expects_key(reader))
        return read_key(reader, event);
    struct json_value *value = add_value(reader, JSON_STRING, event->start_mark);
    size_t length = event->data.scalar.length;
    struct text text = {arena_copy(reader->arena, (const char *)event->data.scalar.value, length), length};
    value->text = text;
    if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return true;
    return yaml_resolve_plain(reader->arena, text, value) ||
           refuse(reader, event->start_mark, "JSON has no such number; quotes would make it a string");
}

static bool open_container(struct reader *reader, enum json_type type, const yaml_event_t *event, const void *anchor,
                           const void *tag) {
    if (anchor != NULL)
        return refuse(reader, event->start_mark, "anchors (&name) are not allowed; write the value out");
    if (tag != NULL)
        return refuse(reader, event->start_mark, "tags (!name) are not allowed");
    if (expects_key(reader))
        return refuse(reader, event->start_mark, "a key must be a plain or quoted word, not a list or map");
    if (reader->depth == YAML_DEPTH_CEILING)
        return refuse(reader, event->start_mark,
                      "lists and maps stand in each other too deep (at most 200 levels; {$nested: …} makes more)");
    struct json_value *container = add_value(reader, type, event->start_mark);
    reader->open[reader->depth++] = container;
    return true;
}

/* The first member whose key was there already, or NULL. */
static const struct json_value *doubled(const struct json_value *map) {
    if (map->count <= JSON_WALKED_MEMBERS) {
        for (const struct json_value *later = map->first; later != NULL; later = later->next)
            for (const struct json_value *earlier = map->first; earlier != later; earlier = earlier->next)
                if (text_equal(earlier->key, later->key))
                    return later;
        return NULL;
    }
    struct json_value **sorted = json_members_sorted(map);
    const struct json_value *found = NULL;
    for (size_t i = 1; i < map->count && found == NULL; i++)
        if (text_equal(sorted[i - 1]->key, sorted[i]->key))
            found = sorted[i];
    free(sorted);
    return found;
}

static bool close_container(struct reader *reader) {
    const struct json_value *container = reader->open[--reader->depth];
    const struct json_value *twice = container->type == JSON_OBJECT ? doubled(container) : NULL;
    if (twice == NULL)
        return true;
    struct buffer text = {.ceiling = 200};
    buffer_string(&text, "the key ");
    json_print_string(&text, twice->key);
    buffer_string(&text, " stands in this map twice");
    yaml_mark_t mark = {.line = twice->key_line - 1, .column = twice->key_column - 1};
    refuse(reader, mark, text.bytes);
    buffer_free(&text);
    return false;
}

static bool take_event(struct reader *reader, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return reader->root == NULL ||
               refuse(reader, event->start_mark, "a file holds one document; here a second one starts");
    case YAML_ALIAS_EVENT:
        return refuse(reader, event->start_mark, "aliases (*name) are not allowed; write the value out");
    case YAML_SCALAR_EVENT:
        return read_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(reader, JSON_ARRAY, event, event->data.sequence_start.anchor,
                              event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_container(reader, JSON_OBJECT, event, event->data.mapping_start.anchor,
                              event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_container(reader);
    default:
        return true;
    }
}

static bool read_events(struct reader *reader, struct text text) {
    for (bool ended = false; !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader->parser, &event))
            return refuse_syntax(reader, text);
        bool good = take_event(reader, &event);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (!good)
            return false;
    }
    return reader->root != NULL || error_set(reader->error, ERROR_USAGE, "%s:1:1: the file is empty", reader->file);
}

/* Some editors begin a file with U+FEFF, which libyaml takes for text when the encoding is set. */
static struct text without_mark(struct text text) {
    static const char mark[] = "\xEF\xBB\xBF";
    size_t length = sizeof mark - 1;
    bool there = text.length >= length && memcmp(text.bytes, mark, length) == 0;
    return there ? (struct text){text.bytes + length, text.length - length} : text;
}

struct json_value *yaml_parse(struct arena *arena, const char *file, struct text whole, struct error *error) {
    struct reader reader = {.arena = arena, .file = file, .error = error};
    struct text text = without_mark(whole);
    if (!yaml_parser_initialize(&reader.parser))
        memory_is_out("while %s was read", file);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text.bytes, text.length);
    bool good = read_events(&reader, text);
    yaml_parser_delete(&reader.parser);
    return good ? reader.root : NULL;
}

struct json_value *yaml_read(struct arena *arena, const char *file, size_t ceiling, struct error *error) {
    struct text text;
    return file_read(arena, file, ceiling, &text, error) ? yaml_parse(arena, file, text, error) : NULL;
}
