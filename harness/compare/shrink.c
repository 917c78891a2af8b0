/* Making a difference (or what breaks a relay) small: steps, options and ops are left out as long as one of the same kind stays. */
#include "harness/compare/compare.h"

#include <string.h>

struct shrink {
    struct arena *arena;
    struct play_settings settings;
    struct compare_case *found;
    const char *kind;
    size_t plays, steps, most_plays;
};

/* What sort of difference it is: the message's type, the observer, … */
static const char *kind_of(struct arena *arena, const struct play_result *play) {
    if (play->outcome == PLAY_BROKEN)
        return play->side == SIDE_A ? "A breaks" : "B breaks";
    const struct stream_difference *difference = &play->difference;
    const struct heard *heard = difference->a != NULL ? difference->a : difference->b;
    const struct json_value *type = json_get(heard->value, "t");
    if (heard->kind == HEARD_CLOSE)
        return "a close";
    if (heard->kind != HEARD_MESSAGE)
        return arena_format(arena, "%.*s", (int)heard->stream.length, heard->stream.bytes);
    return type == NULL || type->type != JSON_STRING ? "a message" : arena_format(arena, "%.*s", (int)type->text.length, type->text.bytes);
}

static bool may_go_on(const struct shrink *shrink) {
    return shrink->plays < shrink->most_plays && shrink->steps < COMPARE_SHRINK_STEPS;
}

/* Whether this traffic leads to a difference of the same kind. `*length`: the steps up to it. */
static bool differs(struct shrink *shrink, const struct json_value *options, const struct json_value *const *steps, size_t count, size_t *length) {
    struct arena *arena = arena_new();
    struct play_result play = compare_play(arena, &shrink->settings, options, steps, count);
    /* A relay that does not even begin is another matter. */
    bool same = play.count > 0 && play.outcome == shrink->found->play.outcome && strcmp(kind_of(arena, &play), shrink->kind) == 0;
    *length = play.count;
    shrink->plays++;
    shrink->steps += play.count;
    arena_free(arena);
    return same;
}

/* Tries the steps without `size` of them from `start` on. */
static bool leave_out(struct shrink *shrink, size_t start, size_t size) {
    struct compare_case *found = shrink->found;
    size_t count = found->count - size, length;
    const struct json_value **rest = arena_alloc(shrink->arena, (count + 1) * sizeof *rest);
    memcpy(rest, found->steps, start * sizeof *rest);
    memcpy(rest + start, found->steps + start + size, (count - start) * sizeof *rest);
    if (!differs(shrink, found->options, rest, count, &length))
        return false;
    found->steps = rest;
    found->count = length;
    return true;
}

static void shrink_steps(struct shrink *shrink) {
    struct compare_case *found = shrink->found;
    for (size_t size = found->count / 2; size > 0; size /= 2) {
        size_t start = 0;
        while (start + size <= found->count && may_go_on(shrink))
            if (!leave_out(shrink, start, size))
                start += size;
    }
}

/* Single steps from the end on, until none can be spared. */
static void shrink_single_steps(struct shrink *shrink) {
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = shrink->found->count; i-- > 0 && may_go_on(shrink);)
            if (i < shrink->found->count && leave_out(shrink, i, 1))
                again = true;
    }
}

/* Takes the member or element at `index` out of an object or array. */
static void take_out(struct json_value *container, size_t index) {
    struct json_value *before = NULL, *one = container->first;
    for (size_t i = 0; i < index; i++) {
        before = one;
        one = one->next;
    }
    if (before == NULL)
        container->first = one->next;
    else
        before->next = one->next;
    if (container->last == one)
        container->last = before;
    container->count--;
}

/* Leaves members out of what `part` finds in a copy of `whole`, one after another; `attempt` says whether the copy will do. */
typedef struct json_value *part_of(struct json_value *whole);
typedef bool attempt(struct shrink *shrink, struct json_value *whole, size_t index);

static struct json_value *shrink_part(struct shrink *shrink, struct json_value *whole, part_of *part, attempt *tried, size_t index) {
    size_t at = 0;
    while (part(whole) != NULL && at < part(whole)->count && may_go_on(shrink)) {
        struct json_value *copy = json_copy(shrink->arena, whole);
        take_out(part(copy), at);
        if (tried(shrink, copy, index))
            whole = copy;
        else
            at++;
    }
    return whole;
}

/* A snapshot's journal stays whole: one with holes is nothing that a relay must take. */
static struct json_value *ops_of(struct json_value *step) {
    struct json_value *ops = json_get(json_get(json_get(step, "msg"), "env"), "ops");
    return ops != NULL && ops->type == JSON_ARRAY ? ops : NULL;
}

static struct json_value *registers_of(struct json_value *step) {
    return json_get(json_get(step, "snapshot"), "registers");
}

static struct json_value *itself(struct json_value *options) {
    return options;
}

static bool try_step(struct shrink *shrink, struct json_value *step, size_t index) {
    size_t length;
    const struct json_value *kept = shrink->found->steps[index];
    shrink->found->steps[index] = step;
    bool right = differs(shrink, shrink->found->options, shrink->found->steps, shrink->found->count, &length) && length == shrink->found->count;
    if (!right)
        shrink->found->steps[index] = kept;
    return right;
}

static void shrink_spelling(struct shrink *shrink, size_t index) {
    struct json_value *step = json_copy(shrink->arena, shrink->found->steps[index]);
    if (json_get(step, "spelling") == NULL || !may_go_on(shrink))
        return;
    json_remove(step, TEXT("spelling"));
    try_step(shrink, step, index);
}

static bool try_options(struct shrink *shrink, struct json_value *options, size_t index) {
    (void)index;
    size_t length;
    bool right = differs(shrink, options, shrink->found->steps, shrink->found->count, &length) && length == shrink->found->count;
    if (right)
        shrink->found->options = options;
    return right;
}

static void shrink_insides(struct shrink *shrink) {
    static part_of *const parts[] = {ops_of, registers_of};
    struct compare_case *found = shrink->found;
    for (size_t i = 0; i < found->count; i++) {
        shrink_spelling(shrink, i);
        struct json_value *step = json_copy(shrink->arena, found->steps[i]);
        for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
            step = shrink_part(shrink, step, parts[part], try_step, i);
    }
    shrink_part(shrink, found->options, itself, try_options, 0);
}

size_t compare_shrink(struct arena *arena, const struct play_settings *settings, struct compare_case *found) {
    struct shrink shrink = {.arena = arena,
                            .settings = *settings,
                            .found = found,
                            .kind = kind_of(arena, &found->play),
                            .most_plays = COMPARE_SHRINK_PLAYS};
    enum play_outcome outcome = found->play.outcome;
    if (outcome == PLAY_BROKEN) {
        /* A relay that broke is started anew each time, and one that hangs is waited for. */
        shrink.most_plays = COMPARE_SHRINK_BREAKS;
        shrink.settings.limit_ms = settings->limit_ms < COMPARE_BREAK_LIMIT_MS ? settings->limit_ms : COMPARE_BREAK_LIMIT_MS;
    }
    found->count = found->play.count;
    shrink_steps(&shrink);
    shrink_single_steps(&shrink);
    shrink_insides(&shrink);
    shrink_single_steps(&shrink);
    struct play_result last = compare_play(arena, &shrink.settings, found->options, found->steps, found->count);
    /* A relay that is not the same each time keeps what it showed first. */
    if (last.outcome == outcome)
        found->play = last;
    return shrink.plays;
}
