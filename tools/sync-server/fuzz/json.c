/* The store's JSON: what is read can be written in its two other spellings, and is then the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sync-server/json.h"

static void found(const char *what, struct text text) {
    fprintf(stderr, "found: %s: %.*s\n", what, (int)text.length, text.bytes);
    abort();
}

/* Spells a text in its own way; false when it is no JSON. */
static bool spell(struct text text, struct buffer *compact, struct buffer *canonical) {
    struct json_document document;
    struct json_error error = {0};
    buffer_init(compact, BUFFER_CEILING);
    buffer_init(canonical, BUFFER_CEILING);
    bool read = json_read(&document, text, &error);
    if (read) {
        json_compact(&document, 0, compact);
        json_canonical(&document, 0, canonical);
    } else if (error.message == NULL || error.offset > text.length) {
        found("refused without a place", text);
    }
    json_free(&document);
    return read;
}

/* What `again` is spelled like must be spelled `compact` (when that is asked for) and `canonical`. */
static void check_again(struct text again, const struct buffer *compact, const struct buffer *canonical) {
    struct buffer compact_again, canonical_again;
    if (!spell(again, &compact_again, &canonical_again))
        found("a spelling of its own is no JSON", again);
    if (compact != NULL && !text_equal(buffer_text(compact), buffer_text(&compact_again)))
        found("compact text is not compact", again);
    if (!text_equal(buffer_text(canonical), buffer_text(&canonical_again)))
        found("another spelling is another value", again);
    buffer_free(&compact_again);
    buffer_free(&canonical_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buffer compact, canonical;
    if (spell((struct text){(const char *)data, size}, &compact, &canonical)) {
        check_again(buffer_text(&compact), &compact, &canonical);
        check_again(buffer_text(&canonical), NULL, &canonical);
    }
    buffer_free(&compact);
    buffer_free(&canonical);
    return 0;
}
