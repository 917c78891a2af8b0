#include "relay-ref/core/wellformed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/core/characters.h"
#include "relay-ref/core/path.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

#define SEPARATOR "\x1f"

/* ---- texts --------------------------------------------------------------------------------------- */

/* A character below U+0020 can only be written as an escape: a short one, or \u00 with a 0 or 1 behind it. */
static bool has_control(const struct json_value *string) {
    const char *at = string->bytes + 1, *end = string->bytes + string->length - 1;
    while (string->escaped && (at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
        if (at[1] == 'u' ? memcmp(at + 2, "00", 2) == 0 && at[4] <= '1' : strchr("bfnrt", at[1]) != NULL)
            return true;
        at += 2;
    }
    return false;
}

static bool is_clean_id(const struct json_value *value) {
    return value->kind == JSON_STRING && value->length > 2 && !has_control(value);
}

static bool is_version(const struct json_value *value, double *version) {
    return relay_number_read(value, version) && isfinite(*version) && *version > 0 && *version == floor(*version);
}

static bool is_epoch(const struct json_value *value, double *epoch) {
    return relay_number_read(value, epoch) && isfinite(*epoch) && *epoch >= 0;
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
        char digits[NUMBER_TEXT_CAPACITY];
        relay_buffer_add(keys, digits, relay_number_write(number, digits));
    } else {
        relay_buffer_add(keys, segment->bytes, segment->length);
    }
    return true;
}

/* What a path says: how it is faulty, its segments joined. */
struct path_reading {
    const char *fault; /* the row path-control or path-proto, for the first segment that fails; or NULL */
    bool empty, joined;
};

static struct path_reading read_path(struct json_value path, struct relay_buffer *keys) {
    struct json_scanner scanner;
    struct json_value segment;
    struct path_reading reading = {NULL, true, true};
    relay_scan_start(&scanner, path.bytes, path.length);
    relay_scan_enter(&scanner);
    while (reading.joined && relay_scan_element(&scanner) && relay_scan_value(&scanner, &segment)) {
        if (reading.fault == NULL && segment.kind == JSON_STRING)
            reading.fault = has_control(&segment)                      ? "path-control"
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
    return read_path(path, keys).joined;
}

static bool same_key(const struct reading *reading, const struct read_op *left, const struct read_op *right) {
    struct relay_text first = relay_reading_key(reading, left), second = relay_reading_key(reading, right);
    return left->key_hash == right->key_hash && first.length == second.length &&
           (first.length == 0 || memcmp(first.bytes, second.bytes, first.length) == 0);
}

/* Puts the op into the set of paths; false when its path is there already. A single op needs no set. */
static bool is_first_on_path(const struct relay *relay, struct reading *reading, size_t number) {
    if (relay->ops.kept == 1)
        return true;
    struct relay_text key = relay_reading_key(reading, &reading->ops[number]);
    reading->ops[number].key_hash = relay_table_hash(&relay->seed, key.bytes, key.length);
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
    return stamped && is_clean_id(&cite->origin);
}

static enum check_answer read_cites(struct reading *reading, struct read_op *op) {
    struct json_scanner scanner;
    enum check_answer answer = CHECK_FINE;
    op->first_cite = reading->cite_count;
    if (op->op->cites.kind != JSON_ARRAY)
        return CHECK_VIOLATION;
    relay_scan_start(&scanner, op->op->cites.bytes, op->op->cites.length);
    relay_scan_enter(&scanner);
    while (answer == CHECK_FINE && relay_scan_element(&scanner)) {
        struct read_cite cite;
        if (!read_cite(&scanner, &cite))
            answer = CHECK_VIOLATION;
        else if (!keep_cite(reading, &cite))
            answer = CHECK_NO_MEMORY;
    }
    if (scanner.error != JSON_FINE)
        answer = CHECK_NO_MEMORY; /* the text is well formed */
    relay_scan_end(&scanner);
    op->cite_count = reading->cite_count - op->first_cite;
    return answer;
}

/* ---- the envelope -------------------------------------------------------------------------------- */

static enum check_answer malformed(struct violation *violation, const char *detail) {
    *violation = (struct violation){.reason = "malformed", .detail = detail};
    return CHECK_VIOLATION;
}

/* The rows of one op. */
static enum check_answer check_op(const struct relay *relay, struct reading *reading, size_t number,
                                  struct violation *violation) {
    struct read_op *op = &reading->ops[number];
    *op = (struct read_op){.op = &relay->ops.items[number]};
    if (!op->op->container)
        return malformed(violation, "op");
    if (op->op->kind == OP_UNKNOWN)
        return malformed(violation, "kind");
    if (op->op->path.kind != JSON_ARRAY)
        return malformed(violation, "path");
    op->key_at = reading->keys.length;
    struct path_reading path = read_path(op->op->path, &reading->keys);
    op->key_length = reading->keys.length - op->key_at;
    if (!path.joined)
        return CHECK_NO_MEMORY;
    if (path.fault != NULL)
        return malformed(violation, path.fault);
    if (path.empty && op->op->kind != OP_SET)
        return malformed(violation, "root-op");
    if (!is_epoch(&op->op->epoch, &op->epoch))
        return malformed(violation, "epoch");
    enum check_answer cites = read_cites(reading, op);
    if (cites != CHECK_FINE)
        return cites == CHECK_VIOLATION ? malformed(violation, "cites") : cites;
    return is_first_on_path(relay, reading, number) ? CHECK_FINE : malformed(violation, "dup-path");
}

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

static bool start_reading(struct reading *reading, size_t ops) {
    if (reading->keys.memory == NULL)
        relay_buffer_start(&reading->keys, 0, 256);
    reading->keys.length = 0;
    reading->op_count = reading->cite_count = 0;
    return !reading->keys.failed && make_room(reading, ops);
}

static enum check_answer check_ops(struct relay *relay, struct violation *violation) {
    struct reading *reading = &relay->reading;
    if (!start_reading(reading, relay->ops.kept)) {
        relay_reading_free(reading);
        return CHECK_NO_MEMORY;
    }
    for (; reading->op_count < relay->ops.kept; reading->op_count++) {
        enum check_answer answer = check_op(relay, reading, reading->op_count, violation);
        if (answer == CHECK_NO_MEMORY)
            relay_reading_free(reading);
        if (answer != CHECK_FINE)
            return answer;
    }
    return CHECK_FINE;
}

/* valid.details */
enum check_answer relay_wellformed(struct relay *relay, const struct message_envelope *envelope,
                                   struct violation *violation) {
    struct reading *reading = &relay->reading;
    if (envelope->instance.kind != JSON_STRING || has_control(&envelope->instance))
        return malformed(violation, "instance");
    if (!is_clean_id(&envelope->origin))
        return malformed(violation, "origin");
    if (!is_clean_id(&envelope->writer))
        return malformed(violation, "writer");
    if (!relay_hlc_read(envelope->hlc, &reading->hlc))
        return malformed(violation, "hlc");
    if (!is_version(&envelope->version, &reading->version))
        return malformed(violation, "version");
    if (!envelope->has_ops)
        return malformed(violation, "ops");
    return check_ops(relay, violation);
}

void relay_reading_free(struct reading *reading) {
    free(reading->ops);
    free(reading->cites);
    free(reading->slots);
    relay_buffer_free(&reading->keys);
    *reading = (struct reading){.op_count = 0};
}
