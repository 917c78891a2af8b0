/* meshspec clauses: which rule is judged by which scenarios, in which profiles. */
#include <string.h>

#include "harness/command/command.h"
#include "harness/command/load.h"

enum { CLAUSES_NAMES = 1, CLAUSES_MARKDOWN };

struct clauses_options {
    bool names;    /* list the scenarios of each clause */
    bool markdown;
};

static const struct command_option options[] = {
    {"names", NULL, "name the scenarios of each clause", CLAUSES_NAMES, NULL},
    {"markdown", NULL, "write the table in Markdown", CLAUSES_MARKDOWN, NULL},
    {0}};

static bool take_option(void *context, int id, const char *argument, struct error *error) {
    (void)argument;
    (void)error;
    struct clauses_options *chosen = context;
    *(id == CLAUSES_NAMES ? &chosen->names : &chosen->markdown) = true;
    return true;
}

static bool judges(const struct scenario *scenario, const struct clause *clause) {
    for (size_t i = 0; i < scenario->clause_count; i++) {
        if (scenario->clauses[i] == clause) {
            return true;
        }
    }
    return false;
}

static size_t count_in_profile(const struct scenario_set *set, const struct clause *clause, const char *profile) {
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        count += judges(set->scenarios[i], clause) && scenario_in_profile(set->scenarios[i], profile);
    }
    return count;
}

/* history.* rules are held against the transcript of every scenario. */
static bool is_history(const struct clause *clause) {
    return strcmp(clause->area, "history") == 0;
}

/* Whether every profile in which the clause holds has a scenario for it, where the level asks for one. */
static bool print_clause(const struct scenario_set *set, const struct clause *clause, const struct clauses_options *chosen) {
    bool needed = clause->level == CLAUSE_MUST || clause->level == CLAUSE_SHOULD;
    bool covered = true;
    printf(chosen->markdown ? "| `%s` | %s |" : "%-30s %-6s", clause->id, clause_level_name(clause->level));
    for (size_t i = 0; i < PROFILES_KNOWN_COUNT; i++) {
        const char *profile = profiles_known[i];
        size_t count = count_in_profile(set, clause, profile);
        const char *cell = chosen->markdown ? " %s |" : " %6s";
        char text[32];
        snprintf(text, sizeof text, "%zu", count);
        if (!clause_holds(clause, profile)) {
            printf(cell, "-");
        } else if (is_history(clause)) {
            printf(cell, "all");
        } else {
            printf(cell, count == 0 && needed ? "NONE" : text);
            covered = covered && (count > 0 || !needed);
        }
    }
    putchar('\n');
    for (size_t i = 0; chosen->names && i < set->count; i++) {
        if (judges(set->scenarios[i], clause)) {
            printf("    %s\n", set->scenarios[i]->name);
        }
    }
    return covered;
}

static enum error_code print_table(const struct scenario_set *set, const struct clauses_options *chosen) {
    size_t missing = 0;
    printf(chosen->markdown ? "| clause | level |" : "%-30s %-6s", "clause", "level");
    for (size_t i = 0; i < PROFILES_KNOWN_COUNT; i++) {
        printf(chosen->markdown ? " %s |" : " %6s", profiles_known[i]);
    }
    fputs(chosen->markdown ? "\n|---|---|---|---|---|---|---|\n" : "\n", stdout);
    size_t count = clauses_count(set->clauses);
    for (size_t i = 0; i < count; i++) {
        missing += !print_clause(set, clauses_at(set->clauses, i), chosen);
    }
    printf("\n%zu clauses, %zu scenarios; %zu clause%s that must or should hold without a scenario\n", count, set->count, missing,
           missing == 1 ? "" : "s");
    return missing == 0 ? ERROR_NONE : ERROR_FAILED;
}

static enum error_code clauses(int count, char **arguments) {
    struct clauses_options chosen = {0};
    struct error error = {0};
    int first;
    enum command_parsed parsed = command_parse(&command_clauses, count, arguments, take_option, &chosen, &first, &error);
    if (parsed != COMMAND_GO_ON) {
        return parsed == COMMAND_DONE ? ERROR_NONE : command_fail(&error);
    }
    struct scenario_set set;
    if (!load_scenarios(&set, arguments + first, count - first, &error)) {
        return command_fail(&error);
    }
    enum error_code code = print_table(&set, &chosen);
    scenario_set_free(&set);
    return code;
}

const struct command command_clauses = {
    .name = "clauses",
    .summary = "the table of rules and the scenarios that judge them",
    .arguments = "[PATH…]",
    .description = "Prints every clause of fixtures/clauses/ with its level and how many scenarios judge it in each profile (- where the clause does not\n"
                   "hold). The rules of the area history are held against every scenario's transcript.",
    .options = options,
    .exit_status = "0 every MUST and SHOULD has a scenario in each of its profiles, 1 some have none, 2 bad usage or scenario",
    .examples = "meshspec clauses\nmeshspec clauses --names\nmeshspec clauses --markdown > coverage.md",
    .run = clauses};
