#include "harness/diff/diff.h"
#include "harness/report/markdown_text.h"

#define NAME_CEILING 200 /* bytes of a name that is shown */

static void head(struct buffer *out, const char *word, const struct diff_report *report) {
    buffer_format(out, "| %s | ", word);
    markdown_code(out, report->target, NAME_CEILING);
    buffer_format(out, " | %zu%s | ", report->count + report->left_out,
                  report->left_out > 0 ? " (not all are listed)" : "");
    markdown_prose(out, report->started, NAME_CEILING);
    buffer_format(out, " | %s |\n", report->strict ? "yes" : "no");
}

static void side(struct buffer *out, const struct diff_case *one) {
    buffer_string(out, one == NULL ? "*not there*" : diff_outcome_name(one->outcome));
    if (one != NULL && one->reason.length > 0) {
        buffer_string(out, ": ");
        markdown_prose(out, one->reason, DIFF_REASON_CEILING);
    }
}

static void row(struct buffer *out, const struct diff *diff, const struct diff_change *one) {
    const struct diff_case *any = one->after != NULL ? one->after : one->before;
    buffer_string(out, "| ");
    markdown_prose(out, any->name, NAME_CEILING);
    buffer_string(out, " | ");
    markdown_prose(out, any->profile, NAME_CEILING);
    if (diff->before->several_targets || diff->after->several_targets) {
        buffer_string(out, ", ");
        markdown_code(out, any->target, NAME_CEILING);
    }
    buffer_string(out, " | ");
    side(out, one->before);
    buffer_string(out, " | ");
    side(out, one->after);
    buffer_string(out, " |\n");
}

/* The changes of one kind stand together, from `first` on. */
static void table(struct buffer *out, const struct diff *diff, size_t first, size_t full) {
    enum diff_kind kind = diff->changes[first].kind;
    size_t shown = 0;
    buffer_format(out, "\n### %s: %zu%s\n\n| case | profile | was | is |\n|:--|:--|:--|:--|\n", diff_kind_title(kind),
                  diff->counts[kind], kind <= DIFF_LAST_WORSE ? " (worse)" : "");
    for (size_t i = first; i < diff->count && diff->changes[i].kind == kind; i++) {
        if (shown < DIFF_ROWS_CEILING && out->length < full) {
            row(out, diff, &diff->changes[i]);
            shown++;
        }
    }
    if (shown < diff->counts[kind]) {
        buffer_format(out, "\n…and %zu more.\n", diff->counts[kind] - shown);
    }
}

void diff_markdown(struct buffer *out, const struct diff *diff) {
    /* A row is 20 KiB at most: two reasons of which each byte may take eight. */
    size_t full = out->length + DIFF_MARKDOWN_CEILING - ((size_t)64 << 10), worse = diff_worse(diff);
    buffer_format(out, "## %s\n\n", worse > 0 ? "❌ meshspec: something got worse" : "✅ meshspec: nothing got worse");
    buffer_string(out, "| run | target | cases | started | strict |\n|:--|:--|--:|:--|:--|\n");
    head(out, "old", diff->before);
    head(out, "new", diff->after);
    for (size_t i = 0; i < diff->count && diff->changes[i].kind < DIFF_SAME; i++) {
        if (i == 0 || diff->changes[i - 1].kind != diff->changes[i].kind) {
            table(out, diff, i, full);
        }
    }
    buffer_format(out, "\n%zu case%s the same.\n", diff->counts[DIFF_SAME],
                  diff->counts[DIFF_SAME] == 1 ? " is" : "s are");
}
