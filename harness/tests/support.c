#include "harness/tests/support.h"

#include <string.h>

struct json_value *test_json(struct arena *arena, const char *text) {
    struct error error = {0};
    struct json_value *value = json_parse(arena, text_of(text), &error);
    cr_assert_not_null(value, "%s: %s", text, error.text);
    return value;
}

const char *test_print(struct arena *arena, const struct json_value *value) {
    struct buffer text = {0};
    if (value == NULL)
        return "nothing";
    json_print(&text, value);
    const char *kept = arena_copy(arena, text.bytes, text.length);
    buffer_free(&text);
    return kept;
}

void test_expect_text(const char *came, const char *wanted, const char *what) {
    cr_expect(strcmp(came, wanted) == 0, "%s\n  wanted: %s\n  came:   %s", what, wanted, came);
}
