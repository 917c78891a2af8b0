#include "harness/report/json_report.h"

/* ---- members; each appends a comma first, so an object's first member is written by hand ---- */

static void string(struct buffer *out, struct text value, const struct json_limits *limits) {
    struct buffer safe = {0};
    visible_text(&safe, value, limits->what, limits->text);
    json_print_string(out, (struct text){safe.bytes, safe.length});
    buffer_free(&safe);
}

static void key_text(struct buffer *out, const char *key, struct text value, const struct json_limits *limits) {
    buffer_format(out, ",\"%s\":", key);
    string(out, value, limits);
}

static void key_string(struct buffer *out, const char *key, const char *value, const struct json_limits *limits) {
    key_text(out, key, text_of(value), limits);
}

static void key_optional(struct buffer *out, const char *key, struct text value, const struct json_limits *limits) {
    if (value.bytes != NULL) {
        key_text(out, key, value, limits);
    }
}

/* ---- one case ---- */

static void clauses(struct buffer *out, const struct case_result *result, const struct json_limits *limits) {
    const struct scenario *scenario = result->scenario;
    const char *comma = "";
    buffer_string(out, ",\"clauses\":[");
    for (size_t i = 0; i < scenario->clause_count; i++) {
        const struct clause *clause = scenario->clauses[i];
        if (!report_judged_by(result, clause)) {
            continue;
        }
        buffer_format(out, "%s{\"level\":\"%s\"", comma, clause_level_name(clause->level));
        comma = ",";
        key_string(out, "id", clause->id, limits);
        key_string(out, "text", clause->text, limits);
        buffer_string(out, "}");
    }
    buffer_string(out, "]");
}

static void differences(struct buffer *out, const struct difference *first, const struct json_limits *limits) {
    buffer_string(out, ",\"differences\":[");
    for (const struct difference *difference = first; difference != NULL; difference = difference->next) {
        buffer_format(out, "%s{\"line\":%u,\"column\":%u", difference == first ? "" : ",", difference->line,
                      difference->column);
        key_text(out, "path", difference->path, limits);
        key_text(out, "wanted", difference->wanted, limits);
        key_text(out, "came", difference->came, limits);
        buffer_string(out, "}");
    }
    buffer_string(out, "]");
}

static void failure(struct buffer *out, const struct failure *failure, const struct json_limits *limits) {
    buffer_format(out, ",\"failure\":{\"line\":%u,\"column\":%u", failure->line, failure->column);
    key_text(out, "message", failure->message, limits);
    if (failure->actor.length > 0) {
        key_text(out, "actor", failure->actor, limits);
    }
    key_optional(out, "wanted", failure->wanted, limits);
    key_optional(out, "came", failure->came, limits);
    if (failure->rule != NULL) {
        key_string(out, "rule", failure->rule, limits);
    }
    differences(out, failure->differences, limits);
    buffer_string(out, "}");
}

static void trace_entry(struct buffer *out, const struct trace_entry *entry, size_t left_out,
                        const struct json_limits *limits) {
    buffer_format(out, "{\"us\":%lld,\"kind\":\"%s\",\"connection\":%d", (long long)entry->elapsed_us,
                  trace_kind_name(entry->kind), entry->connection);
    key_text(out, "actor", entry->actor, limits);
    key_text(out, "text", entry->text, limits);
    if (entry->text.length > limits->text) {
        buffer_format(out, ",\"bytes\":%zu", entry->text.length);
    }
    if (entry->line > 0) {
        buffer_format(out, ",\"line\":%u", entry->line);
    }
    if (left_out > 0) {
        buffer_format(out, ",\"left_out\":%zu", left_out);
    }
    buffer_string(out, entry->unexpected ? ",\"unexpected\":true}" : "}");
}

struct trace_shape {
    size_t count;
    size_t unexpected; /* the index of what the failure is about; SIZE_MAX: nothing */
};

static struct trace_shape shape_of(const struct trace_entry *first) {
    struct trace_shape shape = {0, SIZE_MAX};
    for (const struct trace_entry *entry = first; entry != NULL; entry = entry->next, shape.count++) {
        if (entry->unexpected && shape.unexpected == SIZE_MAX) {
            shape.unexpected = shape.count;
        }
    }
    return shape;
}

/* How it began, how it ended, and the neighbourhood of what the failure is about. */
static bool is_kept(size_t index, struct trace_shape shape, size_t limit) {
    return shape.count <= limit || index < limit / 4 || index >= shape.count - limit / 2 ||
           (shape.unexpected != SIZE_MAX && index + limit / 8 >= shape.unexpected &&
            index <= shape.unexpected + limit / 8);
}

static void trace(struct buffer *out, const struct trace_entry *first, const struct json_limits *limits) {
    struct trace_shape shape = shape_of(first);
    size_t index = 0, left_out = 0, written = 0;
    buffer_string(out, ",\"trace\":[");
    for (const struct trace_entry *entry = first; entry != NULL; entry = entry->next, index++) {
        if (!is_kept(index, shape, limits->entries)) {
            left_out++;
            continue;
        }
        buffer_string(out, written++ == 0 ? "" : ",");
        trace_entry(out, entry, left_out, limits);
        left_out = 0;
    }
    buffer_string(out, "]");
}

static void again(struct buffer *out, const struct case_result *result, const struct report_head *head,
                  const struct json_limits *limits) {
    struct buffer command = {0};
    report_again(&command, result, head->program, head->arguments);
    key_text(out, "again", (struct text){command.bytes, command.length}, limits);
    buffer_free(&command);
}

