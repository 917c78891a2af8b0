/* Reading steps. The schema has been checked: what is left are the things that a schema cannot say. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/match/template.h"
#include "harness/scenario/loader.h"
#include "harness/scenario/verbs.h"

/* ---- patterns and templates ---------------------------------------------------------------------- */

/* Puts the file in front of "LINE:COLUMN: …". */
static bool in_file(struct loader *loader, bool good) {
    if (!good)
        error_set(loader->error, ERROR_USAGE, "%s:%s", loader->scenario->file, loader->error->text);
    return good;
}

bool loader_pattern(struct loader *loader, const struct json_value *pattern) {
    return pattern == NULL || in_file(loader, match_check(pattern, loader->error));
}

bool loader_template(struct loader *loader, const struct json_value *value) {
    return value == NULL || in_file(loader, template_check(value, loader->error));
}

static bool check_patterns(struct loader *loader, const struct json_value *list) {
    for (const struct json_value *pattern = list->first; pattern != NULL; pattern = pattern->next)
        if (!loader_pattern(loader, pattern))
            return false;
    return true;
}

/* The schema has seen that there are hex digits and blanks only. */
static bool check_bytes(struct loader *loader, const struct json_value *hex) {
    size_t digits = 0;
    if (hex->type != JSON_STRING)
        return loader_template(loader, hex);
    for (size_t i = 0; i < hex->text.length; i++)
        digits += strchr(" \t\r\n", hex->text.bytes[i]) == NULL;
    return digits % 2 == 0 || loader_fault(loader, hex->line, hex->column,
                                           "\"sends-bytes\" takes two hex digits a byte; the last byte has one");
}

static bool check_argument(struct loader *loader, const struct step *step) {
    switch (step->verb) {
    case VERB_GETS:
    case VERB_ROOM:
    case VERB_COMMITTED:
    case VERB_VIOLATED:
    case VERB_DROPPED:
    case VERB_REJECTED:
    case VERB_JOINED:
    case VERB_STALLED:
        return loader_pattern(loader, step->argument);
    case VERB_GETS_IN_ANY_ORDER:
        return check_patterns(loader, step->argument);
    case VERB_CLOSED:
        return loader_pattern(loader, json_get(step->argument, "code"));
    case VERB_SENDS_BYTES:
        return check_bytes(loader, step->argument);
    case VERB_HELLO:
    case VERB_WRITES:
    case VERB_PRESENCE:
    case VERB_SIGNAL:
    case VERB_SENDS:
    case VERB_SENDS_TEXT:
    case VERB_HYDRATE:
    case VERB_RELEASE:
    case VERB_FAIL:
        return loader_template(loader, step->argument) && loader_template(loader, step->as);
    default:
        return true;
    }
}

/* ---- actors ------------------------------------------------------------------------------------ */

static bool is_listed(const struct loader *loader, struct text name) {
    for (size_t i = 0; i < loader->scenario->client_count; i++)
        if (text_equal(loader->scenario->clients[i].name, name))
            return true;
    return false;
}

static bool has_joined(const struct loader *loader, struct text name) {
    for (size_t i = 0; i < loader->joined_count; i++)
        if (text_equal(loader->joined[i], name))
            return true;
    return false;
}

static bool unknown_client(struct loader *loader, struct text name, uint32_t line, uint32_t column, bool as_actor) {
    static const char *const others[] = {"relay", "clock", "race", "either", "repeat"};
    size_t listed = loader->scenario->client_count, other_count = as_actor ? sizeof(others) / sizeof(others[0]) : 0;
    const char **names = memory_zeroed(listed + other_count, sizeof(*names));
    for (size_t i = 0; i < listed; i++)
        names[i] = loader->scenario->clients[i].name.bytes;
    memcpy(names + listed, others, other_count * sizeof(*names));
    loader_unknown(loader, "client", name, line, column, names, listed + other_count);
    free(names);
    return false;
}

static bool check_join(struct loader *loader, const struct step *step) {
    const struct json_value *model = step->argument;
    if (!is_listed(loader, model->text))
        return unknown_client(loader, model->text, model->line, model->column, false);
    if (is_listed(loader, step->actor))
        return loader_fault(loader, step->line, step->column,
                            "\"%s\" is listed under clients; a new name joins as one that is listed",
                            step->actor.bytes);
    if (!has_joined(loader, step->actor)) {
        loader->joined =
            memory_room(loader->joined, loader->joined_count, &loader->joined_capacity, sizeof(*loader->joined));
        loader->joined[loader->joined_count++] = step->actor;
    }
    return true;
}

/* ---- one step ---------------------------------------------------------------------------------- */

static void read_modifiers(struct loader *loader, struct step *step, const struct json_value *map) {
    const struct json_value *room = json_get(map, "in"), *origin = json_get(map, "origin");
    const struct json_value *fragments = json_get(map, "fragments"), *answers = json_get(map, "answers");
    step->as = json_get(map, "as");
    step->binary = json_is_string(json_get(map, "frame"), "binary");
    if (room != NULL)
        step->room = room->text;
    if (origin != NULL)
        step->origin = origin->text;
    if (fragments != NULL)
        step->fragments = (int)fragments->number;
    if (answers != NULL)
        step->answers = answers->boolean;
    loader->fragments |= step->fragments > 1;
}

