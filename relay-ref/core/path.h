/*
 * The segments of an op's path or of a policy's prefix, one at a time. A number segment is read as the string that
 * JavaScript makes of it (fold.object-number-key), so that segments compare as strings everywhere; a segment of another
 * kind, which nothing is promised about, is the bytes that it is.
 */
#ifndef MESHSPEC_RELAY_PATH_H
#define MESHSPEC_RELAY_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "relay-ref/core/relay.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/scanner.h"

struct path_segment {
    struct relay_text key; /* decoded; valid until the reader takes the next segment but one */
    bool number;           /* written as a JSON number */
};

struct path_reader {
    struct json_scanner scanner;
    struct {
        char *memory; /* owned; only where a string has escapes */
        size_t capacity;
        char digits[NUMBER_TEXT_CAPACITY];
    } slots[2]; /* two, so that a reader can look one segment ahead */
    size_t turn;
    bool failed; /* memory was out */
};

/* Starts at the first segment of `path`, a well-formed array. End with relay_path_end. */
void relay_path_start(struct path_reader *reader, struct json_value path);

/* The next segment; false at the end and when memory is out (see `failed`). */
bool relay_path_next(struct path_reader *reader, struct path_segment *segment);

void relay_path_end(struct path_reader *reader);

/* fold.array-index: a non-negative integer or its canonical decimal string. False when the segment is none. */
bool relay_path_index(const struct path_segment *segment, size_t *index);

#endif
