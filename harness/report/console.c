#include "harness/report/console.h"

#include "harness/report/report.h"
#include "harness/report/visible.h"

#define CONSOLE_TRACE_ENDS 500 /* lines of a transcript that are shown at either end, besides the one that the failure is about */

enum colour { PLAIN, BOLD, DIM, RED, GREEN, YELLOW, CYAN };

static const char *escape(const struct console_style *style, enum colour colour) {
    static const char *const codes[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                        "\033[32m", "\033[33m", "\033[36m"};
    return style->colour ? codes[colour] : "";
}

static void heading(struct buffer *out, const struct case_result *result, const struct console_style *style) {
    const char *word = "FAIL";
    enum colour colour = RED;
    if (result->verdict == VERDICT_ERROR) {
        word = "ERROR";
    } else if (result->verdict == VERDICT_XPASS) {
        word = "XPASS";
    } else if (!case_counts(result, style->strict)) {
        word = scenario_level(result->scenario) == CLAUSE_SHOULD ? "WARN" : "NOTE";
        colour = YELLOW;
    }
    buffer_format(out, "%s%s%s %s%s%s  (%s, %s)\n", escape(style, colour), word, escape(style, PLAIN),
                  escape(style, BOLD), result->scenario->name, escape(style, PLAIN), result->profile, result->target);
    buffer_string(out, "  ");
    visible_text(out, result->scenario->title, VISIBLE_LINE, CONSOLE_VALUE_CEILING);
    buffer_string(out, "\n");
}

static void clauses(struct buffer *out, const struct case_result *result, const struct console_style *style) {
    const struct scenario *scenario = result->scenario;
    for (size_t i = 0; i < scenario->clause_count; i++) {
        const struct clause *clause = scenario->clauses[i];
        if (!report_judged_by(result, clause))
            continue;
        buffer_format(out, "  %s%s %s%s: %s\n", escape(style, CYAN), clause_level_name(clause->level), clause->id,
                      escape(style, PLAIN), clause->text);
    }
}

static void named(struct buffer *out, const char *name, struct text text) {
    if (text.bytes != NULL) {
        buffer_format(out, "    %-7s ", name);
        visible_text(out, text, VISIBLE_LINE, CONSOLE_VALUE_CEILING);
        buffer_string(out, "\n");
    }
}

static void failure(struct buffer *out, const struct case_result *result) {
    const struct failure *failure = &result->failure;
    buffer_format(out, "  %s", result->scenario->file);
    if (failure->line > 0) {
        buffer_format(out, ":%u:%u", failure->line, failure->column);
    }
    buffer_string(out, ": ");
    visible_text(out, failure->message, VISIBLE_LINE, CONSOLE_REASON_CEILING);
    buffer_string(out, "\n");
    for (const struct difference *difference = failure->differences; difference != NULL;
         difference = difference->next) {
        buffer_string(out, "    ");
        struct buffer line = {0};
        difference_print(&line, difference);
        visible_text(out, (struct text){line.bytes, line.length}, VISIBLE_LINE, line.length);
        buffer_free(&line);
        if (difference->line > 0 && difference->line != failure->line) {
            buffer_format(out, "  (line %u)", difference->line);
        }
        buffer_string(out, "\n");
    }
    if (failure->rule != NULL) {
        buffer_format(out, "    rule    %s\n", failure->rule);
    }
    named(out, "wanted", failure->wanted);
    named(out, "came", failure->came);
}

static const char *arrow(enum trace_kind kind) {
    switch (kind) {
    case TRACE_SENT:
        return "→";
    case TRACE_RECEIVED:
        return "←";
    case TRACE_CLOSED:
        return "✕ closed by the relay";
    case TRACE_LEFT:
        return "✕ leaves";
    case TRACE_CONNECTED:
        return "connects as";
    case TRACE_OBSERVED:
        return "observed";
    case TRACE_HYDRATED:
        return "hydrated";
    case TRACE_RESTARTED:
        return "starts anew";
    default:
        return "";
    }
}

/* "1 case", "2 cases". */
static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

static void trace_line(struct buffer *out, const struct trace_entry *entry, const struct console_style *style) {
    buffer_format(out, "   %s%8.1f ms  %-8.*s %s", entry->unexpected ? escape(style, RED) : escape(style, DIM),
                  (double)entry->elapsed_us / 1000.0, (int)entry->actor.length, entry->actor.bytes, arrow(entry->kind));
    if (entry->text.length > 0 && arrow(entry->kind)[0] != '\0') {
        buffer_string(out, " ");
    }
    visible_text(out, entry->text, VISIBLE_LINE, CONSOLE_TEXT_CEILING);
    if (entry->line > 0) {
        buffer_format(out, "  (line %u)", entry->line);
    }
    buffer_format(out, "%s%s\n", entry->unexpected ? "  ◀ this one" : "", escape(style, PLAIN));
}

