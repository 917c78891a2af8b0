/* What a matrix says in words, whatever the form of the page. */
#include <string.h>

#include "harness/matrix/collect.h"

static const struct matrix_state_look looks[MATRIX_STATE_COUNT] = {
    {"fail", "✗", "fail", "❌", "a MUST (with --strict also a SHOULD) is broken"},
    {"error", "‼", "error", "💥", "the target died or hung, so a case could not be judged"},
    {"xpass", "⇄", "list", "🔁", "it passes, though it is listed as known to fail"},
    {"warning", "!", "warn", "⚠️", "a SHOULD is not kept"},
    {"remark", "i", "remark", "ℹ️", "a MAY is done otherwise"},
    {"xfail", "≈", "known", "🟠", "it is listed as known to fail, and does"},
    {"partly", "◐", "part", "◐", "all that was played passed, but some was skipped"},
    {"pass", "✓", "pass", "✅", "every case passed"},
    {"skip", "»", "skip", "⏭️", "skipped: the target lacks what the cases need"},
    {"not-run", "○", "not run", "⚪", "no case was played"},
    {"not-available", "∅", "n/a", "🚫", "not available: the target is not there"},
    {"no-rule", "–", "", "–", "the rule does not hold in this profile"},
};

const struct matrix_state_look *matrix_look(enum matrix_state state) {
    return &looks[state];
}

enum matrix_state matrix_state_of(enum outcome outcome) {
    static const enum matrix_state states[OUTCOME_COUNT] = {MATRIX_FAIL,   MATRIX_ERROR, MATRIX_XPASS, MATRIX_WARNING,
                                                            MATRIX_REMARK, MATRIX_XFAIL, MATRIX_SKIP,  MATRIX_PASS};
    return states[outcome];
}

void matrix_case_id(struct buffer *out, size_t run_index, size_t case_index) {
    buffer_format(out, "case-%zu-%zu", run_index + 1, case_index + 1);
}

/* Only what needs no quoting anywhere. */
static void append_slug(struct buffer *out, const char *name) {
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    bool plain = false;
    for (; *name != '\0'; name++) {
        bool good = strchr(harmless, *name) != NULL;
        buffer_append(out, good ? name : "-", good || plain);
        plain = good;
    }
}

void matrix_report_file(struct buffer *out, const char *folder, const struct matrix_run *run, size_t run_index) {
    buffer_format(out, "%s/%zu-", folder, run_index + 1);
    append_slug(out, run->name);
    if (run->transport[0] != '\0') {
        buffer_string(out, "-");
        append_slug(out, run->transport);
    }
    buffer_string(out, ".html");
}

void matrix_column_name(struct buffer *out, const struct matrix_column *column) {
    buffer_string(out, column->run->name);
    if (column->run->transport[0] != '\0') {
        buffer_format(out, ", %s", column->run->transport);
    }
    buffer_format(out, ", %s", column->profile);
}

void matrix_cell_words(struct buffer *out, const struct matrix_cell *cell, const struct matrix_column *column) {
    static const char *const names[OUTCOME_COUNT] = {"failed",  "in error", "passed against the list", "warned of",
                                                     "remarks", "known to fail", "skipped", "passed"};
    size_t all = matrix_cases(cell), told = 0;
    if (all == 0) {
        buffer_string(out, matrix_look(cell->state)->meaning);
        if (cell->state == MATRIX_NOT_AVAILABLE) {
            buffer_format(out, ": %s", column->run->unavailable);
        }
        return;
    }
    buffer_format(out, "of %zu case%s ", all, all == 1 ? "" : "s");
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        if (cell->counts[i] > 0) {
            buffer_format(out, "%s%zu %s", told++ == 0 ? "" : ", ", cell->counts[i], names[i]);
        }
    }
}

static bool has_judged(const struct matrix *matrix) {
    for (size_t i = 0; i < matrix->run_count; i++) {
        if (suite_judged(&matrix->runs[i].results) > 0) {
            return true;
        }
    }
    return false;
}

static enum error_code exit_of(const struct matrix_run *run, bool strict) {
    if (run->unavailable != NULL) {
        return run->optional ? ERROR_NONE : ERROR_TARGET;
    }
    enum error_code code = run->results.count == 0 ? ERROR_NONE : suite_exit(&run->results, strict);
    return code == ERROR_NONE && run->ended_badly != NULL ? ERROR_TARGET : code;
}

enum error_code matrix_exit(const struct matrix *matrix) {
    enum error_code code = has_judged(matrix) ? ERROR_NONE : ERROR_TARGET;
    for (size_t i = 0; i < matrix->run_count; i++) {
        enum error_code one = exit_of(&matrix->runs[i], matrix->strict);
        if (one == ERROR_FAILED) {
            return ERROR_FAILED;
        }
        code = one != ERROR_NONE ? one : code;
    }
    return code;
}

static bool has_unavailable(const struct matrix *matrix) {
    for (size_t i = 0; i < matrix->run_count; i++) {
        if (matrix->runs[i].unavailable != NULL) {
            return true;
        }
    }
    return false;
}

const char *matrix_headline(const struct matrix *matrix) {
    switch (matrix_exit(matrix)) {
    case ERROR_NONE:
        return has_unavailable(matrix) ? "as expected, where it was available" : "all as expected";
    case ERROR_FAILED:
        return "not all as the rules say";
    default:
        return has_judged(matrix) ? "not everything could be judged" : "nothing could be judged";
    }
}
