/* A difference as text for a reader. */
#include "harness/compare/compare.h"
#include "harness/replay/difference.h"

static void print_member(struct buffer *out, const struct json_value *step, const char *key) {
    const struct json_value *value = json_get(step, key);
    if (value != NULL)
        difference_show(out, value);
}

static void print_step(struct buffer *out, const struct json_value *step) {
    const struct json_value *verb = json_get(step, "do"), *conn = json_get(step, "conn");
    if (conn != NULL) {
        buffer_text(out, conn->text);
        if (json_is_string(verb, "connect")) {
            buffer_string(out, " connects as ");
            print_member(out, step, "principal");
        } else if (json_is_string(verb, "receive")) {
            buffer_string(out, " → ");
            print_member(out, step, json_get(step, "msg") != NULL ? "msg" : "text");
            buffer_string(out, json_get(step, "spelling") != NULL ? " (in another spelling)" : "");
        } else {
            buffer_string(out, " leaves");
        }
        return;
    }
    buffer_text(out, verb->text);
    for (const struct json_value *field = step->first; field != NULL; field = field->next)
        if (!text_equal(field->key, TEXT("do"))) {
            buffer_string(out, " ");
            buffer_text(out, field->key);
            buffer_string(out, " ");
            difference_show(out, field);
        }
}

static void print_heard(struct buffer *out, const struct heard *heard) {
    if (heard == NULL) {
        buffer_string(out, "nothing\n");
        return;
    }
    buffer_text(out, heard->stream);
    if (heard->kind == HEARD_CLOSE) {
        buffer_string(out, " is closed\n");
        return;
    }
    buffer_string(out, heard->kind == HEARD_MESSAGE ? " ← " : ": ");
    if (heard->value != NULL)
        difference_show(out, heard->value);
    else
        buffer_format(out, "a text that is not JSON, of %zu bytes", heard->text.length);
    buffer_string(out, "\n");
}

/* What both sides said up to where they differ, then what each said there. */
static void print_last(struct buffer *out, const struct play_result *play, const struct played *played) {
    const struct stream_difference *difference = &play->difference;
    const struct heard *a = played->heard[SIDE_A], *b = played->heard[SIDE_B];
    if (play->outcome == PLAY_BROKEN) {
        for (; a != NULL; a = a->next) {
            buffer_string(out, "      A ");
            print_heard(out, a);
        }
        buffer_format(out, "      %c breaks\n", 'A' + play->side);
        return;
    }
    for (; a != NULL && b != NULL && a != difference->a && b != difference->b; a = a->next, b = b->next) {
        buffer_string(out, "        ");
        print_heard(out, a);
    }
    buffer_string(out, "      A ");
    print_heard(out, difference->a);
    buffer_string(out, "      B ");
    print_heard(out, difference->b);
}

static void print_played(struct buffer *out, const struct compare_result *result) {
    for (size_t i = 0; i < result->play.count; i++) {
        const struct played *played = &result->play.played[i];
        if (played->step == NULL)
            continue;
        buffer_string(out, "    ");
        print_step(out, played->step);
        buffer_string(out, "\n");
        if (i + 1 == result->play.count) {
            print_last(out, &result->play, played);
            return;
        }
        for (const struct heard *heard = played->heard[SIDE_A]; heard != NULL; heard = heard->next) {
            buffer_string(out, "        ");
            print_heard(out, heard);
        }
    }
}

/* The place within two messages, when both sides said something of one kind. */
static void print_place(struct buffer *out, const struct stream_difference *difference) {
    const struct heard *a = difference->a, *b = difference->b;
    if (a == NULL || b == NULL || a->kind != b->kind || a->value == NULL || b->value == NULL)
        return;
    const struct json_value *said = a->value, *other = b->value;
    struct buffer path = {.ceiling = 2000};
    difference_place(&path, &said, &other);
    bool has_path = path.length > 1 && path.bytes[0] == '.';
    buffer_string(out, "  ");
    buffer_string(out, has_path ? path.bytes + 1 : path.length > 0 ? path.bytes : "it");
    buffer_string(out, ": A says ");
    difference_show(out, said);
    buffer_string(out, ", B says ");
    difference_show(out, other);
    buffer_string(out, "\n");
    buffer_free(&path);
}

void compare_print(struct buffer *out, const struct compare_result *result, const struct compare_settings *settings) {
    const char *what = result->outcome == COMPARE_DIFFERENT ? "A and B differ" : result->play.side == SIDE_A ? "A breaks" : "B breaks";
    buffer_format(out, "%s: seed %llu, step %zu of %zu, profile %s; the same in %zu steps (found in %zu plays)\n",
                  what, (unsigned long long)result->seed, result->at, result->of, settings->play.profile, result->play.count, result->plays);
    for (int side = 0; side < SIDES; side++)
        buffer_format(out, "  %c  %s\n", 'A' + side, settings->play.sides[side]->name);
    buffer_string(out, "  options ");
    difference_show(out, result->options);
    buffer_string(out, "\n");
    print_played(out, result);
    print_place(out, &result->play.difference);
}
