#include "harness/diff/diff.h"
#include "harness/report/visible.h"

#define NAME_CEILING 300 /* bytes of a name that is shown */

static void shown(struct buffer *out, struct text text, size_t ceiling) {
    visible_text(out, text, VISIBLE_LINE, ceiling);
}

static void head(struct buffer *out, const char *word, const struct diff_report *report) {
    buffer_format(out, "%s ", word);
    shown(out, text_of(report->file), NAME_CEILING);
    buffer_string(out, ": ");
    shown(out, report->target, NAME_CEILING);
    buffer_format(out, ", %zu case%s%s", report->count + report->left_out,
                  report->count + report->left_out == 1 ? "" : "s", report->strict ? ", strict" : "");
    if (report->started.length > 0) {
        buffer_string(out, ", ");
        shown(out, report->started, NAME_CEILING);
    }
    if (report->left_out > 0) {
        buffer_format(out, " (%zu of them not listed)", report->left_out);
    }
    buffer_string(out, "\n");
}

static void side(struct buffer *out, const char *word, const struct diff_case *one) {
    buffer_format(out, "    %s %s", word, one == NULL ? "not there" : diff_outcome_name(one->outcome));
    if (one != NULL && one->reason.length > 0) {
        buffer_string(out, ": ");
        shown(out, one->reason, DIFF_REASON_CEILING);
    }
    buffer_string(out, "\n");
}

static void change(struct buffer *out, const struct diff *diff, const struct diff_change *one) {
    const struct diff_case *any = one->after != NULL ? one->after : one->before;
    buffer_string(out, "  ");
    shown(out, any->name, NAME_CEILING);
    buffer_string(out, " (");
    shown(out, any->profile, NAME_CEILING);
    if (diff->before->several_targets || diff->after->several_targets) {
        buffer_string(out, ", ");
        shown(out, any->target, NAME_CEILING);
    }
    buffer_string(out, ")\n");
    side(out, "was", one->before);
    side(out, "is ", one->after);
}

void diff_print(struct buffer *out, const struct diff *diff) {
    head(out, "old", diff->before);
    head(out, "new", diff->after);
    for (size_t i = 0; i < diff->count && diff->changes[i].kind < DIFF_SAME; i++) {
        enum diff_kind kind = diff->changes[i].kind;
        if (i == 0 || diff->changes[i - 1].kind != kind) {
            buffer_format(out, "\n%s: %zu%s\n", diff_kind_title(kind), diff->counts[kind],
                          kind <= DIFF_LAST_WORSE ? " (worse)" : "");
        }
        change(out, diff, &diff->changes[i]);
    }
    size_t worse = diff_worse(diff), same = diff->counts[DIFF_SAME];
    size_t better = diff->counts[DIFF_FIXED] + diff->counts[DIFF_JUDGED];
    buffer_format(out, "\n%zu worse, %zu better, %zu otherwise changed, %zu the same\n", worse, better,
                  diff->count - worse - better - same, same);
}
