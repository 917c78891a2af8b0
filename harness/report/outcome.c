#include <string.h>

#include "harness/report/report.h"
#include "harness/report/visible.h"

enum outcome report_outcome(const struct case_result *result, bool strict) {
    switch (result->verdict) {
    case VERDICT_PASS:
        return OUTCOME_PASS;
    case VERDICT_SKIP:
        return OUTCOME_SKIP;
    case VERDICT_ERROR:
        return OUTCOME_ERROR;
    case VERDICT_XFAIL:
        return OUTCOME_XFAIL;
    case VERDICT_XPASS:
        return OUTCOME_XPASS;
    default:
        break;
    }
    if (case_counts(result, strict)) {
        return OUTCOME_FAIL;
    }
    return scenario_level(result->scenario) == CLAUSE_SHOULD ? OUTCOME_WARNING : OUTCOME_REMARK;
}

const char *outcome_name(enum outcome outcome) {
    static const char *const names[OUTCOME_COUNT] = {"fail",   "error", "xpass", "warning",
                                                     "remark", "xfail", "skip",  "pass"};
    return names[outcome];
}

bool outcome_has_failure(enum outcome outcome) {
    return outcome == OUTCOME_FAIL || outcome == OUTCOME_WARNING || outcome == OUTCOME_REMARK ||
           outcome == OUTCOME_XFAIL;
}

struct text report_area(const struct scenario *scenario) {
    const char *slash = strchr(scenario->name, '/');
    return slash == NULL ? text_of(scenario->name) : (struct text){scenario->name, (size_t)(slash - scenario->name)};
}

bool report_judged_by(const struct case_result *result, const struct clause *clause) {
    return clause_holds(clause, result->profile);
}

const char *report_clause(const struct case_result *result) {
    const struct scenario *scenario = result->scenario;
    if (result->failure.rule != NULL) {
        return result->failure.rule;
    }
    for (size_t i = 0; i < scenario->clause_count; i++) {
        const struct clause *clause = scenario->clauses[i];
        if (report_judged_by(result, clause) &&
            (clause->level == scenario_level(scenario) || clause->level == CLAUSE_FREE)) {
            return clause->id;
        }
    }
    return "";
}

/* The difference that is shown in one line: the first, for the others are mostly its company. */
static void first_difference(struct buffer *out, const struct difference *difference) {
    struct buffer line = {0};
    buffer_string(&line, ": ");
    difference_print(&line, difference);
    visible_text(out, (struct text){line.bytes, line.length}, VISIBLE_LINE, REPORT_DIFFERENCE_CEILING);
    buffer_free(&line);
}

void report_reason(struct buffer *out, const struct case_result *result) {
    switch (result->verdict) {
    case VERDICT_PASS:
        break;
    case VERDICT_SKIP:
    case VERDICT_ERROR:
        visible_text(out, result->reason, VISIBLE_LINE, REPORT_REASON_CEILING);
        break;
    case VERDICT_XFAIL:
        buffer_string(out, "known to fail: ");
        visible_text(out, text_of(result->known), VISIBLE_LINE, REPORT_REASON_CEILING);
        break;
    case VERDICT_XPASS:
        buffer_string(out, "it passes, but is listed as known to fail: ");
        visible_text(out, text_of(result->known), VISIBLE_LINE, REPORT_REASON_CEILING);
        break;
    case VERDICT_FAIL:
        visible_text(out, result->failure.message, VISIBLE_LINE, REPORT_REASON_CEILING);
        if (result->failure.differences != NULL) {
            first_difference(out, result->failure.differences);
        }
        break;
    }
}

void report_shell_word(struct buffer *out, const char *word) {
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
    if (*word != '\0' && word[strspn(word, harmless)] == '\0') {
        buffer_string(out, word);
        return;
    }
    buffer_string(out, "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            buffer_string(out, "'\\''");
        } else {
            buffer_append(out, word, 1);
        }
    }
    buffer_string(out, "'");
}

void report_again(struct buffer *out, const struct case_result *result, const char *program, const char *arguments) {
    report_shell_word(out, program);
    buffer_format(out, " run%s%s --profile ", arguments[0] == '\0' ? "" : " ", arguments);
    report_shell_word(out, result->profile);
    if (result->seeded) {
        buffer_format(out, " --seed %llu", (unsigned long long)result->seed);
    }
    buffer_string(out, " ");
    report_shell_word(out, result->scenario->file);
}

static bool has_outcome(const struct suite_results *results, bool strict, enum outcome outcome) {
    for (size_t i = 0; i < results->count; i++) {
        if (report_outcome(&results->cases[i], strict) == outcome) {
            return true;
        }
    }
    return false;
}

const char *report_headline(const struct suite_results *results, bool strict) {
    switch (suite_exit(results, strict)) {
    case ERROR_NONE:
        return has_outcome(results, strict, OUTCOME_WARNING) ? "as expected, with warnings" : "all as expected";
    case ERROR_FAILED:
        return has_outcome(results, strict, OUTCOME_FAIL) ? "not as the protocol says"
                                                          : "the list of known failures is not true";
    default:
        return suite_judged(results) == 0 ? "nothing could be judged" : "not everything could be judged";
    }
}

/* "1 case", "2 cases". */
static void counted(struct buffer *out, const char *before, size_t count, const char *one, const char *many) {
    buffer_format(out, "%s%zu %s", before, count, count == 1 ? one : many);
}

void report_verdict(struct buffer *out, const struct suite_results *results, bool strict) {
    size_t counts[OUTCOME_COUNT] = {0};
    for (size_t i = 0; i < results->count; i++) {
        counts[report_outcome(&results->cases[i], strict)]++;
    }
    counted(out, "", results->count, "case", "cases");
    buffer_format(out, ": %zu passed, %zu failed", counts[OUTCOME_PASS], counts[OUTCOME_FAIL]);
    static const struct {
        enum outcome outcome;
        const char *one, *many;
    } others[] = {{OUTCOME_ERROR, "error", "errors"},
                  {OUTCOME_XPASS, "passed against the list", "passed against the list"},
                  {OUTCOME_WARNING, "warning", "warnings"},
                  {OUTCOME_REMARK, "remark", "remarks"},
                  {OUTCOME_XFAIL, "failed as known", "failed as known"},
                  {OUTCOME_SKIP, "skipped", "skipped"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (counts[others[i].outcome] > 0) {
            counted(out, ", ", counts[others[i].outcome], others[i].one, others[i].many);
        }
    }
    buffer_format(out, ", in %.2f s", (double)results->duration_us / 1e6);
}
