#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/diff/diff.h"
#include "harness/json/value.h"

#define FORM 1 /* of the reports that are read here: JSON_REPORT_VERSION */

static const char *const outcome_names[] = {"pass", "xpass", "xfail", "remark", "warning", "skip", "fail", "error"};

const char *diff_outcome_name(enum diff_outcome outcome) {
    return outcome_names[outcome];
}

static bool find_outcome(const struct json_value *name, enum diff_outcome *outcome) {
    for (size_t i = 0; i < sizeof outcome_names / sizeof *outcome_names; i++) {
        if (json_is_string(name, outcome_names[i])) {
            *outcome = (enum diff_outcome)i;
            return true;
        }
    }
    return false;
}

/* The text of a member; empty when it is missing or no string. */
static struct text member(const struct json_value *object, const char *key) {
    const struct json_value *value = json_get(object, key);
    return value != NULL && value->type == JSON_STRING ? value->text : (struct text){"", 0};
}

static const struct json_value *children(const struct json_value *object, const char *key) {
    const struct json_value *value = json_get(object, key);
    return value != NULL && (value->type == JSON_ARRAY || value->type == JSON_OBJECT) ? value->first : NULL;
}

/* ---- reasons ---- */

static void difference(struct buffer *reason, const struct json_value *one) {
    struct text path = member(one, "path");
    buffer_string(reason, ": ");
    buffer_text(reason, path);
    buffer_string(reason, path.length > 0 ? ": wanted " : "wanted ");
    buffer_text(reason, member(one, "wanted"));
    buffer_string(reason, ", came ");
    buffer_text(reason, member(one, "came"));
}

static void failure(struct buffer *reason, struct buffer *gist, const struct json_value *value) {
    buffer_text(reason, member(value, "message"));
    buffer_text(gist, member(value, "message"));
    const struct json_value *first = children(value, "differences");
    if (first != NULL) {
        difference(reason, first);
    }
    for (const struct json_value *one = first; one != NULL; one = one->next) {
        buffer_string(gist, "\n");
        buffer_text(gist, member(one, "path"));
        buffer_string(gist, "\n");
        buffer_text(gist, member(one, "wanted"));
    }
}

static void reruns(struct buffer *reason, const struct json_value *value) {
    const struct json_value *runs = json_get(value, "runs"), *failed = json_get(value, "failed_runs");
    if (runs != NULL && failed != NULL && runs->type == JSON_NUMBER && failed->type == JSON_NUMBER &&
        failed->number < runs->number) {
        buffer_format(reason, " (flaky: failed %.0f of %.0f times)", failed->number, runs->number);
    }
}

static struct text keep(struct arena *arena, struct buffer *buffer) {
    struct text kept = {arena_copy(arena, buffer->length > 0 ? buffer->bytes : "", buffer->length), buffer->length};
    buffer_free(buffer);
    return kept;
}

static void read_reason(struct arena *arena, struct diff_case *one, const struct json_value *value) {
    struct buffer reason = {0}, gist = {0};
    const struct json_value *what = json_get(value, "failure");
    struct text known = member(value, "known");
    if (known.length > 0) {
        buffer_string(&reason, "listed as known to fail: ");
        buffer_text(&reason, known);
        buffer_text(&gist, known);
    } else if (what != NULL) {
        failure(&reason, &gist, what);
        reruns(&reason, value);
    } else {
        buffer_text(&reason, member(value, "reason"));
        buffer_text(&gist, member(value, "reason"));
    }
    one->reason = keep(arena, &reason);
    one->gist = keep(arena, &gist);
}

/* ---- cases ---- */

static int by_key(const void *first, const void *second) {
    return diff_case_order(first, second, true);
}

static bool read_case(struct diff_report *report, const struct json_value *value, struct error *error) {
    struct diff_case *one = &report->cases[report->count];
    one->name = member(value, "name");
    one->profile = member(value, "profile");
    one->target = member(value, "target");
    if (one->name.length == 0 || !find_outcome(json_get(value, "outcome"), &one->outcome)) {
        return error_set(error, ERROR_USAGE, "%s: case %zu has no name or no outcome that is known", report->file,
                         report->count + 1);
    }
    read_reason(report->arena, one, value);
    report->several_targets = report->several_targets || !text_equal(one->target, report->cases[0].target);
    report->count++;
    return true;
}

