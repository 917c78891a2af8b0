#include "harness/report/markdown.h"

#include <string.h>

#include "harness/report/markdown_text.h"

#define NAME_CEILING 200 /* bytes of a name or glob that is shown */

static struct text written(const struct buffer *buffer) {
    return (struct text){buffer->bytes, buffer->length};
}

/* ---- the head ---- */

static void heading(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    buffer_format(out, "## %s meshspec: %s\n\n", suite_exit(results, head->strict) == ERROR_NONE ? "✅" : "❌",
                  report_headline(results, head->strict));
    report_verdict(out, results, head->strict);
    buffer_string(out, ".\n\nTarget ");
    markdown_code(out, text_of(head->target), REPORT_REASON_CEILING);
    buffer_string(out, head->profile_count == 1 ? ", profile" : ", profiles");
    for (size_t i = 0; i < head->profile_count; i++) {
        buffer_format(out, "%s %s", i == 0 ? "" : ",", head->profiles[i]);
    }
    buffer_format(out, ", seed %llu%s%s%s; meshspec %s.\n", (unsigned long long)head->seed,
                  head->strict ? ", strict" : "", head->started == NULL ? "" : ", started ",
                  head->started == NULL ? "" : head->started, head->version);
}

/* ---- counts by area ---- */

static bool is_area(const struct case_result *result, struct text area) {
    return text_equal(report_area(result->scenario), area);
}

static bool area_came_before(const struct suite_results *results, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (is_area(&results->cases[i], report_area(results->cases[index].scenario))) {
            return true;
        }
    }
    return false;
}

static void area_row(struct buffer *out, const struct suite_results *results, struct text area, bool strict) {
    static const enum outcome columns[] = {OUTCOME_PASS,    OUTCOME_FAIL,   OUTCOME_ERROR, OUTCOME_XPASS,
                                           OUTCOME_WARNING, OUTCOME_REMARK, OUTCOME_XFAIL, OUTCOME_SKIP};
    size_t counts[OUTCOME_COUNT] = {0}, all = 0;
    for (size_t i = 0; i < results->count; i++) {
        if (is_area(&results->cases[i], area)) {
            counts[report_outcome(&results->cases[i], strict)]++;
            all++;
        }
    }
    buffer_string(out, "| ");
    markdown_prose(out, area, NAME_CEILING);
    buffer_format(out, " | %zu |", all);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        size_t count = counts[columns[i]];
        if (count == 0) {
            buffer_string(out, " · |");
        } else {
            buffer_format(out, columns[i] <= OUTCOME_XPASS ? " **%zu** |" : " %zu |", count);
        }
    }
    buffer_string(out, "\n");
}

static void areas(struct buffer *out, const struct suite_results *results, bool strict) {
    size_t rows = 0, left_out = 0;
    buffer_string(
        out, "\n| area | cases | passed | failed | errors | against the list | warnings | remarks | known | skipped |\n"
             "|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < results->count; i++) {
        if (area_came_before(results, i)) {
            continue;
        }
        if (rows++ < MARKDOWN_ROWS_CEILING) {
            area_row(out, results, report_area(results->cases[i].scenario), strict);
        } else {
            left_out++;
        }
    }
    if (left_out > 0) {
        buffer_format(out, "\n…and %zu areas more.\n", left_out);
    }
}

/* ---- cases of some outcomes ---- */

static void case_row(struct buffer *out, const struct case_result *result, enum outcome outcome) {
    struct buffer reason = {0};
    buffer_string(out, "| ");
    markdown_prose(out, text_of(result->scenario->name), NAME_CEILING);
    buffer_format(out, " | %s | ", result->profile);
    if (outcome_has_failure(outcome)) {
        markdown_code(out, text_of(report_clause(result)), NAME_CEILING);
    } else {
        buffer_string(out, outcome == OUTCOME_ERROR ? "*error*" : "*the list*");
    }
    buffer_string(out, " | ");
    report_reason(&reason, result);
    markdown_prose(out, written(&reason), 2 * REPORT_REASON_CEILING);
    if (result->runs > 0) {
        buffer_format(out, " (%s: failed %u of %u times)", result->failed_runs == result->runs ? "stable" : "flaky",
                      result->failed_runs, result->runs);
    }
    buffer_string(out, " |\n");
    buffer_free(&reason);
}

/* A table of the cases with an outcome from `first` to `last`; nothing when there is none. */
static void table(struct buffer *out, const struct suite_results *results, bool strict, const char *title,
                  enum outcome first, enum outcome last, size_t full) {
    size_t rows = 0, left_out = 0;
    for (size_t i = 0; i < results->count; i++) {
        enum outcome outcome = report_outcome(&results->cases[i], strict);
        if (outcome < first || outcome > last) {
            continue;
        }
        if (rows == 0) {
            buffer_format(out, "\n### %s\n\n| case | profile | clause | why |\n|:--|:--|:--|:--|\n", title);
        }
        if (rows++ < MARKDOWN_ROWS_CEILING && out->length < full) {
            case_row(out, &results->cases[i], outcome);
        } else {
            left_out++;
        }
    }
    if (left_out > 0) {
        buffer_format(out, "\n…and %zu more.\n", left_out);
    }
}

