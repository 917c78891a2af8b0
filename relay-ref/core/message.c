#include "relay-ref/core/message.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/json/string.h"

/* Where a named member goes. */
struct field {
    const char *name;
    size_t length, offset;
};

#define FIELD(name, type, member)                                                                                      \
    { name, sizeof(name) - 1, offsetof(type, member) }

static const struct field message_fields[] = {
    FIELD("t", struct message, type),
    FIELD("room", struct message, room),
    FIELD("origin", struct message, origin),
    FIELD("to", struct message, to),
    FIELD("data", struct message, data),
    FIELD("proto", struct message, proto),
    FIELD("policyVersion", struct message, policy_version),
    FIELD("seq", struct message, seq),
    FIELD("schemaVersion", struct message, schema_version),
};

static const struct field envelope_fields[] = {
    FIELD("proto", struct message_envelope, proto),
    FIELD("policyVersion", struct message_envelope, policy_version),
    FIELD("writer", struct message_envelope, writer),
    FIELD("schemaVersion", struct message_envelope, schema_version),
    FIELD("instance", struct message_envelope, instance),
    FIELD("origin", struct message_envelope, origin),
    FIELD("version", struct message_envelope, version),
    FIELD("hlc", struct message_envelope, hlc),
};

/* Takes the value of the member `name` into the field of that name, or past it when there is none. */
static bool read_field(struct json_scanner *scanner, const struct json_value *name, const struct field *fields,
                       size_t count, void *into) {
    struct json_value unused, *target = &unused;
    for (size_t i = 0; i < count; i++)
        if ((name->escaped || name->length - 2 == fields[i].length) &&
            relay_string_equals(name, fields[i].name, fields[i].length))
            target = (struct json_value *)(void *)((char *)into + fields[i].offset);
    return relay_scan_value(scanner, target);
}

/* A path is an array of strings and numbers; what is no array leaves it JSON_ABSENT. Counts its segments. */
static bool read_path(struct json_scanner *scanner, struct message_op *op, size_t *segments) {
    op->path = (struct json_value){.kind = JSON_ABSENT};
    *segments = 0;
    struct json_value other;
    if (relay_scan_peek(scanner) != JSON_ARRAY)
        return relay_scan_value(scanner, &other);
    const char *start = scanner->text + scanner->at;
    op->odd_path = false;
    relay_scan_enter(scanner);
    for (; relay_scan_element(scanner) && relay_scan_value(scanner, &other); ++*segments)
        op->odd_path = op->odd_path || (other.kind != JSON_STRING && other.kind != JSON_NUMBER);
    op->path = (struct json_value){JSON_ARRAY, start, (size_t)(scanner->text + scanner->at - start), false};
    return scanner->error == JSON_FINE;
}

static bool read_kind(struct json_scanner *scanner, enum op_kind *kind) {
    struct json_value value;
    if (!relay_scan_value(scanner, &value))
        return false;
    *kind = relay_string_is(&value, "set")      ? OP_SET
            : relay_string_is(&value, "delete") ? OP_DELETE
            : relay_string_is(&value, "clear")  ? OP_CLEAR
                                                : OP_UNKNOWN;
    return true;
}

static bool read_next(struct json_scanner *scanner, struct json_value *next, size_t *levels) {
    if (!relay_scan_value(scanner, next))
        return false;
    *levels = scanner->depth;
    return true;
}

/* A value lies as deep in a root as its path is long: both count together. */
static bool fits_in_depth(struct json_scanner *scanner, size_t segments, size_t levels) {
    if (segments > scanner->max_depth || levels > scanner->max_depth - segments)
        scanner->error = JSON_TOO_DEEP;
    return scanner->error == JSON_FINE;
}

/* One op; whatever is wrong with it shows as OP_UNKNOWN or an absent path. */
static bool read_op(struct json_scanner *scanner, struct message_op *op) {
    struct json_value name, other;
    size_t segments = 0, levels = 0;
    enum json_kind kind = relay_scan_peek(scanner);
    *op = (struct message_op){.kind = OP_UNKNOWN, .container = kind == JSON_OBJECT || kind == JSON_ARRAY};
    if (kind != JSON_OBJECT)
        return relay_scan_value(scanner, &other);
    relay_scan_enter(scanner);
    while (relay_scan_member(scanner, &name)) {
        bool taken = relay_string_is(&name, "kind")    ? read_kind(scanner, &op->kind)
                     : relay_string_is(&name, "path")  ? read_path(scanner, op, &segments)
                     : relay_string_is(&name, "next")  ? read_next(scanner, &op->next, &levels)
                     : relay_string_is(&name, "prev")  ? relay_scan_value(scanner, &op->prev)
                     : relay_string_is(&name, "cites") ? relay_scan_value(scanner, &op->cites)
                     : relay_string_is(&name, "epoch") ? relay_scan_value(scanner, &op->epoch)
                                                       : relay_scan_value(scanner, &other);
        if (!taken)
            return false;
    }
    return scanner->error == JSON_FINE && fits_in_depth(scanner, segments, levels);
}

