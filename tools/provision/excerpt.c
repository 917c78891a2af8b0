#include "tools/provision/excerpt.h"

#include <string.h>

static struct text replace(struct arena *arena, struct text text, struct text wanted) {
    if (wanted.length == 0 || text.length == 0) return text;
    struct builder out = {.arena = arena};
    struct text rest = text;
    for (;;) {
        const char *found = memmem(rest.bytes, rest.length, wanted.bytes, wanted.length);
        if (found == NULL) break;
        size_t before = (size_t)(found - rest.bytes);
        builder_add(&out, (struct text){rest.bytes, before});
        builder_add_string(&out, "[secret]");
        rest.bytes += before + wanted.length;
        rest.length -= before + wanted.length;
    }
    if (out.length == 0) return text;
    builder_add(&out, rest);
    return builder_text(&out);
}

struct text excerpt_redact(struct arena *arena, struct text text, struct text secret) {
    struct builder quoted = {.arena = arena};
    builder_add_quoted(&quoted, secret);
    struct text spelled = builder_text(&quoted);
    struct text inside = {spelled.bytes + 1, spelled.length - 2};
    return replace(arena, replace(arena, text, secret), inside);
}

struct text excerpt_make(struct arena *arena, struct text body, struct text secret) {
    struct text shown = excerpt_redact(arena, body, secret);
    size_t at = 0;
    for (int i = 0; i < EXCERPT_CHARACTERS && at < shown.length; i++) {
        size_t length = utf8_length(shown.bytes + at, shown.length - at);
        at += length == 0 ? 1 : length;
    }
    return (struct text){shown.bytes, at};
}
