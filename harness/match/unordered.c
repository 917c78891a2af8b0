#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/match/matcher.h"

/*
 * Patterns and elements are paired one to one. Patterns without names of their own are paired by augmenting paths,
 * which finds a pairing whenever there is one. Patterns that bind names depend on each other: they are tried in the
 * order in which they are written, each with every element that is left, and go back when the rest does not fit.
 */
enum pair_state { PAIR_UNKNOWN, PAIR_FITS, PAIR_DIFFERS };

#define NOBODY SIZE_MAX

struct pairing {
    const struct walk *walk;
    bool exact;
    size_t count;
    const struct json_value **patterns; /* those that bind names first */
    const struct json_value **elements;
    size_t binders;        /* how many of the patterns bind names */
    unsigned char *states; /* of pattern × element, for patterns that bind no names */
    size_t *pattern_of;    /* an element's pattern, or NOBODY */
    size_t *element_of;    /* a pattern's element, or NOBODY */
    size_t *from;          /* while a path is sought: the pattern that would take this element; NOBODY: not seen */
    size_t *queue;
    size_t trials;
    size_t misfit; /* the pattern that got furthest and found no element */
};

/* ---- which patterns bind names ----------------------------------------------------------------- */

static bool opens_name(const struct bindings *bindings, const struct json_value *node) {
    enum operator kind = operator_of(node);
    return (kind == OPERATOR_BIND || kind == OPERATOR_IS) && bindings_get(bindings, node->first->text) == NULL;
}

/* Whether a name is used somewhere in the pattern that nothing has bound yet. */
static bool binds_names(const struct bindings *bindings, const struct json_value *pattern) {
    const struct json_value **pending = NULL;
    size_t count = 0, capacity = 0;
    bool found = opens_name(bindings, pattern);
    for (const struct json_value *node = pattern; !found && node != NULL; node = count > 0 ? pending[--count] : NULL)
        for (const struct json_value *child = node->first; !found && child != NULL; child = child->next) {
            found = opens_name(bindings, child);
            if (child->first == NULL)
                continue;
            pending = memory_room(pending, count, &capacity, sizeof(*pending));
            pending[count++] = child;
        }
    free(pending);
    return found;
}

/* ---- patterns without names -------------------------------------------------------------------- */

static bool try_pair(const struct pairing *pairing, size_t pattern, size_t element) {
    struct binding *mark = pairing->walk->matcher->bindings->first;
    bool fits = walk_part(pairing->walk, pairing->patterns[pattern], pairing->elements[element], pairing->exact, true);
    if (!fits)
        walk_unbind(pairing->walk, mark);
    return fits;
}

static bool fits(struct pairing *pairing, size_t pattern, size_t element) {
    unsigned char *state = &pairing->states[pattern * pairing->count + element];
    if (*state == PAIR_UNKNOWN)
        *state = try_pair(pairing, pattern, element) ? PAIR_FITS : PAIR_DIFFERS;
    return *state == PAIR_FITS;
}

/* Gives `element` to the pattern that reached it; that one's element goes to the pattern before it, up to `start`. */
static void shift_along(struct pairing *pairing, size_t start, size_t element) {
    for (;;) {
        size_t pattern = pairing->from[element];
        size_t left = pairing->element_of[pattern];
        pairing->pattern_of[element] = pattern;
        pairing->element_of[pattern] = element;
        if (pattern == start)
            return;
        element = left;
    }
}

/* Finds an element for `start`, moving other nameless patterns where needed. Elements of binding patterns stay
   theirs. */
static bool augment(struct pairing *pairing, size_t start) {
    size_t head = 0, tail = 0;
    for (size_t i = 0; i < pairing->count; i++)
        pairing->from[i] = NOBODY;
    pairing->queue[tail++] = start;
    while (head < tail) {
        size_t pattern = pairing->queue[head++];
        for (size_t element = 0; element < pairing->count; element++) {
            size_t owner = pairing->pattern_of[element];
            if (pairing->from[element] != NOBODY || (owner != NOBODY && owner < pairing->binders) ||
                !fits(pairing, pattern, element))
                continue;
            pairing->from[element] = pattern;
            if (owner == NOBODY) {
                shift_along(pairing, start, element);
                return true;
            }
            pairing->queue[tail++] = owner;
        }
    }
    return false;
}

static void release(struct pairing *pairing, size_t pattern) {
    size_t element = pairing->element_of[pattern];
    if (element != NOBODY)
        pairing->pattern_of[element] = NOBODY;
    pairing->element_of[pattern] = NOBODY;
}

static bool pair_nameless(struct pairing *pairing) {
    for (size_t pattern = pairing->binders; pattern < pairing->count; pattern++)
        release(pairing, pattern);
    for (size_t pattern = pairing->binders; pattern < pairing->count; pattern++) {
        if (augment(pairing, pattern))
            continue;
        if (pattern > pairing->misfit || pairing->binders == 0)
            pairing->misfit = pattern;
        return false;
    }
    return true;
}

