#include "tools/provision/plan.h"

#include "tools/provision/permissions.h"

const char *plan_outcome(const struct plan *plan) {
    switch (plan->state) {
    case STATE_NO_SCHEMA: return "created";
    case STATE_OUT_OF_DATE: return "updated";
    default: return "unchanged";
    }
}

/* ---- texts ------------------------------------------------------------------------------------- */

/* Starts a list or object, or goes on with it. */
static void add_separator(struct builder *out, const char *opening) { builder_add_string(out, out->length == 0 ? opening : ","); }

/* Adds a member as it stands in its document, name and value (provision.siblings-verbatim). */
static void add_verbatim(struct builder *out, struct json member) {
    add_separator(out, "{");
    builder_add(out, json_raw_key(member));
    builder_add_string(out, ":");
    builder_add(out, json_raw(member));
}

static void add_lens(struct builder *out, struct text table) {
    add_separator(out, "[");
    builder_add_string(out, "{\"table\":");
    builder_add(out, table);
    builder_add_string(out, ",\"added\":true,\"operations\":[]}");
}

/* Ends what `add_separator` began, which may have got nothing. */
static struct text finish(struct builder *out, const char *opening, const char *closing) {
    if (out->length == 0) builder_add_string(out, opening);
    builder_add_string(out, closing);
    return builder_text(out);
}

/* ---- tables ------------------------------------------------------------------------------------ */

static void plan_slice(struct arena *arena, const struct slice *slice, struct json stored, struct plan *plan) {
    struct builder tables = {.arena = arena};
    for (struct json table = json_first(slice->tables); json_present(table); table = json_next(table)) {
        add_verbatim(&tables, table);
        bool missing = !json_present(json_member_named(stored, json_key(arena, table)));
        if (missing) text_list_add(arena, &plan->tables_added, json_raw_key(table));
    }
    plan->slice_tables = finish(&tables, "{", "}");
}

/* The stored tables as they are, and the lenses that lead there from the slice alone. */
static void plan_stored(struct arena *arena, const struct slice *slice, struct json stored, struct builder *tables,
                        struct plan *plan) {
    struct builder lenses = {.arena = arena};
    for (struct json table = json_first(stored); json_present(table); table = json_next(table)) {
        text_list_add(arena, &plan->tables_kept, json_raw_key(table));
        add_verbatim(tables, table);
        if (!json_present(json_member_named(slice->tables, json_key(arena, table)))) add_lens(&lenses, json_raw_key(table));
    }
    plan->slice_lenses = finish(&lenses, "[", "]");
}

/* provision.append: new tables come after all stored ones. provision.confined: only they are in the merge's lenses. */
static void plan_union(struct arena *arena, const struct slice *slice, struct json stored, struct builder *tables,
                       struct plan *plan) {
    struct builder lenses = {.arena = arena};
    for (struct json table = json_first(slice->tables); json_present(table); table = json_next(table)) {
        if (json_present(json_member_named(stored, json_key(arena, table)))) continue;
        add_verbatim(tables, table);
        add_lens(&lenses, json_raw_key(table));
    }
    plan->union_tables = finish(tables, "{", "}");
    plan->merge_lenses = finish(&lenses, "[", "]");
}

/* ---- policies ---------------------------------------------------------------------------------- */

/*
 * provision.siblings-verbatim, encode.no-double: policies read back from the store are copied.
 * provision.own-policies: those of the app's namespaces are not; the app's own take their place.
 */
static void plan_stored_policies(struct arena *arena, const struct slice *slice, struct json own, struct json stored,
                                 struct builder *bundle, struct plan *plan) {
    for (struct json table = json_first(stored); json_present(table); table = json_next(table)) {
        struct text name = json_key(arena, table);
        if (!slice_owns(slice, name)) {
            add_verbatim(bundle, table);
            text_list_add(arena, &plan->policies_kept, json_raw_key(table));
        } else if (json_present(json_member_named(own, name))) {
            text_list_add(arena, &plan->policies_replaced, json_raw_key(table));
        } else {
            text_list_add(arena, &plan->policies_removed, json_raw_key(table));
        }
    }
}

static bool plan_policies(struct run *run, const struct slice *slice, struct input permissions, struct json stored,
                          struct plan *plan) {
    struct builder bundle = {.arena = run->arena}, own = {.arena = run->arena};
    plan_stored_policies(run->arena, slice, permissions.root, stored, &bundle, plan);
    for (struct json table = json_first(permissions.root); json_present(table); table = json_next(table))
        if (!json_present(json_member_named(stored, json_key(run->arena, table))))
            text_list_add(run->arena, &plan->policies_added, json_raw_key(table));
    if (!permissions_encode(run, permissions, &own)) return false;
    if (own.length > 0) {
        add_separator(&bundle, "{");
        builder_add(&bundle, builder_text(&own));
    }
    plan->permissions = finish(&bundle, "{", "}");
    return true;
}

/* A store that is ok keeps all its policies: nothing is published for it. */
static void keep_policies(struct arena *arena, struct json stored, struct plan *plan) {
    for (struct json table = json_first(stored); json_present(table); table = json_next(table))
        text_list_add(arena, &plan->policies_kept, json_raw_key(table));
}

/* ---- the plan ---------------------------------------------------------------------------------- */

static bool refuse_drift(struct run *run, const struct classification *found) {
    run->problem.tables = found->drifted;
    struct builder names = {.arena = run->arena};
    for (size_t i = 0; i < found->drifted.count; i++) {
        builder_add_string(&names, i == 0 ? "" : ", ");
        builder_add(&names, found->drifted.items[i]);
    }
    return problem_set(run, PROBLEM_SCHEMA_DRIFT, "the store has other tables in the app's namespaces than the app declares: %s",
                       builder_text(&names).bytes);
}

bool plan_make(struct run *run, const struct slice *slice, struct input permissions, const struct deployment *deployment,
               struct plan *plan) {
    struct classification found = classify(run->arena, slice, deployment);
    *plan = (struct plan){.state = found.state, .head_hash = deployment->head_hash, .parent = text_from("null")};
    if (found.state == STATE_SCHEMA_DRIFT) return refuse_drift(run, &found);
    struct json stored = deployment->tables;
    struct builder tables = {.arena = run->arena};
    plan_slice(run->arena, slice, stored, plan);
    plan_stored(run->arena, slice, stored, &tables, plan);
    if (found.state == STATE_OK) {
        keep_policies(run->arena, deployment->policies, plan);
        return true;
    }
    if (found.state == STATE_OUT_OF_DATE) {
        plan_union(run->arena, slice, stored, &tables, plan);
        plan->parent = deployment->bundle; /* provision.chained */
    }
    return plan_policies(run, slice, permissions, deployment->policies, plan);
}
