#include "tools/provision/report.h"

/* Control characters from a store or a file must not reach a terminal. Newlines of ours are added after this. */
static void add_shown(struct builder *out, struct text text) {
    for (size_t at = 0; at < text.length;) {
        size_t length = utf8_length(text.bytes + at, text.length - at);
        unsigned char first = (unsigned char)text.bytes[at];
        bool control = length == 0 || first < 0x20 || first == 0x7F ||
                       (length == 2 && first == 0xC2 && (unsigned char)text.bytes[at + 1] < 0xA0);
        if (control)
            builder_add_string(out, "?");
        else
            builder_add(out, (struct text){text.bytes + at, length});
        at += length == 0 ? 1 : length;
    }
}

static void add_line(struct builder *out, const char *label, struct text text) {
    builder_add_string(out, label);
    add_shown(out, text);
    builder_add_string(out, "\n");
}

/* A list of names, which keep the quotes that they have as JSON strings; nothing when it is empty. */
static void add_names(struct builder *out, const char *label, const struct text_list *list) {
    if (list->count == 0) return;
    builder_add_string(out, label);
    for (size_t i = 0; i < list->count; i++) {
        builder_add_string(out, i == 0 ? "" : ", ");
        add_shown(out, list->items[i]);
    }
    builder_add_string(out, "\n");
}

static const char *explain_state(enum store_state state) {
    switch (state) {
    case STATE_NO_SCHEMA: return "no_schema: nothing is deployed yet\n";
    case STATE_SCHEMA_DRIFT: return "schema_drift: the store has other tables in the app's namespaces than the app declares\n";
    case STATE_OUT_OF_DATE: return "schema_out_of_date: the store lacks tables of the app\n";
    case STATE_OK: break;
    }
    return "ok: the store has all tables of the app\n";
}

static void add_status(struct builder *out, const struct outcome *outcome) {
    const struct classification *found = &outcome->classification;
    builder_add_string(out, explain_state(found->state));
    if (found->state == STATE_NO_SCHEMA) return;
    add_line(out, "  head      ", outcome->head_hash);
    if (found->state == STATE_SCHEMA_DRIFT) add_names(out, "  differing ", &found->drifted);
    if (found->state == STATE_OUT_OF_DATE) add_names(out, "  missing   ", &found->missing);
}

static void add_plan(struct builder *out, const struct plan *plan) {
    builder_add_string(out, explain_state(plan->state));
    builder_format(out, "plan: nothing was written; applying it ends in \"%s\"\n", plan_outcome(plan));
    add_names(out, "  adds tables       ", &plan->tables_added);
    add_names(out, "  keeps tables      ", &plan->tables_kept);
    add_names(out, "  adds policies     ", &plan->policies_added);
    add_names(out, "  replaces policies ", &plan->policies_replaced);
    add_names(out, "  removes policies  ", &plan->policies_removed);
    add_names(out, "  keeps policies    ", &plan->policies_kept);
    if (plan->state == STATE_OK)
        builder_add_string(out, "  publishes the app's own schema again and connects it to the head, should it not be\n"
                                "  publishes no permissions: a store that is ok keeps those that it has\n");
}

struct text report_text(struct arena *arena, const struct outcome *outcome) {
    struct builder out = {.arena = arena};
    if (outcome->operation == OPERATION_STATUS) {
        add_status(&out, outcome);
    } else if (outcome->operation == OPERATION_DRY_RUN) {
        add_plan(&out, &outcome->plan);
    } else {
        builder_format(&out, "%s\n", plan_outcome(&outcome->plan));
        add_line(&out, "  head         ", outcome->head_hash);
        add_names(&out, "  added tables ", &outcome->plan.tables_added);
    }
    return builder_text(&out);
}

struct text report_problem_text(struct arena *arena, const struct problem *problem) {
    struct builder out = {.arena = arena};
    builder_format(&out, "meshspec-provision: %s: ", problem_name(problem->code));
    add_shown(&out, problem->message);
    builder_add_string(&out, "\n");
    if (problem->code == PROBLEM_OUTSIDE_NAMESPACE && problem->tables.count > 1) add_names(&out, "  all of them: ", &problem->tables);
    return builder_text(&out);
}