static void transcript(struct buffer *out, const struct case_result *result, const struct console_style *style) {
    if (result->trace == NULL) {
        return;
    }
    size_t count = 0, number = 0, left_out = 0;
    for (const struct trace_entry *entry = result->trace; entry != NULL; entry = entry->next) {
        count++;
    }
    buffer_string(out, "  transcript\n");
    for (const struct trace_entry *entry = result->trace; entry != NULL; entry = entry->next, number++) {
        bool shown = number < CONSOLE_TRACE_ENDS || number + CONSOLE_TRACE_ENDS >= count || entry->unexpected;
        left_out += !shown;
        if (shown && left_out > 0) {
            buffer_format(out, "              … %zu more\n", left_out);
            left_out = 0;
        }
        if (shown) {
            trace_line(out, entry, style);
        }
    }
}

static void reruns(struct buffer *out, const struct case_result *result) {
    if (result->runs > 0) {
        buffer_format(out, "  %s: failed %u of %u times\n", result->failed_runs == result->runs ? "stable" : "FLAKY",
                      result->failed_runs, result->runs);
    }
}

void console_case(struct buffer *out, const struct case_result *result, const struct console_style *style) {
    if (result->verdict == VERDICT_PASS || result->verdict == VERDICT_SKIP || result->verdict == VERDICT_XFAIL) {
        return;
    }
    heading(out, result, style);
    if (result->verdict == VERDICT_XPASS) {
        buffer_format(out, "  it passes, but is listed as known to fail: %s\n\n", result->known);
        return;
    }
    clauses(out, result, style);
    if (result->verdict == VERDICT_ERROR) {
        buffer_format(out, "  %s: ", result->scenario->file);
        visible_text(out, result->reason, VISIBLE_LINE, CONSOLE_REASON_CEILING);
        buffer_string(out, "\n");
    } else {
        failure(out, result);
    }
    transcript(out, result, style);
    reruns(out, result);
    buffer_string(out, "  again: ");
    report_again(out, result, style->program, style->arguments);
    buffer_string(out, "\n\n");
}

static bool named_before(const struct suite_results *results, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (results->cases[i].verdict == VERDICT_SKIP &&
            text_equal(results->cases[i].reason, results->cases[index].reason)) {
            return true;
        }
    }
    return false;
}

static void skips(struct buffer *out, const struct suite_results *results, const struct console_style *style) {
    for (size_t i = 0; i < results->count; i++) {
        const struct case_result *result = &results->cases[i];
        if (result->verdict != VERDICT_SKIP || named_before(results, i)) {
            continue;
        }
        size_t same = 0;
        for (size_t j = i; j < results->count; j++) {
            same += results->cases[j].verdict == VERDICT_SKIP && text_equal(results->cases[j].reason, result->reason);
        }
        buffer_format(out, "%sskipped %zu: %s", escape(style, YELLOW), same, escape(style, PLAIN));
        visible_text(out, result->reason, VISIBLE_LINE, REPORT_REASON_CEILING);
        buffer_format(out, " (%s%s)\n", result->scenario->name, same > 1 ? ", …" : "");
    }
}

static void unmatched(struct buffer *out, const struct known *known, const struct console_style *style) {
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        if (!known->lines[i].matched) {
            buffer_format(out, "%sline %u of the known failures means no case:%s %s\n", escape(style, RED),
                          known->lines[i].line, escape(style, PLAIN), known->lines[i].glob);
        }
    }
}

static void more_counts(struct buffer *out, const struct suite_results *results) {
    if (results->warnings + results->remarks > 0) {
        buffer_format(out, " (%zu warning%s, %zu remark%s)", results->warnings, plural(results->warnings), results->remarks,
                      plural(results->remarks));
    }
    if (results->flaky > 0) {
        buffer_format(out, " (%zu flaky)", results->flaky);
    }
    if (results->xfailed + results->xpassed > 0) {
        buffer_format(out, ", %zu failed as known, %zu passed against the list", results->xfailed, results->xpassed);
    }
}

void console_summary(struct buffer *out, const struct suite_results *results, const struct console_style *style) {
    skips(out, results, style);
    unmatched(out, results->unmatched, style);
    bool green = suite_exit(results, style->strict) == ERROR_NONE;
    buffer_format(out, "%s%zu case%s%s: %zu passed, %zu failed", escape(style, green ? GREEN : RED), results->count,
                  plural(results->count), escape(style, PLAIN), results->passed, results->failed);
    more_counts(out, results);
    buffer_format(out, ", %zu skipped, %zu error%s, in %.2f s\n", results->skipped, results->errors,
                  plural(results->errors), (double)results->duration_us / 1e6);
    if (results->count > 0 && suite_judged(results) == 0) {
        buffer_string(out, "nothing could be judged\n");
    }
}
