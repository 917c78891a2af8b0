/* Where and on what a scenario can run. */
#include "harness/scenario/loader.h"

static const struct {
    enum verb verb;
    const char *capability;
} needed_by_verb[] = {
    {VERB_HYDRATE, "hydrate"}, {VERB_ROOM, "room"},       {VERB_COMMITTED, "commit"},   {VERB_VIOLATED, "violation"},
    {VERB_ADVANCE, "clock"},   {VERB_RESTART, "restart"}, {VERB_SENDS_BYTES, "binary"}, {VERB_STALLS, "stall"},
};

#define VERB_NEEDS (sizeof(needed_by_verb) / sizeof(needed_by_verb[0]))
#define NEEDS_CEILING (VERB_NEEDS + 5)

void loader_needs(struct loader *loader) {
    const struct json_value *options = loader->scenario->options, *policy = json_get(options, "policy");
    const char **needs = arena_alloc(loader->arena, NEEDS_CEILING * sizeof(*needs));
    size_t count = 0;
    if (options != NULL && options->count > 0)
        needs[count++] = "options";
    if (json_get(policy, "acl") != NULL)
        needs[count++] = "policy.acl";
    if (json_get(policy, "validate") != NULL)
        needs[count++] = "policy.validate";
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
    bool valid;
    for (size_t i = 0; i < scenario->range_count; i++)
        if (version_in_range(profile, scenario->ranges[i], &valid))
            return true;
    if (scenario->range_count > 0)
        return false;
    for (size_t i = 0; i < scenario->clause_count; i++)
        if (!clause_holds(scenario->clauses[i], profile))
            return false;
    return true;
}
