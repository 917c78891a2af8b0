/* Classifying a store: how the app's slice stands to what is deployed (store-provisioning, section 3). Pure. */
#ifndef PROVISION_STATUS_H
#define PROVISION_STATUS_H

#include "tools/provision/slice.h"
#include "tools/provision/store.h"

enum store_state { STATE_NO_SCHEMA, STATE_SCHEMA_DRIFT, STATE_OUT_OF_DATE, STATE_OK };

/* "no_schema", "schema_drift", "schema_out_of_date", "ok". */
const char *state_name(enum store_state state);

struct classification {
    enum store_state state;
    struct text_list missing; /* tables of the slice that are not stored; JSON strings with quotes, in the slice's order */
    struct text_list drifted; /* tables that differ, in the slice's order, then undeclared ones in the store's */
};

/* status.states, status.column-order, status.siblings. Cannot fail. */
struct classification classify(struct arena *arena, const struct slice *slice, const struct deployment *deployment);

/*
 * Whether two tables are the same: their columns, sorted by name, agree in name, type, nullable, references, default and
 * merge strategy.
 */
bool tables_same(struct arena *arena, struct json a, struct json b);

#endif
