#include "harness/match/match.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/json/members.h"
#include "harness/match/matcher.h"

/* ---- going down -------------------------------------------------------------------------------- */

static void push(struct walk *walk, struct frame frame) {
    if (walk->depth == FIRST_FRAMES && walk->frames == walk->own) {
        walk->capacity = 4 * FIRST_FRAMES;
        walk->frames = memory_new(walk->capacity * sizeof(*walk->frames));
        memcpy(walk->frames, walk->own, sizeof(walk->own));
    } else if (walk->depth >= FIRST_FRAMES) {
        walk->frames = memory_room(walk->frames, walk->depth, &walk->capacity, sizeof(*walk->frames));
    }
    walk->frames[walk->depth++] = frame;
}

static void pop(struct walk *walk) {
    free(walk->frames[--walk->depth].sorted);
}

static void walk_end(struct walk *walk) {
    while (walk->depth > 0)
        pop(walk);
    if (walk->frames != walk->own)
        free(walk->frames);
}

/* ---- one place --------------------------------------------------------------------------------- */

static bool match_array(struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                        bool exact) {
    if (pattern->count != value->count) {
        if (walk->quiet)
            return false;
        struct buffer wanted = {0}, came = {0};
        buffer_format(&wanted, "%zu element%s: ", pattern->count, pattern->count == 1 ? "" : "s");
        buffer_format(&came, "%zu: ", value->count);
        describe_value(&wanted, pattern);
        describe_value(&came, value);
        differ_texts(walk, pattern, NULL, (struct text){wanted.bytes, wanted.length},
                     (struct text){came.bytes, came.length});
        buffer_free(&wanted);
        buffer_free(&came);
        return false;
    }
    if (pattern->count > 0)
        push(walk,
             (struct frame){
                 .pattern = pattern, .value = value, .child = pattern->first, .element = value->first, .exact = exact});
    return true;
}

/* Notes every member of the value for which an exact pattern has no place. */
static bool match_no_more(struct walk *walk, const struct json_value *pattern, const struct json_value *value) {
    struct json_members wanted = json_members_of(pattern);
    bool matched = true;
    for (const struct json_value *member = value->first; member != NULL && (matched || !walk->quiet);
         member = member->next) {
        if (json_members_find(&wanted, member->key) != NULL)
            continue;
        matched = false;
        struct buffer came = {0};
        describe_value(&came, member);
        differ_texts(walk, pattern, member, TEXT("nothing"), (struct text){came.bytes, came.length});
        buffer_free(&came);
    }
    json_members_free(&wanted);
    return matched;
}

static bool match_object(struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                         bool exact) {
    bool matched = !exact || match_no_more(walk, pattern, value);
    if (pattern->count == 0)
        return matched;
    bool many = pattern->count > JSON_WALKED_MEMBERS && value->count > JSON_WALKED_MEMBERS;
    push(walk, (struct frame){.pattern = pattern,
                              .value = value,
                              .child = pattern->first,
                              .exact = exact,
                              .sorted = many ? json_members_sorted(value) : NULL});
    return matched;
}

/* Holds a value against a pattern; of containers only the containers themselves, their children come with the next
   frame. */
static bool match_here(struct walk *walk, const struct json_value *pattern, const struct json_value *value,
                       bool exact) {
    enum operator kind = operator_of(pattern);
    if (kind != OPERATOR_NONE)
        return match_operator(walk, kind, pattern, value, exact);
    if (value == NULL || value->type != pattern->type)
        return differ_plain(walk, pattern, value);
    switch (pattern->type) {
    case JSON_ARRAY:
        return match_array(walk, pattern, value, exact);
    case JSON_OBJECT:
        return match_object(walk, pattern, value, exact);
    default:
        return json_equal(pattern, value) || differ_plain(walk, pattern, value);
    }
}

static const struct json_value *counterpart(const struct frame *frame) {
    if (frame->pattern->type == JSON_ARRAY)
        return frame->element;
    struct json_members members = {.sorted = frame->sorted, .object = frame->value};
    return json_members_find(&members, frame->child->key);
}

/* Goes on to the next child; leaves the frames that have none. */
static void advance(struct walk *walk) {
    while (walk->depth > 0) {
        struct frame *top = &walk->frames[walk->depth - 1];
        top->child = top->child->next;
        top->element = top->element != NULL ? top->element->next : NULL;
        top->index++;
        if (top->child != NULL)
            return;
        pop(walk);
    }
}

static bool gives_up(const struct walk *walk, bool matched) {
    const struct matcher *matcher = walk->matcher;
    return matcher->fault != NULL ||
           (!matched && (walk->quiet || matcher->difference_count == DIFFERENCE_COUNT_CEILING));
}

static bool run(struct walk *walk, const struct json_value *pattern, const struct json_value *value, bool exact) {
    walk->frames = walk->own;
    bool matched = match_here(walk, pattern, value, exact);
    while (walk->depth > 0 && !gives_up(walk, matched)) {
        size_t depth = walk->depth;
        const struct frame *top = &walk->frames[depth - 1];
        matched &= match_here(walk, top->child, counterpart(top), top->exact);
        if (walk->depth == depth)
            advance(walk);
    }
    walk_end(walk);
    return matched && walk->matcher->fault == NULL;
}

bool walk_part(const struct walk *outer, const struct json_value *pattern, const struct json_value *value, bool exact,
               bool quiet) {
    struct walk walk = {.matcher = outer->matcher, .outer = outer, .quiet = quiet || outer->quiet};
    return run(&walk, pattern, value, exact);
}

void walk_unbind(const struct walk *walk, struct binding *mark) {
    walk->matcher->bindings->first = mark;
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Bindings made on trial borrow their values: those that stay become the bindings' own. */
static void keep_bindings(struct bindings *bindings, const struct binding *mark) {
    struct arena *arena = bindings->arena;
    for (struct binding *binding = bindings->first; binding != mark; binding = binding->next) {
        binding->name.bytes = arena_copy(arena, binding->name.bytes, binding->name.length);
        binding->value = json_copy(arena, binding->value);
    }
}

static struct match_result conclude(struct matcher *matcher, struct binding *mark, bool matched) {
    if (matched)
        keep_bindings(matcher->bindings, mark);
    else
        matcher->bindings->first = mark;
    return (struct match_result){.matched = matched, .first = matched ? NULL : matcher->first, .fault = matcher->fault};
}

struct match_result match(const struct json_value *pattern, const struct json_value *value, struct bindings *bindings) {
    struct matcher matcher = {.bindings = bindings};
    struct binding *mark = bindings->first;
    struct walk walk = {.matcher = &matcher};
    bool matched = run(&walk, pattern, value, false);
    return conclude(&matcher, mark, matched);
}

struct match_result match_in_any_order(const struct json_value *patterns, const struct json_value *values,
                                       struct bindings *bindings) {
    struct matcher matcher = {.bindings = bindings};
    struct binding *mark = bindings->first;
    struct walk walk = {.matcher = &matcher};
    walk.frames = walk.own;
    bool matched = match_unordered(&walk, patterns, values, false) && matcher.fault == NULL;
    return conclude(&matcher, mark, matched);
}
