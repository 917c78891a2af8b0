#include "relay-ref/core/reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/characters.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

#define SEPARATOR "\x1f"

/* ---- texts --------------------------------------------------------------------------------------- */

/* A character below U+0020 can only be written as an escape: a short one, or \u00 with a 0 or 1 behind it. */
bool relay_has_control(const struct json_value *string) {
    const char *at = string->bytes + 1, *end = string->bytes + string->length - 1;
    while (string->escaped && (at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
        if (at[1] == 'u' ? memcmp(at + 2, "00", 2) == 0 && at[4] <= '1' : strchr("bfnrt", at[1]) != NULL)
            return true;
        at += 2;
    }
    return false;
}

bool relay_is_clean_id(const struct json_value *value) {
    return value->kind == JSON_STRING && value->length > 2 && !relay_has_control(value);
}

/* ---- paths --------------------------------------------------------------------------------------- */

static bool add_decoded(const struct json_value *string, struct relay_buffer *keys) {
    struct characters characters;
    bool read = relay_characters_read(&characters, string);
    if (read)
        relay_buffer_add_text(keys, characters.text);
    relay_characters_end(&characters);
    return read;
}

/* A segment as the string that JavaScript makes of a string or number. Other kinds are not promised anything: they stay
   the bytes that they are. */
static bool add_segment(const struct json_value *segment, struct relay_buffer *keys) {
    double number;
    if (segment->kind == JSON_STRING)
        return add_decoded(segment, keys);
    if (relay_number_read(segment, &number) && isfinite(number)) {
        relay_buffer_add_number(keys, number);
    } else {
        relay_buffer_add(keys, segment->bytes, segment->length);
    }
    return true;
}

struct path_reading relay_read_path(struct json_value path, struct relay_buffer *keys) {
    struct json_scanner scanner;
    struct json_value segment;
    struct path_reading reading = {NULL, true, true};
    relay_scan_start(&scanner, path.bytes, path.length);
    relay_scan_enter(&scanner);
    while (reading.joined && relay_scan_element(&scanner) && relay_scan_value(&scanner, &segment)) {
        if (reading.fault == NULL && segment.kind == JSON_STRING)
            reading.fault = relay_has_control(&segment)              ? "path-control"
                            : relay_string_is(&segment, "__proto__") ? "path-proto"
                                                                     : NULL;
        if (!reading.empty)
            relay_buffer_add(keys, SEPARATOR, 1);
        reading.empty = false;
        reading.joined = add_segment(&segment, keys);
    }
    reading.joined = reading.joined && scanner.error == JSON_FINE && !keys->failed;
    relay_scan_end(&scanner);
    return reading;
}

bool relay_path_join(struct json_value path, struct relay_buffer *keys) {
    return relay_read_path(path, keys).joined;
}

static bool same_key(const struct reading *reading, const struct read_op *left, const struct read_op *right) {
    struct relay_text first = relay_reading_key(reading, left), second = relay_reading_key(reading, right);
    return left->key_hash == right->key_hash && first.length == second.length &&
           (first.length == 0 || memcmp(first.bytes, second.bytes, first.length) == 0);
}

bool relay_reading_is_first(struct reading *reading, const struct table_seed *seed, size_t number) {
    struct relay_text key = relay_reading_key(reading, &reading->ops[number]);
    reading->ops[number].key_hash = relay_table_hash(seed, key.bytes, key.length);
    size_t mask = reading->slot_count - 1, at = (size_t)reading->ops[number].key_hash & mask;
    for (; reading->slots[at] != 0; at = (at + 1) & mask)
        if (same_key(reading, &reading->ops[reading->slots[at] - 1], &reading->ops[number]))
            return false;
    reading->slots[at] = number + 1;
    return true;
}

/* ---- cites --------------------------------------------------------------------------------------- */

static bool keep_cite(struct reading *reading, const struct read_cite *cite) {
    if (reading->cite_count == reading->cite_capacity) {
        size_t capacity = reading->cite_capacity == 0 ? 16 : reading->cite_capacity * 2;
        struct read_cite *cites = realloc(reading->cites, capacity * sizeof *cites);
        if (cites == NULL)
            return false;
        reading->cites = cites;
        reading->cite_capacity = capacity;
    }
    reading->cites[reading->cite_count++] = *cite;
    return true;
}

/* Takes the next value; false when it is no cite. */
static bool read_cite(struct json_scanner *scanner, struct read_cite *cite) {
    struct json_value name, other;
    bool stamped = false;
    *cite = (struct read_cite){.origin = {.kind = JSON_ABSENT}};
    if (relay_scan_peek(scanner) != JSON_OBJECT) {
        relay_scan_value(scanner, &other);
        return false;
    }
    relay_scan_enter(scanner);
    while (relay_scan_member(scanner, &name)) {
        if (relay_string_is(&name, "hlc"))
            stamped = relay_hlc_take(scanner, &cite->hlc);
        else
            relay_scan_value(scanner, relay_string_is(&name, "origin") ? &cite->origin : &other);
    }
    return stamped && relay_is_clean_id(&cite->origin);
}

enum reading_answer relay_read_cites(struct reading *reading, struct read_op *op) {
    struct json_scanner scanner;
    enum reading_answer answer = READING_FINE;
    op->first_cite = reading->cite_count;
    if (op->op->cites.kind != JSON_ARRAY)
        return READING_BAD;
    relay_scan_start(&scanner, op->op->cites.bytes, op->op->cites.length);
    relay_scan_enter(&scanner);
    while (answer == READING_FINE && relay_scan_element(&scanner)) {
        struct read_cite cite;
        if (!read_cite(&scanner, &cite))
            answer = READING_BAD;
        else if (!keep_cite(reading, &cite))
            answer = READING_NO_MEMORY;
    }
    if (scanner.error != JSON_FINE)
        answer = READING_NO_MEMORY; /* the text is well formed */
    relay_scan_end(&scanner);
    op->cite_count = reading->cite_count - op->first_cite;
    return answer;
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* Makes room for as many ops, with a set of paths that is at most half full. */
static bool make_room(struct reading *reading, size_t count) {
    if (count > reading->op_capacity) {
        struct read_op *ops = realloc(reading->ops, count * sizeof *ops);
        if (ops == NULL)
            return false;
        reading->ops = ops;
        reading->op_capacity = count;
    }
    size_t slots = 8;
    while (slots < count * 2)
        slots *= 2;
    if (slots > reading->slot_capacity) {
        size_t *memory = realloc(reading->slots, slots * sizeof *memory);
        if (memory == NULL)
            return false;
        reading->slots = memory;
        reading->slot_capacity = slots;
    }
    reading->slot_count = slots;
    memset(reading->slots, 0, slots * sizeof *reading->slots);
    return true;
}

bool relay_reading_start(struct reading *reading, size_t ops) {
    if (reading->keys.memory == NULL)
        relay_buffer_start(&reading->keys, 0, 256);
    reading->keys.length = 0;
    reading->op_count = reading->cite_count = 0;
    return !reading->keys.failed && make_room(reading, ops);
}

void relay_reading_free(struct reading *reading) {
    free(reading->ops);
    free(reading->cites);
    free(reading->slots);
    relay_buffer_free(&reading->keys);
    *reading = (struct reading){.op_count = 0};
}
