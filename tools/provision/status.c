#include "tools/provision/status.h"

const char *state_name(enum store_state state) {
    switch (state) {
    case STATE_NO_SCHEMA: return "no_schema";
    case STATE_SCHEMA_DRIFT: return "schema_drift";
    case STATE_OUT_OF_DATE: return "schema_out_of_date";
    case STATE_OK: break;
    }
    return "ok";
}

static void compare_slice(struct arena *arena, const struct slice *slice, struct json stored, struct classification *found) {
    for (struct json table = json_first(slice->tables); json_present(table); table = json_next(table)) {
        struct json other = json_member_named(stored, json_key(arena, table));
        if (!json_present(other))
            text_list_add(arena, &found->missing, json_raw_key(table));
        else if (!tables_same(arena, table, other))
            text_list_add(arena, &found->drifted, json_raw_key(table));
    }
}

/* A stored table in one of the app's namespaces that the app does not declare; tables of others never matter (status.siblings). */
static void find_undeclared(struct arena *arena, const struct slice *slice, struct json stored, struct classification *found) {
    for (struct json table = json_first(stored); json_present(table); table = json_next(table)) {
        struct text name = json_key(arena, table);
        if (slice_owns(slice, name) && !json_present(json_member_named(slice->tables, name)))
            text_list_add(arena, &found->drifted, json_raw_key(table));
    }
}

struct classification classify(struct arena *arena, const struct slice *slice, const struct deployment *deployment) {
    struct classification found = {.state = STATE_NO_SCHEMA};
    if (!deployment->deployed) return found;
    compare_slice(arena, slice, deployment->tables, &found);
    find_undeclared(arena, slice, deployment->tables, &found);
    /* status.states: drift before out of date. */
    if (found.drifted.count > 0)
        found.state = STATE_SCHEMA_DRIFT;
    else
        found.state = found.missing.count > 0 ? STATE_OUT_OF_DATE : STATE_OK;
    return found;
}