static bool read_verb(struct loader *loader, struct step *step, const struct json_value *what) {
    if (what->type == JSON_STRING) {
        verb_named(what->text, &step->verb);
    } else {
        step->argument = verb_in(what, &step->verb);
        read_modifiers(loader, step, what);
    }
    loader->uses[step->verb] = true;
    if (step->verb == VERB_ADVANCE)
        return loader_time(loader, step->argument, SCENARIO_ADVANCE_CEILING_MS, &step->milliseconds);
    return check_argument(loader, step);
}

/* Relays have clients, stores have not: what a scenario is about follows from its clauses. */
static bool check_family(struct loader *loader, const struct step *step, bool of_store) {
    if (of_store == loader->scenario->of_store)
        return true;
    return loader_fault(loader, step->line, step->column,
                        of_store ? "a step of the store or the provisioner belongs to scenarios whose clauses are of stores"
                                 : "the clauses are of stores: only store, provisioner and repeat can act here, not \"%.*s\"",
                        (int)step->actor.length, step->actor.bytes);
}

static bool read_actor_step(struct loader *loader, struct step *step, const struct json_value *what) {
    step->actor = what->key;
    bool of_store = text_equal(step->actor, TEXT("store")) || text_equal(step->actor, TEXT("provisioner"));
    if (!check_family(loader, step, of_store))
        return false;
    if (of_store)
        return loader_store_step(loader, step, what);
    if (!read_verb(loader, step, what))
        return false;
    bool of_client = !text_equal(step->actor, TEXT("relay")) && !text_equal(step->actor, TEXT("clock"));
    if (step->verb == VERB_JOINS_AS)
        return check_join(loader, step);
    if (of_client && !is_listed(loader, step->actor) && !has_joined(loader, step->actor))
        return unknown_client(loader, step->actor, what->key_line, what->key_column, true);
    return true;
}

/* ---- race, either, repeat ------------------------------------------------------------------------ */

static bool check_branch(struct loader *loader, const struct step_list *branch, bool is_race) {
    for (size_t i = 0; i < branch->count; i++) {
        const struct step *step = &branch->steps[i];
        if (is_race ? verb_may_race(step->verb) : verb_may_be_either(step->verb))
            continue;
        return loader_fault(loader, step->line, step->column,
                            is_race ? "\"%s\" cannot stand in a race: only sending steps and hydrate can"
                                    : "\"%s\" cannot stand in an either: only steps that look at what came can",
                            verb_name(step->verb));
    }
    return true;
}

/* The ways in which the branches' steps can be shuffled, each branch keeping its order. */
static bool check_interleavings(struct loader *loader, const struct step *step) {
    double ways = 1, placed = 0;
    for (size_t i = 0; i < step->branch_count; i++)
        for (size_t k = 1; k <= step->branches[i].count && ways <= SCENARIO_INTERLEAVINGS_CEILING; k++)
            ways = ways * ++placed / (double)k;
    return ways <= SCENARIO_INTERLEAVINGS_CEILING ||
           loader_fault(loader, step->line, step->column,
                        "this race has more than %d interleavings, and each is tried; make it shorter",
                        SCENARIO_INTERLEAVINGS_CEILING);
}

static bool read_branches(struct loader *loader, struct step *step, const struct json_value *list) {
    step->branches = arena_alloc(loader->arena, list->count * sizeof(*step->branches));
    for (const struct json_value *branch = list->first; branch != NULL; branch = branch->next) {
        struct step_list *steps = &step->branches[step->branch_count++];
        if (!loader_steps(loader, branch, steps) || !check_branch(loader, steps, step->verb == VERB_RACE))
            return false;
    }
    return step->verb != VERB_RACE || check_interleavings(loader, step);
}

static bool read_repeat(struct loader *loader, struct step *step, const struct json_value *map) {
    const struct json_value *counter = json_get(map, "counter");
    step->times = (uint64_t)json_get(map, "times")->number;
    if (counter != NULL)
        step->counter = counter->text;
    step->branches = arena_alloc(loader->arena, sizeof(*step->branches));
    step->branch_count = 1;
    return loader_steps(loader, json_get(map, "steps"), step->branches);
}

static bool read_step(struct loader *loader, const struct json_value *node, struct step *step) {
    const struct json_value *what = node->first;
    *step = (struct step){.node = node,
                          .room = TEXT("r"),
                          .actor = TEXT(""),
                          .counter = TEXT(""),
                          .answers = true,
                          .fragments = 1,
                          .line = what->key_line,
                          .column = what->key_column};
    if (!verb_named(what->key, &step->verb) || step->verb < VERB_RACE)
        return read_actor_step(loader, step, what);
    step->argument = what;
    loader->uses[step->verb] = true;
    if (loader->scenario->of_store && step->verb != VERB_REPEAT)
        return loader_fault(loader, step->line, step->column, "\"%s\" belongs to relays; a store has at-once", verb_name(step->verb));
    return step->verb == VERB_REPEAT ? read_repeat(loader, step, what) : read_branches(loader, step, what);
}

/* Recurses as deep as repeat, race and either stand in each other, which the ceiling of YAML's nesting bounds. */
bool loader_steps(struct loader *loader, const struct json_value *list, struct step_list *steps) {
    steps->steps = arena_alloc(loader->arena, list->count * sizeof(*steps->steps));
    for (const struct json_value *node = list->first; node != NULL; node = node->next)
        if (!read_step(loader, node, &steps->steps[steps->count++]))
            return false;
    return true;
}
