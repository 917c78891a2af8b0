/*
 * What a well-formed envelope of wire version 3 says, taken apart once for everyone who acts on it. A relay has one
 * reading; its memory is used again for the next envelope.
 */
#ifndef MESHSPEC_RELAY_READING_H
#define MESHSPEC_RELAY_READING_H

#include "relay-ref/core/buffer.h"
#include "relay-ref/core/hlc.h"
#include "relay-ref/core/message.h"
#include "relay-ref/core/table.h"

struct register_cell;
struct register_sibling;
struct path_register;

struct read_cite {
    struct json_value origin;
    struct hlc hlc;
    struct register_cell *cell; /* while the envelope is taken in (register.h); NULL for the envelope's own dot */
};

struct read_op {
    const struct message_op *op;
    size_t key_at, key_length; /* the joined path, in `keys` */
    uint64_t key_hash;         /* where there is more than one op */
    double epoch;
    size_t first_cite, cite_count; /* in `cites` */
    /* While the envelope is taken in (register.h): */
    struct path_register *path_register;
    struct register_cell *cell;
    struct register_sibling *sibling; /* owned until it is in the cell */
    char *spelling, *baseline;        /* owned until they are in the register; NULL where it has its own */
};

struct reading {
    struct hlc hlc;
    double version;
    struct read_op *ops; /* owned */
    size_t op_count, op_capacity;
    struct read_cite *cites; /* owned */
    size_t cite_count, cite_capacity;
    struct relay_buffer keys;
    size_t *slots; /* owned: a hash set of ops by their path, each as its number plus 1 */
    size_t slot_count, slot_capacity;
};

/* The joined path of the op. */
static inline struct relay_text relay_reading_key(const struct reading *reading, const struct read_op *op) {
    return (struct relay_text){reading->keys.memory + op->key_at, op->key_length};
}

/* Starts anew, with memory for as many ops. False when memory is out. */
bool relay_reading_start(struct reading *reading, size_t ops);

/* True when the string has a character below U+0020. */
bool relay_has_control(const struct json_value *string);

/* A non-empty string without characters below U+0020. */
bool relay_is_clean_id(const struct json_value *value);

/* What a path says, whose joined segments are added to `keys`. */
struct path_reading {
    const char *fault; /* the row path-control or path-proto, for the first segment that fails; or NULL */
    bool empty;
    bool joined; /* false: memory was out */
};

struct path_reading relay_read_path(struct json_value path, struct relay_buffer *keys);

/* Puts the op into the set of paths; false when its path is there already. */
bool relay_reading_is_first(struct reading *reading, const struct table_seed *seed, size_t number);

enum reading_answer { READING_FINE, READING_BAD, READING_NO_MEMORY };

/* Reads the cites of an op; READING_BAD when they are not an array of cites. */
enum reading_answer relay_read_cites(struct reading *reading, struct read_op *op);

/* Adds `path`, an array, as the text that registers go by: its segments as strings with U+001F between them. False
   when memory is out. */
bool relay_path_join(struct json_value path, struct relay_buffer *keys);

void relay_reading_free(struct reading *reading);

#endif