/* ---- patterns that bind names ------------------------------------------------------------------ */

/* Takes the next element after `after` (NOBODY: from the first) that fits the binding pattern. */
static bool take_next(struct pairing *pairing, size_t pattern, size_t after) {
    for (size_t element = after == NOBODY ? 0 : after + 1; element < pairing->count; element++) {
        if (pairing->pattern_of[element] != NOBODY)
            continue;
        if (++pairing->trials > UNORDERED_TRIALS_CEILING)
            return false;
        if (!try_pair(pairing, pattern, element))
            continue;
        pairing->element_of[pattern] = element;
        pairing->pattern_of[element] = pattern;
        return true;
    }
    return false;
}

static bool pair_all(struct pairing *pairing, struct binding **marks) {
    const struct matcher *matcher = pairing->walk->matcher;
    size_t level = 0;
    size_t after = NOBODY;
    for (;;) {
        if (level == pairing->binders && pair_nameless(pairing))
            return true;
        if (level < pairing->binders) {
            marks[level] = matcher->bindings->first;
            if (take_next(pairing, level, after)) {
                level++;
                after = NOBODY;
                continue;
            }
            if (level > pairing->misfit)
                pairing->misfit = level;
        }
        if (level == 0 || matcher->fault != NULL || pairing->trials > UNORDERED_TRIALS_CEILING)
            return false;
        for (size_t pattern = pairing->binders; pattern < pairing->count; pattern++)
            release(pairing, pattern);
        level--;
        walk_unbind(pairing->walk, marks[level]);
        after = pairing->element_of[level];
        release(pairing, level);
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void sort_in(struct pairing *pairing, const struct json_value *patterns, const struct json_value *array) {
    const struct bindings *bindings = pairing->walk->matcher->bindings;
    size_t count = 0;
    for (const struct json_value *pattern = patterns->first; pattern != NULL; pattern = pattern->next)
        if (binds_names(bindings, pattern))
            pairing->patterns[count++] = pattern;
    pairing->binders = count;
    for (const struct json_value *pattern = patterns->first; pattern != NULL; pattern = pattern->next)
        if (!binds_names(bindings, pattern))
            pairing->patterns[count++] = pattern;
    count = 0;
    for (const struct json_value *element = array->first; element != NULL; element = element->next)
        pairing->elements[count++] = element;
    for (size_t i = 0; i < pairing->count; i++)
        pairing->pattern_of[i] = pairing->element_of[i] = NOBODY;
}

static bool differ_count(const struct walk *walk, const struct json_value *patterns, const struct json_value *array) {
    if (walk->quiet)
        return false;
    struct buffer wanted = {0}, came = {0};
    buffer_format(&wanted, "%zu element%s in some order: ", patterns->count, patterns->count == 1 ? "" : "s");
    describe_value(&wanted, patterns);
    buffer_format(&came, "%zu: ", array->count);
    describe_value(&came, array);
    differ_texts(walk, patterns, NULL, (struct text){wanted.bytes, wanted.length},
                 (struct text){came.bytes, came.length});
    buffer_free(&wanted);
    buffer_free(&came);
    return false;
}

static bool differ_pairing(const struct pairing *pairing, const struct json_value *array) {
    const struct walk *walk = pairing->walk;
    if (walk->quiet)
        return false;
    const struct json_value *misfit = pairing->patterns[pairing->misfit];
    if (pairing->trials > UNORDERED_TRIALS_CEILING)
        return differ(walk, misfit, "a pairing that can be found with fewer trials (fewer patterns that bind names)",
                      array);
    struct buffer wanted = {0};
    buffer_string(&wanted, "an element of its own for ");
    describe_value(&wanted, misfit);
    differ(walk, misfit, wanted.bytes, array);
    buffer_free(&wanted);
    return false;
}

bool match_unordered(struct walk *walk, const struct json_value *patterns, const struct json_value *array, bool exact) {
    if (patterns->count != array->count)
        return differ_count(walk, patterns, array);
    if (array->count > UNORDERED_CEILING)
        return differ_fault(walk, patterns, "at most 2000 elements can be matched in any order");
    size_t count = array->count;
    struct pairing pairing = {.walk = walk, .exact = exact, .count = count};
    size_t *numbers = memory_zeroed(count * 4 + 1, sizeof(size_t));
    const struct json_value **nodes = memory_zeroed(count * 2 + 1, sizeof(*nodes));
    struct binding **marks = memory_zeroed(count + 1, sizeof(*marks));
    pairing.states = memory_zeroed(count * count + 1, 1);
    pairing.patterns = nodes;
    pairing.elements = nodes + count;
    pairing.pattern_of = numbers;
    pairing.element_of = numbers + count;
    pairing.from = numbers + 2 * count;
    pairing.queue = numbers + 3 * count;
    sort_in(&pairing, patterns, array);
    bool matched = pair_all(&pairing, marks) || differ_pairing(&pairing, array);
    free(pairing.states);
    free(marks);
    free(nodes);
    free(numbers);
    return matched;
}
