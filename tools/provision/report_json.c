#include "tools/provision/report.h"

/* Adds `"name":` with a comma where one must stand. */
static void add_name(struct builder *out, const char *name) {
    bool first = out->length > 0 && out->bytes[out->length - 1] == '{';
    builder_format(out, "%s\"%s\":", first ? "" : ",", name);
}

static void add_text(struct builder *out, const char *name, struct text text) {
    if (text.bytes == NULL) return;
    add_name(out, name);
    builder_add_quoted(out, text);
}

static void add_number(struct builder *out, const char *name, unsigned long number) {
    add_name(out, name);
    builder_format(out, "%lu", number);
}

/* A list of JSON strings, which have their quotes already. */
static void add_names(struct builder *out, const char *name, const struct text_list *list) {
    add_name(out, name);
    builder_add_string(out, "[");
    for (size_t i = 0; i < list->count; i++) {
        builder_add_string(out, i == 0 ? "" : ",");
        builder_add(out, list->items[i]);
    }
    builder_add_string(out, "]");
}

static void add_status(struct builder *out, const struct outcome *outcome) {
    const struct classification *found = &outcome->classification;
    add_text(out, "state", text_from(state_name(found->state)));
    if (found->state == STATE_NO_SCHEMA) return;
    add_text(out, "headHash", outcome->head_hash);
    if (found->state == STATE_SCHEMA_DRIFT) add_names(out, "driftedTables", &found->drifted);
    if (found->state == STATE_OUT_OF_DATE) add_names(out, "missingTables", &found->missing);
}

static void add_plan(struct builder *out, const struct outcome *outcome) {
    const struct plan *plan = &outcome->plan;
    add_name(out, "plan");
    builder_add_string(out, "{");
    add_text(out, "state", text_from(state_name(plan->state)));
    add_text(out, "outcome", text_from(plan_outcome(plan)));
    add_text(out, "headHash", plan->head_hash);
    add_names(out, "tablesAdded", &plan->tables_added);
    add_names(out, "tablesKept", &plan->tables_kept);
    add_names(out, "policiesAdded", &plan->policies_added);
    add_names(out, "policiesReplaced", &plan->policies_replaced);
    add_names(out, "policiesRemoved", &plan->policies_removed);
    add_names(out, "policiesKept", &plan->policies_kept);
    builder_add_string(out, "}");
}

struct text report_json(struct arena *arena, const struct outcome *outcome) {
    struct builder out = {.arena = arena};
    builder_add_string(&out, "{\"result\":{");
    if (outcome->operation == OPERATION_STATUS) {
        add_status(&out, outcome);
    } else if (outcome->operation == OPERATION_DRY_RUN) {
        add_plan(&out, outcome);
    } else {
        add_text(&out, "status", text_from(plan_outcome(&outcome->plan)));
        add_text(&out, "headHash", outcome->head_hash);
    }
    builder_add_string(&out, "}}\n");
    return builder_text(&out);
}

struct text report_problem_json(struct arena *arena, const struct problem *problem) {
    struct builder out = {.arena = arena};
    builder_add_string(&out, "{\"error\":{");
    add_text(&out, "code", text_from(problem_name(problem->code)));
    add_text(&out, "message", problem->message);
    add_text(&out, "file", problem->file);
    if (problem->place.line > 0) {
        add_number(&out, "line", problem->place.line);
        add_number(&out, "column", problem->place.column);
    }
    add_text(&out, "path", problem->place.path);
    add_text(&out, "request", problem->request);
    if (problem->status > 0 && problem->code == PROBLEM_HTTP) add_number(&out, "status", (unsigned long)problem->status);
    if (problem->tables.count > 0) add_names(&out, "tables", &problem->tables);
    builder_add_string(&out, "}}\n");
    return builder_text(&out);
}
