/* Texts that carry their length, lists of them, and a builder that grows in an arena. */
#ifndef PROVISION_TEXT_H
#define PROVISION_TEXT_H

#include "tools/provision/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes with their length; they may hold NUL and need not end in one. `bytes` is NULL where there is no text. */
struct text {
    const char *bytes;
    size_t length;
};

/* The text of a C string, which stays the caller's. NULL gives no text. */
struct text text_from(const char *string);

/* Same bytes, same length. */
bool text_equal(struct text a, struct text b);
bool text_is(struct text text, const char *string);

/* Orders texts by their bytes: below, at or above zero, as memcmp. */
int text_compare(struct text a, struct text b);

/* The offset of the first `needle` in `text`, or `text.length` when it is not there. An empty needle is at 0. */
size_t text_find(struct text text, const char *needle);

/* A copy that ends in NUL, owned by the arena. */
char *text_string(struct arena *arena, struct text text);

/* ---- lists ------------------------------------------------------------------------------------- */

/* A list of texts in an arena, in the order in which they were added. */
struct text_list {
    struct text *items;
    size_t count;
    size_t capacity;
};

void text_list_add(struct arena *arena, struct text_list *list, struct text text);
bool text_list_has(const struct text_list *list, struct text text);

/* ---- building ---------------------------------------------------------------------------------- */

/* A text that grows. Start it with its arena and zeros: `struct builder builder = {.arena = arena};`. */
struct builder {
    struct arena *arena;
    char *bytes;
    size_t length;
    size_t capacity;
};

void builder_add(struct builder *builder, struct text text);
void builder_add_string(struct builder *builder, const char *string);
/* Adds as printf would; at most 512 bytes of it. */
void builder_format(struct builder *builder, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Adds `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, except an encoded lone
 * surrogate, which becomes the escape that it came from.
 */
void builder_add_quoted(struct builder *builder, struct text text);

/* What was built so far; followed by a NUL byte; valid until the next addition. */
struct text builder_text(struct builder *builder);

/* ---- UTF-8 ------------------------------------------------------------------------------------- */

/*
 * The length in bytes (1 to 4) of the well-formed UTF-8 character at the start of `bytes`, of which `available` (at least 1)
 * may be read; 0 when there is none.
 */
size_t utf8_length(const char *bytes, size_t available);

#endif
