/* Where and on what a scenario can run. */
#include <string.h>

#include "harness/scenario/loader.h"

static const struct {
    enum verb verb;
    const char *capability;
} needed_by_verb[] = {
    {VERB_HYDRATE, "hydrate"},       {VERB_ROOM, "room"},         {VERB_COMMITTED, "commit"},
    {VERB_VIOLATED, "violation"},    {VERB_DROPPED, "drop"},      {VERB_REJECTED, "reject"},
    {VERB_JOINED, "join"},           {VERB_STALLED, "stalled"},   {VERB_HOLDS_COMMITS, "hold"},
    {VERB_UNLOAD, "unload"},         {VERB_ADVANCE, "clock"},     {VERB_RESTART, "restart"},
    {VERB_SENDS_BYTES, "binary"},    {VERB_STALLS, "stall"},
};

/* Each is a member of `policy` in the options, and a capability. */
static const char *const policies[] = {"acl", "validate", "canBump", "verifyCitations"};

#define VERB_NEEDS (sizeof(needed_by_verb) / sizeof(needed_by_verb[0]))
#define NEEDS_CEILING (VERB_NEEDS + 3 + sizeof(policies) / sizeof(policies[0]))

/* Of scenarios about stores. */
static const struct {
    enum verb first, last;
    const char *capability;
} needed_of_store[] = {
    {VERB_STORE_INSERT, VERB_STORE_STILL_HANGS, "data"},
    {VERB_STORE_REQUESTS, VERB_STORE_REQUESTS, "requests"},
    {VERB_STORE_FAULTS, VERB_STORE_FAULTS, "faults"},
    {VERB_STORE_RESTART, VERB_STORE_RESTART, "restart"},
};

#define STORE_NEEDS (sizeof(needed_of_store) / sizeof(needed_of_store[0]))

static void store_needs(struct loader *loader) {
    struct scenario *scenario = loader->scenario;
    const char **needs = arena_alloc(loader->arena, (STORE_NEEDS + 3) * sizeof(*needs));
    size_t count = 0;
    if (!scenario->any_app)
        needs[count++] = "fresh";
    if (scenario->options != NULL)
        needs[count++] = "options";
    for (size_t i = 0; i < STORE_NEEDS; i++) {
        bool used = false;
        for (enum verb verb = needed_of_store[i].first; verb <= needed_of_store[i].last; verb++)
            used |= loader->uses[verb];
        if (used)
            needs[count++] = needed_of_store[i].capability;
    }
    needs[count] = NULL;
    scenario->needs = needs;
}

void loader_needs(struct loader *loader) {
    if (loader->scenario->of_store) {
        store_needs(loader);
        return;
    }
    const struct json_value *options = loader->scenario->options, *policy = json_get(options, "policy");
    const char **needs = arena_alloc(loader->arena, NEEDS_CEILING * sizeof(*needs));
    size_t count = 0;
    if (options != NULL && options->count > 0)
        needs[count++] = "options";
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (json_get(policy, policies[i]) != NULL)
            needs[count++] = arena_format(loader->arena, "policy.%s", policies[i]);
    for (size_t i = 0; i < VERB_NEEDS; i++)
        if (loader->uses[needed_by_verb[i].verb])
            needs[count++] = needed_by_verb[i].capability;
    if (loader->fragments)
        needs[count++] = "fragments";
    needs[count] = NULL;
    loader->scenario->needs = needs;
}

const char *const *scenario_needs(struct scenario *scenario) {
    return scenario->needs;
}

bool scenario_in_profile(const struct scenario *scenario, const char *profile) {
    bool valid, is_version = strcmp(profile, PROFILE_STORE) != 0;
    for (size_t i = 0; is_version && i < scenario->range_count; i++)
        if (version_in_range(profile, scenario->ranges[i], &valid))
            return true;
    if (scenario->range_count > 0)
        return false;
    for (size_t i = 0; i < scenario->clause_count; i++)
        if (!clause_holds(scenario->clauses[i], profile))
            return false;
    return true;
}
