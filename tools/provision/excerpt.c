#include "tools/provision/excerpt.h"

#include "tools/provision/json.h"

#include <string.h>

/* How many bytes of `text` from `at` on say `wanted`, as it is; 0 when they do not. */
static size_t match_plain(struct text text, size_t at, struct text wanted) {
    if (wanted.length > text.length - at || memcmp(text.bytes + at, wanted.bytes, wanted.length) != 0) return 0;
    return wanted.length;
}

/* The same where any character may be spelled as a JSON escape: `\"`, `\u00fc`. */
static size_t match_escaped(struct text text, size_t at, struct text wanted) {
    size_t start = at;
    for (size_t said = 0; said < wanted.length;) {
        char decoded[4];
        size_t count = 1, read = 0;
        if (at >= text.length) return 0;
        if (text.bytes[at] == '\\') read = json_escape(text, at, decoded, &count);
        if (read == 0) {
            decoded[0] = text.bytes[at];
            count = read = 1;
        }
        if (count > wanted.length - said || memcmp(decoded, wanted.bytes + said, count) != 0) return 0;
        said += count;
        at += read;
    }
    return at - start;
}

typedef size_t match_function(struct text text, size_t at, struct text wanted);

static struct text replace(struct arena *arena, struct text text, struct text wanted, match_function *match) {
    struct builder out = {.arena = arena};
    size_t copied = 0;
    for (size_t at = 0; at < text.length && wanted.length > 0;) {
        size_t length = match(text, at, wanted);
        if (length > 0) {
            builder_add(&out, (struct text){text.bytes + copied, at - copied});
            builder_add_string(&out, "[secret]");
            copied = at + length;
        }
        at += length > 0 ? length : 1;
    }
    if (copied == 0) return text;
    builder_add(&out, (struct text){text.bytes + copied, text.length - copied});
    return builder_text(&out);
}

/* Plain first: a secret with backslashes would be misread as escapes. */
struct text excerpt_redact(struct arena *arena, struct text text, struct text secret) {
    return replace(arena, replace(arena, text, secret, match_plain), secret, match_escaped);
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
