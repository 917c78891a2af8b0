#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/diff/diff.h"

static bool passes(enum diff_outcome outcome) {
    return outcome == DIFF_PASS || outcome == DIFF_XPASS;
}

/* Of a case that is only in the new report. */
static enum diff_kind kind_of_new(const struct diff_case *after) {
    switch (after->outcome) {
    case DIFF_FAIL:
        return DIFF_NEWLY_FAILING;
    case DIFF_ERROR:
        return DIFF_NEWLY_ERROR;
    case DIFF_WARNING:
        return DIFF_NEWLY_WARNING;
    default:
        return DIFF_NEW;
    }
}

/* Of a case whose outcome is another one. */
static enum diff_kind kind_of_turn(enum diff_outcome before, enum diff_outcome after) {
    bool was_bad = before == DIFF_FAIL || before == DIFF_ERROR;
    switch (after) {
    case DIFF_FAIL:
        return DIFF_NEWLY_FAILING;
    case DIFF_ERROR:
        return DIFF_NEWLY_ERROR;
    case DIFF_WARNING:
        return was_bad ? DIFF_CHANGED : DIFF_NEWLY_WARNING;
    case DIFF_SKIP:
        return was_bad ? DIFF_CHANGED : DIFF_NEWLY_SKIPPED;
    case DIFF_XFAIL:
        return DIFF_KNOWN;
    case DIFF_REMARK:
        return DIFF_CHANGED;
    default:
        return passes(before) ? DIFF_CHANGED : before == DIFF_SKIP ? DIFF_JUDGED : DIFF_FIXED;
    }
}

static enum diff_kind kind_of(const struct diff_case *before, const struct diff_case *after) {
    if (before == NULL) {
        return kind_of_new(after);
    }
    if (after == NULL) {
        return passes(before->outcome) ? DIFF_GONE : DIFF_GONE_OTHERWISE;
    }
    if (before->outcome != after->outcome) {
        return kind_of_turn(before->outcome, after->outcome);
    }
    return text_equal(before->gist, after->gist) ? DIFF_SAME : DIFF_CHANGED;
}

static int compare_texts(struct text a, struct text b) {
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter == 0 ? 0 : memcmp(a.bytes, b.bytes, shorter);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

int diff_case_order(const struct diff_case *a, const struct diff_case *b, bool by_target) {
    int order = compare_texts(a->name, b->name);
    order = order != 0 ? order : compare_texts(a->profile, b->profile);
    return order != 0 || !by_target ? order : compare_texts(a->target, b->target);
}

static const struct diff_case *any_of(const struct diff_change *change) {
    return change->after != NULL ? change->after : change->before;
}

static int by_kind(const void *first, const void *second) {
    const struct diff_change *a = first, *b = second;
    int order = (a->kind > b->kind) - (a->kind < b->kind);
    return order != 0 ? order : diff_case_order(any_of(a), any_of(b), true);
}

static void add(struct diff *diff, const struct diff_case *before, const struct diff_case *after) {
    enum diff_kind kind = kind_of(before, after);
    diff->changes[diff->count++] = (struct diff_change){kind, before, after};
    diff->counts[kind]++;
}

/* Walks both sorted lists at once. A case that a report has twice meets its first likeness first. */
struct diff diff_compare(const struct diff_report *before, const struct diff_report *after) {
    bool by_target = before->several_targets || after->several_targets;
    struct diff diff = {.before = before, .after = after};
    diff.changes = memory_zeroed(before->count + after->count, sizeof *diff.changes);
    size_t old = 0, young = 0;
    while (old < before->count || young < after->count) {
        int order = old == before->count    ? 1
                    : young == after->count ? -1
                                            : diff_case_order(&before->cases[old], &after->cases[young], by_target);
        add(&diff, order <= 0 ? &before->cases[old] : NULL, order >= 0 ? &after->cases[young] : NULL);
        old += order <= 0;
        young += order >= 0;
    }
    qsort(diff.changes, diff.count, sizeof *diff.changes, by_kind);
    return diff;
}

void diff_free(struct diff *diff) {
    free(diff->changes);
    *diff = (struct diff){0};
}

size_t diff_worse(const struct diff *diff) {
    size_t worse = 0;
    for (int kind = 0; kind <= DIFF_LAST_WORSE; kind++) {
        worse += diff->counts[kind];
    }
    return worse;
}

const char *diff_kind_title(enum diff_kind kind) {
    static const char *const titles[DIFF_KIND_COUNT] = {[DIFF_NEWLY_FAILING] = "newly failing",
                                                        [DIFF_NEWLY_ERROR] = "newly in error",
                                                        [DIFF_NEWLY_WARNING] = "newly warned of",
                                                        [DIFF_NEWLY_SKIPPED] = "newly skipped",
                                                        [DIFF_GONE] = "gone, passed before",
                                                        [DIFF_FIXED] = "fixed",
                                                        [DIFF_JUDGED] = "no longer skipped, passing",
                                                        [DIFF_NEW] = "new",
                                                        [DIFF_GONE_OTHERWISE] = "gone, did not pass before",
                                                        [DIFF_KNOWN] = "failing as the list says now",
                                                        [DIFF_CHANGED] = "changed",
                                                        [DIFF_SAME] = "the same"};
    return titles[kind];
}