static bool read_cases(struct diff_report *report, const struct json_value *root, struct error *error) {
    const struct json_value *cases = json_get(root, "cases");
    size_t count = cases == NULL || cases->type != JSON_ARRAY ? 0 : cases->count;
    report->cases = arena_alloc(report->arena, (count + 1) * sizeof *report->cases);
    for (const struct json_value *value = count == 0 ? NULL : cases->first; value != NULL; value = value->next) {
        if (!read_case(report, value, error)) {
            return false;
        }
    }
    qsort(report->cases, report->count, sizeof *report->cases, by_key);
    return true;
}

/* ---- the whole ---- */

static bool cut_short(const struct diff_report *report, struct error *error) {
    return error_set(error, ERROR_USAGE, "%s: the report is cut short: there is no summary at its end", report->file);
}

/* Why a text is not JSON. A report that was not written to its end is told apart: it begins like one and has no footer.
 */
static bool not_json(const struct diff_report *report, struct text text, struct error *error) {
    static const size_t footer = 2000; /* more than the summary has */
    size_t tail = text.length > footer ? text.length - footer : 0;
    if (text.length == 0) {
        return error_set(error, ERROR_USAGE, "%s: the file is empty: the run was broken off before it could write",
                         report->file);
    }
    if (text_starts_with(text, TEXT("{\"meshspec\":")) &&
        memmem(text.bytes + tail, text.length - tail, "\"exit\":", 7) == NULL) {
        return cut_short(report, error);
    }
    return error_context(error, "%s: not JSON", report->file);
}

static bool read_footer(struct diff_report *report, const struct json_value *root, struct error *error) {
    const struct json_value *summary = json_get(root, "summary"), *cases = json_get(summary, "cases");
    const struct json_value *left_out = json_get(summary, "left_out");
    if (cases == NULL || cases->type != JSON_NUMBER) {
        return cut_short(report, error);
    }
    report->left_out =
        left_out != NULL && left_out->type == JSON_NUMBER && left_out->number > 0 && left_out->number < 1e15
            ? (size_t)left_out->number
            : 0;
    if ((double)(report->count + report->left_out) != cases->number) {
        return error_set(error, ERROR_USAGE, "%s: the report lists %zu cases, its summary counts %.0f", report->file,
                         report->count + report->left_out, cases->number);
    }
    return true;
}

static bool read_report(struct diff_report *report, const struct json_value *root, struct error *error) {
    const struct json_value *form = json_get(root, "meshspec"), *run = json_get(root, "run"),
                            *strict = json_get(run, "strict");
    if (form == NULL || form->type != JSON_NUMBER) {
        return error_set(error, ERROR_USAGE, "%s: not a report that `meshspec run --json` wrote", report->file);
    }
    if (form->number != FORM) {
        return error_set(error, ERROR_USAGE, "%s: the report has form %.0f; this meshspec reads form %d", report->file,
                         form->number, FORM);
    }
    report->target = member(run, "target");
    report->version = member(run, "version");
    report->started = member(run, "started");
    report->strict = strict != NULL && strict->type == JSON_BOOLEAN && strict->boolean;
    return read_cases(report, root, error) && read_footer(report, root, error);
}

bool diff_load(struct diff_report *report, const char *file, struct error *error) {
    *report = (struct diff_report){.arena = arena_new(), .file = file};
    struct text text;
    if (!file_read(report->arena, file, DIFF_FILE_CEILING, &text, error)) {
        return false;
    }
    const struct json_value *root = json_parse(report->arena, text, error);
    return root == NULL ? not_json(report, text, error) : read_report(report, root, error);
}

void diff_report_free(struct diff_report *report) {
    arena_free(report->arena);
    *report = (struct diff_report){0};
}
