/*
 * One incoming frame, read in one pass: the fields that the relay looks at, everything opaque as the bytes
 * it came in. A name that occurs twice counts with its last value.
 */
#ifndef MESHSPEC_RELAY_MESSAGE_H
#define MESHSPEC_RELAY_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay-ref/json/scanner.h"

enum op_kind { OP_UNKNOWN, OP_SET, OP_DELETE, OP_CLEAR };

struct message_op {
    enum op_kind kind;
    bool container;                             /* an object or an array, as against a scalar */
    bool odd_path;                              /* `path` has a segment that is neither string nor number */
    struct json_value path;                     /* JSON_ARRAY, or JSON_ABSENT when it is not one */
    struct json_value next, prev, cites, epoch; /* JSON_ABSENT when there is none */
};

/* The limit that keeps every op of an envelope up to the first one that lacks a kind, a path, cites or an epoch: who
   asks for it refuses the envelope there. */
#define MESSAGE_ALL_OPS (SIZE_MAX - 1)

/* The ops of the envelope being read; its memory is used again for the next one. */
struct message_ops {
    struct message_op *items; /* owned */
    size_t count;             /* how many the envelope has; only the first `limit` of them are in `items` */
    size_t capacity;
    size_t kept;      /* how many are in `items` */
    size_t max_depth; /* of a value, and of what an op may reach in a root; 0: no ceiling */
};

struct message_envelope {
    struct json_value whole; /* JSON_OBJECT, or JSON_ABSENT when there is no envelope */
    struct json_value proto, policy_version, writer, schema_version, instance, origin, version, hlc;
    bool given;   /* there is one, and it is not null */
    bool has_ops; /* `ops` is there and an array */
    bool bad_op;  /* some op is no object, neither set nor delete, or has a path that is none */
    bool has_seq; /* the client put a `seq` in (seq.verbatim) */
};

struct message {
    struct json_value type, room, origin, to, data, proto, policy_version, seq, schema_version;
    struct message_envelope envelope;
};

/*
 * Reads one frame. `ops` receives the envelope's ops, of which `limit` are kept at most. What is handed out borrows
 * from `text`. Returns JSON_FINE; JSON_MALFORMED or JSON_NOT_UTF8 when the text is not one JSON object
 * (frame.garbage-isolated); JSON_TOO_DEEP when a value, or an op's path together with its value, has more levels than
 * ops->max_depth; JSON_NO_MEMORY.
 */
enum json_error relay_message_read(struct message *message, struct message_ops *ops, size_t limit, const char *text,
                                   size_t length);

#endif
