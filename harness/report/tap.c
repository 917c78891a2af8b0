#include "harness/report/tap.h"

#include <string.h>

#include "harness/report/visible.h"

/* ---- the YAML block ---- */

/* A text in one line; JSON's strings are YAML's too, once what is not printable has been made visible. */
static void member(struct buffer *out, const char *key, struct text value) {
    struct buffer safe = {0};
    visible_text(&safe, value, VISIBLE_LINE, TAP_BLOCK_CEILING);
    buffer_format(out, "  %s: ", key);
    json_print_string(out, (struct text){safe.bytes, safe.length});
    buffer_string(out, "\n");
    buffer_free(&safe);
}

/* A text as it is, every line indented. Its first line must not begin with a blank. */
static void literal(struct buffer *out, const char *key, struct text value) {
    buffer_format(out, "  %s: |\n", key);
    for (const char *line = value.bytes, *end = line + value.length; line < end;) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((line_end == NULL ? end : line_end) - line);
        buffer_string(out, "    ");
        buffer_append(out, line, length);
        buffer_string(out, "\n");
        line += length + 1;
    }
}

static void diagnostics(struct buffer *out, const struct case_result *result, const struct report_head *head) {
    struct buffer text = {0};
    enum outcome outcome = report_outcome(result, head->strict);
    buffer_string(out, "  ---\n");
    report_reason(&text, result);
    member(out, "message", (struct text){text.bytes, text.length});
    buffer_free(&text);
    member(out, "severity", text_of(outcome_name(outcome)));
    if (outcome_has_failure(outcome)) {
        member(out, "clause", text_of(report_clause(result)));
    }
    member(out, "file", text_of(result->scenario->file));
    report_again(&text, result, head->program, head->arguments);
    member(out, "again", (struct text){text.bytes, text.length});
    buffer_free(&text);
    report_block(&text, result, head, TAP_BLOCK_CEILING);
    if (text.length > 0) {
        literal(out, "report", (struct text){text.bytes, text.length});
    }
    buffer_free(&text);
    buffer_string(out, "  ...\n");
}

/* ---- the lines ---- */

/* In descriptions and reasons `#` would begin a directive. */
static void escaped(struct buffer *out, struct text text) {
    struct buffer safe = {0};
    visible_text(&safe, text, VISIBLE_LINE, REPORT_REASON_CEILING);
    for (size_t i = 0; i < safe.length; i++) {
        if (safe.bytes[i] == '#' || safe.bytes[i] == '\\') {
            buffer_string(out, "\\");
        }
        buffer_append(out, &safe.bytes[i], 1);
    }
    buffer_free(&safe);
}

static void directive(struct buffer *out, const char *word, const struct case_result *result) {
    struct buffer reason = {0};
    report_reason(&reason, result);
    buffer_format(out, " # %s ", word);
    escaped(out, (struct text){reason.bytes, reason.length});
    buffer_free(&reason);
}

static void one_case(struct buffer *out, const struct case_result *result, const struct report_head *head,
                     size_t number) {
    enum outcome outcome = report_outcome(result, head->strict);
    bool passed =
        outcome == OUTCOME_PASS || outcome == OUTCOME_SKIP || outcome == OUTCOME_WARNING || outcome == OUTCOME_REMARK;
    buffer_format(out, "%sok %zu - ", passed ? "" : "not ", number);
    escaped(out, text_of(result->scenario->name));
    buffer_string(out, " (");
    escaped(out, text_of(result->profile));
    buffer_string(out, ")");
    if (outcome == OUTCOME_SKIP || outcome == OUTCOME_XFAIL) {
        directive(out, outcome == OUTCOME_SKIP ? "SKIP" : "TODO", result);
    }
    buffer_string(out, "\n");
    if (outcome != OUTCOME_PASS && outcome != OUTCOME_SKIP) {
        diagnostics(out, result, head);
    }
}

/* A list of known failures with lines that mean no case fails the run, so there must be a test that is not ok. */
static size_t unmatched(struct buffer *out, const struct known *known, size_t number) {
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        if (!known->lines[i].matched) {
            buffer_format(out, "not ok %zu - line %u of the known failures means no case: ", ++number,
                          known->lines[i].line);
            escaped(out, text_of(known->lines[i].glob));
            buffer_string(out, "\n");
        }
    }
    return number;
}

void tap_report(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    buffer_string(out, "TAP version 14\n# meshspec ");
    escaped(out, text_of(head->version));
    buffer_string(out, ", target ");
    escaped(out, text_of(head->target));
    buffer_format(out, ", seed %llu\n", (unsigned long long)head->seed);
    for (size_t i = 0; i < results->count; i++) {
        one_case(out, &results->cases[i], head, i + 1);
    }
    size_t last = unmatched(out, results->unmatched, results->count);
    buffer_format(out, "1..%zu\n# ", last);
    report_verdict(out, results, head->strict);
    buffer_string(out, "\n");
}
