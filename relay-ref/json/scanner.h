/*
 * The relay's own JSON scanner: one strict pass over a text, pulled by the reader.
 *
 * The reader enters the containers it knows (`relay_scan_enter`, then `relay_scan_member` or
 * `relay_scan_element`) and takes everything else whole (`relay_scan_value`): an opaque value is checked and handed
 * out as the range of bytes it came in, never decoded. Strict means RFC 8259 and UTF-8 without overlong
 * forms or encoded surrogates. Nesting is kept as one bit a level, so depth costs memory (one byte for eight levels),
 * never stack.
 */
#ifndef MESHSPEC_RELAY_JSON_SCANNER_H
#define MESHSPEC_RELAY_JSON_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind { JSON_ABSENT, JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A value as the bytes that it came in; a string includes its quotes. Borrowed from the scanned text. */
struct json_value {
    enum json_kind kind;
    const char *bytes;
    size_t length;
    bool escaped; /* a string with escapes in it: its characters are not simply the bytes between its quotes */
};

enum json_error { JSON_FINE, JSON_MALFORMED, JSON_NOT_UTF8, JSON_NO_MEMORY, JSON_TOO_DEEP };

/* Levels whose kind is kept without asking for memory. */
#define JSON_INLINE_LEVELS 512

struct json_scanner {
    const char *text;
    size_t length;
    size_t at;             /* the next byte to read; where the error is after a failure */
    bool escaped;          /* the last string had escapes */
    bool first;            /* nothing of the current container was read yet */
    enum json_error error; /* sticky: after a failure every function says false */
    size_t max_depth;      /* a value taken whole that nests deeper is JSON_TOO_DEEP; SIZE_MAX after the start */
    size_t depth;          /* levels of containers in the last value that was taken whole */
    uint64_t *heap_levels; /* owned; NULL until JSON_INLINE_LEVELS is not enough */
    size_t heap_words;
    uint64_t inline_levels[JSON_INLINE_LEVELS / 64];
};

/* Starts at the beginning of `text`, which must outlive the scanner. End with relay_scan_end. */
void relay_scan_start(struct json_scanner *scanner, const char *text, size_t length);

/* Gives back what deep nesting took. */
void relay_scan_end(struct json_scanner *scanner);

/* The kind of the value that comes next, JSON_ABSENT when none can. Reads nothing but white space. */
enum json_kind relay_scan_peek(struct json_scanner *scanner);

/* Takes the next value whole. False when it is not well formed. */
bool relay_scan_value(struct json_scanner *scanner, struct json_value *out);

/* Goes into the array or object that comes next. False when none does. */
bool relay_scan_enter(struct json_scanner *scanner);

/* The next member's name; its value is the next thing to take. False at the object's end or on failure (see `error`).
 */
bool relay_scan_member(struct json_scanner *scanner, struct json_value *name);

/* True when an element comes next, which the reader then takes. False at the array's end or on failure. */
bool relay_scan_element(struct json_scanner *scanner);

/* True when the text was well formed to its end and nothing but white space is left. */
bool relay_scan_finish(struct json_scanner *scanner);

/* Checks one whole text; gives its value without the white space around it. */
enum json_error relay_json_check(const char *text, size_t length, struct json_value *out);

#endif