static void evidence(struct buffer *out, const struct case_result *result, const struct json_limits *limits) {
    key_optional(out, "reason", result->reason, limits);
    if (result->known != NULL) {
        key_string(out, "known", result->known, limits);
    }
    if (result->runs > 0) {
        buffer_format(out, ",\"runs\":%u,\"failed_runs\":%u", result->runs, result->failed_runs);
    }
    if (result->verdict == VERDICT_FAIL || result->verdict == VERDICT_XFAIL) {
        failure(out, &result->failure, limits);
    }
    if (result->trace != NULL && out->length < limits->traces) {
        trace(out, result->trace, limits);
    }
}

static void one_case(struct buffer *out, const struct case_result *result, const struct report_head *head,
                     const struct json_limits *limits) {
    const struct scenario *scenario = result->scenario;
    buffer_string(out, "{\"name\":");
    string(out, text_of(scenario->name), limits);
    key_text(out, "area", report_area(scenario), limits);
    key_string(out, "profile", result->profile, limits);
    key_string(out, "target", result->target, limits);
    key_string(out, "file", scenario->file, limits);
    key_text(out, "title", scenario->title, limits);
    buffer_format(out,
                  ",\"verdict\":\"%s\",\"outcome\":\"%s\",\"fails_run\":%s,\"us\":%lld,\"plays\":%u,\"seed\":\"%llu\"",
                  verdict_name(result->verdict), outcome_name(report_outcome(result, head->strict)),
                  case_counts(result, head->strict) ? "true" : "false", (long long)result->duration_us, result->plays,
                  (unsigned long long)result->seed);
    clauses(out, result, limits);
    again(out, result, head, limits);
    evidence(out, result, limits);
    buffer_string(out, "}");
}

/* ---- the whole ---- */

static void run_head(struct buffer *out, const struct report_head *head, const struct json_limits *limits) {
    buffer_string(out, "\"run\":{\"version\":");
    string(out, text_of(head->version), limits);
    key_string(out, "target", head->target, limits);
    buffer_string(out, ",\"profiles\":[");
    for (size_t i = 0; i < head->profile_count; i++) {
        buffer_string(out, i == 0 ? "" : ",");
        string(out, text_of(head->profiles[i]), limits);
    }
    buffer_format(out, "],\"strict\":%s,\"seed\":\"%llu\"", head->strict ? "true" : "false",
                  (unsigned long long)head->seed);
    if (head->started != NULL) {
        key_string(out, "started", head->started, limits);
    }
    buffer_string(out, "}");
}

/* Lines of the list of known failures that mean no case: they fail the run, so a reader must see them. */
static void unmatched(struct buffer *out, const struct known *known, const struct json_limits *limits) {
    size_t written = 0;
    buffer_string(out, "\"unmatched\":[");
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        const struct known_line *line = &known->lines[i];
        if (!line->matched) {
            buffer_format(out, "%s{\"line\":%u", written++ == 0 ? "" : ",", line->line);
            key_string(out, "glob", line->glob, limits);
            key_string(out, "reason", line->reason, limits);
            buffer_string(out, "}");
        }
    }
    buffer_string(out, "]");
}

static void footer(struct buffer *out, const struct suite_results *results, bool strict, size_t left_out) {
    buffer_format(
        out,
        "\"summary\":{\"cases\":%zu,\"passed\":%zu,\"failed\":%zu,\"warnings\":%zu,\"remarks\":%zu,\"skipped\":%zu,"
        "\"errors\":%zu,\"xfailed\":%zu,\"xpassed\":%zu,\"flaky\":%zu,\"left_out\":%zu,\"us\":%lld,\"exit\":%d}",
        results->count, results->passed, results->failed, results->warnings, results->remarks, results->skipped,
        results->errors, results->xfailed, results->xpassed, results->flaky, left_out, (long long)results->duration_us,
        (int)suite_exit(results, strict));
}

/* Appends the cases of one outcome (OUTCOME_COUNT: of all); returns how many are left out. */
static size_t cases(struct buffer *out, const struct suite_results *results, const struct report_head *head,
                    const struct json_limits *limits, enum outcome outcome, size_t *written) {
    size_t left_out = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct case_result *result = &results->cases[i];
        if (outcome != OUTCOME_COUNT && report_outcome(result, head->strict) != outcome) {
            continue;
        }
        if (out->length >= limits->cases) {
            left_out++;
            continue;
        }
        buffer_string(out, (*written)++ == 0 ? "\n" : ",\n");
        one_case(out, result, head, limits);
    }
    return left_out;
}

static void begin(struct buffer *out, const struct report_head *head, const struct json_limits *limits) {
    buffer_format(out, "{\"meshspec\":%d,", JSON_REPORT_VERSION);
    run_head(out, head, limits);
    buffer_string(out, ",\n\"cases\":[");
}

static void end(struct buffer *out, const struct suite_results *results, bool strict, size_t left_out,
                const struct json_limits *limits) {
    buffer_string(out, "\n],\n");
    unmatched(out, results->unmatched, limits);
    buffer_string(out, ",\n");
    footer(out, results, strict, left_out);
    buffer_string(out, "}\n");
}

void json_report(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    static const struct json_limits limits = {VISIBLE_BYTES, JSON_TEXT_CEILING, JSON_ENTRIES_CEILING,
                                              JSON_TRACES_CEILING, JSON_CASES_CEILING};
    size_t written = 0;
    begin(out, head, &limits);
    size_t left_out = cases(out, results, head, &limits, OUTCOME_COUNT, &written);
    end(out, results, head->strict, left_out, &limits);
}

void json_report_within(struct buffer *out, const struct suite_results *results, const struct report_head *head,
                        const struct json_limits *limits) {
    size_t written = 0, left_out = 0;
    begin(out, head, limits);
    for (int outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
        left_out += cases(out, results, head, limits, (enum outcome)outcome, &written);
    }
    end(out, results, head->strict, left_out, limits);
}
