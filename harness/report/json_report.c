#include "harness/report/json_report.h"

static void key_string(struct buffer *out, const char *key, struct text value) {
    buffer_format(out, ",\"%s\":", key);
    json_print_string(out, value);
}

static void key_optional(struct buffer *out, const char *key, struct text value) {
    if (value.bytes != NULL) {
        key_string(out, key, value);
    }
}

static void clauses(struct buffer *out, const struct scenario *scenario) {
    buffer_string(out, ",\"clauses\":[");
    for (size_t i = 0; i < scenario->clause_count; i++) {
        const struct clause *clause = scenario->clauses[i];
        buffer_format(out, "%s{\"id\":\"%s\",\"level\":\"%s\"", i == 0 ? "" : ",", clause->id, clause_level_name(clause->level));
        key_string(out, "text", text_of(clause->text));
        buffer_string(out, "}");
    }
    buffer_string(out, "]");
}

static void differences(struct buffer *out, const struct difference *first) {
    buffer_string(out, ",\"differences\":[");
    for (const struct difference *difference = first; difference != NULL; difference = difference->next) {
        buffer_format(out, "%s{\"line\":%u,\"column\":%u", difference == first ? "" : ",", difference->line, difference->column);
        key_string(out, "path", difference->path);
        key_string(out, "wanted", difference->wanted);
        key_string(out, "came", difference->came);
        buffer_string(out, "}");
    }
    buffer_string(out, "]");
}

static void failure(struct buffer *out, const struct failure *failure) {
    buffer_format(out, ",\"failure\":{\"line\":%u,\"column\":%u", failure->line, failure->column);
    key_string(out, "message", failure->message);
    if (failure->actor.length > 0) {
        key_string(out, "actor", failure->actor);
    }
    key_optional(out, "wanted", failure->wanted);
    key_optional(out, "came", failure->came);
    if (failure->rule != NULL) {
        key_string(out, "rule", text_of(failure->rule));
    }
    differences(out, failure->differences);
    buffer_string(out, "}");
}

static void trace(struct buffer *out, const struct trace_entry *first) {
    buffer_string(out, ",\"trace\":[");
    for (const struct trace_entry *entry = first; entry != NULL; entry = entry->next) {
        buffer_format(out, "%s{\"us\":%lld,\"kind\":\"%s\",\"connection\":%d", entry == first ? "" : ",",
                      (long long)entry->elapsed_us, trace_kind_name(entry->kind), entry->connection);
        key_string(out, "actor", entry->actor);
        key_string(out, "text", entry->text);
        if (entry->line > 0) {
            buffer_format(out, ",\"line\":%u", entry->line);
        }
        buffer_string(out, entry->unexpected ? ",\"unexpected\":true}" : "}");
    }
    buffer_string(out, "]");
}

static void one_case(struct buffer *out, const struct case_result *result, bool strict) {
    buffer_string(out, "{\"name\":");
    json_print_string(out, text_of(result->scenario->name));
    key_string(out, "profile", text_of(result->profile));
    key_string(out, "target", text_of(result->target));
    key_string(out, "file", text_of(result->scenario->file));
    key_string(out, "title", result->scenario->title);
    buffer_format(out, ",\"verdict\":\"%s\",\"fails_run\":%s,\"us\":%lld,\"plays\":%u,\"seed\":\"%llu\"", verdict_name(result->verdict),
                  case_counts(result, strict) ? "true" : "false",
                  (long long)result->duration_us, result->plays, (unsigned long long)result->seed);
    clauses(out, result->scenario);
    key_optional(out, "reason", result->reason);
    if (result->known != NULL) {
        key_string(out, "known", text_of(result->known));
    }
    if (result->runs > 0) {
        buffer_format(out, ",\"runs\":%u,\"failed_runs\":%u", result->runs, result->failed_runs);
    }
    if (result->verdict == VERDICT_FAIL || result->verdict == VERDICT_XFAIL) {
        failure(out, &result->failure);
    }
    if (result->trace != NULL) {
        trace(out, result->trace);
    }
    buffer_string(out, "}");
}

void json_report(struct buffer *out, const struct suite_results *results, bool strict) {
    buffer_format(out, "{\"meshspec\":%d,\"cases\":[", JSON_REPORT_VERSION);
    for (size_t i = 0; i < results->count; i++) {
        buffer_string(out, i == 0 ? "\n" : ",\n");
        one_case(out, &results->cases[i], strict);
    }
    buffer_format(out,
                  "\n],\"summary\":{\"cases\":%zu,\"passed\":%zu,\"failed\":%zu,\"warnings\":%zu,\"remarks\":%zu,\"skipped\":%zu,"
                  "\"errors\":%zu,\"xfailed\":%zu,\"xpassed\":%zu,\"flaky\":%zu,\"us\":%lld,\"exit\":%d}}\n",
                  results->count, results->passed, results->failed, results->warnings, results->remarks, results->skipped,
                  results->errors, results->xfailed, results->xpassed, results->flaky, (long long)results->duration_us, (int)suite_exit(results, strict));
}