static bool has_all_parts(const struct message_op *op) {
    return op->kind != OP_UNKNOWN && op->path.kind == JSON_ARRAY && op->cites.kind == JSON_ARRAY &&
           op->epoch.kind == JSON_NUMBER;
}

/* True when no further op is wanted: the limit is reached, or the last one is where the envelope will be refused. */
static bool enough_ops(const struct message_ops *ops, size_t limit) {
    return ops->kept >= limit ||
           (limit == MESSAGE_ALL_OPS && ops->kept > 0 && !has_all_parts(&ops->items[ops->kept - 1]));
}

static bool keep_op(struct message_ops *ops, size_t limit, const struct message_op *op) {
    ops->count++;
    if (enough_ops(ops, limit))
        return true;
    if (ops->kept == ops->capacity) {
        size_t capacity = ops->capacity == 0 ? 16 : ops->capacity * 2;
        struct message_op *items = realloc(ops->items, capacity * sizeof *items);
        if (items == NULL)
            return false;
        ops->items = items;
        ops->capacity = capacity;
    }
    ops->items[ops->kept++] = *op;
    return true;
}

static bool read_ops(struct json_scanner *scanner, struct message_envelope *envelope, struct message_ops *ops,
                     size_t limit) {
    struct json_value other;
    ops->count = ops->kept = 0;
    envelope->bad_op = false;
    envelope->has_ops = relay_scan_peek(scanner) == JSON_ARRAY;
    if (!envelope->has_ops)
        return relay_scan_value(scanner, &other);
    relay_scan_enter(scanner);
    while (relay_scan_element(scanner)) {
        struct message_op op;
        if (!read_op(scanner, &op))
            return false;
        if ((op.kind != OP_SET && op.kind != OP_DELETE) || op.path.kind == JSON_ABSENT || op.odd_path)
            envelope->bad_op = true;
        if (!keep_op(ops, limit, &op)) {
            scanner->error = JSON_NO_MEMORY;
            return false;
        }
    }
    return scanner->error == JSON_FINE;
}

static bool read_envelope(struct json_scanner *scanner, struct message_envelope *envelope, struct message_ops *ops,
                          size_t limit) {
    struct json_value name, other;
    enum json_kind kind = relay_scan_peek(scanner);
    *envelope = (struct message_envelope){.given = kind != JSON_NULL};
    if (kind != JSON_OBJECT)
        return relay_scan_value(scanner, &other);
    const char *start = scanner->text + scanner->at;
    relay_scan_enter(scanner);
    while (relay_scan_member(scanner, &name)) {
        if (relay_string_is(&name, "seq"))
            envelope->has_seq = true;
        bool taken = relay_string_is(&name, "ops")
                         ? read_ops(scanner, envelope, ops, limit)
                         : read_field(scanner, &name, envelope_fields, sizeof envelope_fields / sizeof *envelope_fields,
                                      envelope);
        if (!taken)
            return false;
    }
    envelope->whole = (struct json_value){JSON_OBJECT, start, (size_t)(scanner->text + scanner->at - start), false};
    return scanner->error == JSON_FINE;
}

static bool read_members(struct json_scanner *scanner, struct message *message, struct message_ops *ops, size_t limit) {
    struct json_value name;
    if (!relay_scan_enter(scanner))
        return false;
    while (relay_scan_member(scanner, &name)) {
        bool taken =
            relay_string_is(&name, "env")
                ? read_envelope(scanner, &message->envelope, ops, limit)
                : read_field(scanner, &name, message_fields, sizeof message_fields / sizeof *message_fields, message);
        if (!taken)
            return false;
    }
    return relay_scan_finish(scanner);
}

/* frame.text-json: one JSON object and nothing behind it. */
enum json_error relay_message_read(struct message *message, struct message_ops *ops, size_t limit, const char *text,
                                   size_t length) {
    struct json_scanner scanner;
    memset(message, 0, sizeof *message);
    ops->count = ops->kept = 0;
    relay_scan_start(&scanner, text, length);
    if (ops->max_depth > 0)
        scanner.max_depth = ops->max_depth;
    if (relay_scan_peek(&scanner) != JSON_OBJECT)
        scanner.error = JSON_MALFORMED;
    else
        read_members(&scanner, message, ops, limit);
    relay_scan_end(&scanner);
    return scanner.error;
}
