/* meshspec list and meshspec lint: the scenarios themselves. */
#include "harness/command/command.h"
#include "harness/command/load.h"

/* ---- list ---- */

struct list_options {
    const char *profile;
    const char *only;
};

enum { LIST_PROFILE = 1, LIST_ONLY };

static const struct command_option list_options[] = {
    {"profile", "VERSION", "only scenarios that run in this profile", LIST_PROFILE, PROFILES_KNOWN_WORDS},
    {"only", "GLOB", "only scenarios whose name matches, such as 'join/*'", LIST_ONLY, NULL},
    {0}};

static bool take_list_option(void *context, int id, const char *argument, struct error *error) {
    (void)error;
    struct list_options *options = context;
    *(id == LIST_PROFILE ? &options->profile : &options->only) = argument;
    return true;
}

static void print_scenario(const struct scenario *scenario) {
    printf("%s\t", scenario->name);
    for (size_t i = 0; i < scenario->clause_count; i++) {
        printf("%s%s", i == 0 ? "" : ",", scenario->clauses[i]->id);
    }
    printf("\t%.*s\n", (int)scenario->title.length, scenario->title.bytes);
}

static enum error_code list(int count, char **arguments) {
    struct list_options options = {0};
    struct error error = {0};
    int first;
    enum command_parsed parsed = command_parse(&command_list, count, arguments, take_list_option, &options, &first, &error);
    if (parsed != COMMAND_GO_ON) {
        return parsed == COMMAND_DONE ? ERROR_NONE : command_fail(&error);
    }
    struct scenario_set set;
    if (!load_scenarios(&set, arguments + first, count - first, &error)) {
        return command_fail(&error);
    }
    for (size_t i = 0; i < set.count; i++) {
        const struct scenario *scenario = set.scenarios[i];
        if ((options.profile == NULL || scenario_in_profile(scenario, options.profile)) &&
            (options.only == NULL || text_glob(options.only, text_of(scenario->name)))) {
            print_scenario(scenario);
        }
    }
    scenario_set_free(&set);
    return ERROR_NONE;
}

const struct command command_list = {
    .name = "list",
    .summary = "list scenarios",
    .arguments = "[PATH…]",
    .description = "Lists scenarios, one a line: name, clauses, title, separated by tabs. PATH is a scenario file or a folder of them; without one, all are\nlisted.",
    .options = list_options,
    .exit_status = "0 listed, 2 bad usage or scenario",
    .examples = "meshspec list\nmeshspec list --profile 0.1.0 --only 'join/*'",
    .run = list};

/* ---- lint ---- */

static const struct command_option lint_options[] = {{0}};

static bool take_nothing(void *context, int id, const char *argument, struct error *error) {
    (void)context;
    (void)id;
    (void)argument;
    (void)error;
    return true;
}

static enum error_code lint(int count, char **arguments) {
    struct error error = {0};
    int first;
    enum command_parsed parsed = command_parse(&command_lint, count, arguments, take_nothing, NULL, &first, &error);
    if (parsed != COMMAND_GO_ON) {
        return parsed == COMMAND_DONE ? ERROR_NONE : command_fail(&error);
    }
    struct scenario_set set;
    if (!load_scenarios(&set, arguments + first, count - first, &error)) {
        return command_fail(&error);
    }
    printf("%zu scenario%s in order\n", set.count, set.count == 1 ? " is" : "s are");
    scenario_set_free(&set);
    return ERROR_NONE;
}

const struct command command_lint = {
    .name = "lint",
    .summary = "check scenario files",
    .arguments = "[PATH…]",
    .description = "Checks scenario files: YAML, the format (scenarios/FORMAT.md), clauses, clients, patterns. Every fault is named with file, line and\n"
                   "column. Without a PATH all scenarios are checked but for the selftest's.",
    .options = lint_options,
    .exit_status = "0 all are in order, 2 some are not",
    .examples = "meshspec lint\nmeshspec lint scenarios/join scenarios/selftest",
    .run = lint};