static void unmatched(struct buffer *out, const struct known *known) {
    size_t rows = 0;
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        const struct known_line *line = &known->lines[i];
        if (line->matched) {
            continue;
        }
        buffer_string(out, rows == 0 ? "\n### Lines of the known failures that mean no case\n\n" : "");
        if (rows++ < MARKDOWN_ROWS_CEILING) {
            buffer_format(out, "- line %u: ", line->line);
            markdown_code(out, text_of(line->glob), NAME_CEILING);
            buffer_string(out, "\n");
        }
    }
}

/* ---- what was skipped, by reason ---- */

static bool is_skip_of(const struct case_result *result, struct text reason) {
    return result->verdict == VERDICT_SKIP && text_equal(result->reason, reason);
}

static void skip_row(struct buffer *out, const struct suite_results *results, size_t first) {
    struct text reason = results->cases[first].reason;
    size_t same = 0;
    for (size_t i = first; i < results->count; i++) {
        same += is_skip_of(&results->cases[i], reason);
    }
    buffer_format(out, "| %zu | ", same);
    markdown_prose(out, reason, REPORT_REASON_CEILING);
    buffer_string(out, " | ");
    markdown_prose(out, text_of(results->cases[first].scenario->name), NAME_CEILING);
    buffer_string(out, same > 1 ? ", … |\n" : " |\n");
}

static void skips(struct buffer *out, const struct suite_results *results) {
    size_t rows = 0;
    for (size_t i = 0; i < results->count; i++) {
        bool seen = results->cases[i].verdict != VERDICT_SKIP;
        for (size_t j = 0; j < i && !seen; j++) {
            seen = is_skip_of(&results->cases[j], results->cases[i].reason);
        }
        if (seen) {
            continue;
        }
        buffer_string(out, rows == 0 ? "\n### Skipped\n\n| cases | reason | which |\n|--:|:--|:--|\n" : "");
        if (rows++ < MARKDOWN_ROWS_CEILING) {
            skip_row(out, results, i);
        }
    }
}

/* ---- the evidence ---- */

static void details(struct buffer *out, const struct case_result *result, const struct report_head *head) {
    struct buffer block = {0};
    buffer_string(out, "\n<details><summary>");
    markdown_html(out, text_of(result->scenario->name), NAME_CEILING);
    buffer_format(out, " (%s)</summary>\n\n", result->profile);
    report_block(&block, result, head, MARKDOWN_BLOCK_CEILING);
    markdown_fenced(out, written(&block));
    buffer_string(out, "\n</details>\n");
    buffer_free(&block);
}

/* In the order of the outcomes, until the summary is full: the worst is shown, whatever happens to the rest. */
static void evidence(struct buffer *out, const struct suite_results *results, const struct report_head *head,
                     size_t full) {
    size_t shown = 0, left_out = 0;
    for (int outcome = OUTCOME_FAIL; outcome <= OUTCOME_REMARK; outcome++) {
        for (size_t i = 0; i < results->count; i++) {
            const struct case_result *result = &results->cases[i];
            if (report_outcome(result, head->strict) != (enum outcome)outcome || outcome == OUTCOME_XPASS) {
                continue;
            }
            if (out->length > full) {
                left_out++;
                continue;
            }
            buffer_string(out, shown++ == 0 ? "\n### Evidence\n" : "");
            details(out, result, head);
        }
    }
    if (left_out > 0) {
        buffer_format(out, "\nThe evidence of %zu cases more does not fit here; the other reports have it.\n",
                      left_out);
    }
}

void markdown_report(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    /* Tables may take the first half; what stands behind them is short or stops when it is full. */
    size_t half = out->length + MARKDOWN_CEILING / 2,
           full = out->length + MARKDOWN_CEILING - 2 * MARKDOWN_BLOCK_CEILING;
    heading(out, results, head);
    areas(out, results, head->strict);
    table(out, results, head->strict, "What went wrong", OUTCOME_FAIL, OUTCOME_XPASS, half);
    unmatched(out, results->unmatched);
    table(out, results, head->strict, "Warnings and remarks", OUTCOME_WARNING, OUTCOME_REMARK, half);
    table(out, results, head->strict, "Known failures", OUTCOME_XFAIL, OUTCOME_XFAIL, half);
    skips(out, results);
    evidence(out, results, head, full);
}
