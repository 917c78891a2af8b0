/* meshspec matrix: judge several targets and set what came of it side by side. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/command/command.h"
#include "harness/command/home.h"
#include "harness/command/load.h"
#include "harness/command/matrix_files.h"
#include "harness/command/matrix_play.h"
#include "harness/command/moment.h"
#include "harness/command/run_options.h"

enum { MATRIX_COLUMN = 1, MATRIX_PROFILE, MATRIX_ONLY, MATRIX_STRICT_OPTION, MATRIX_HTML, MATRIX_REPORTS, MATRIX_MARKDOWN, MATRIX_SEED, MATRIX_ROUNDS };

struct matrix_options {
    struct columns columns;
    struct matrix_play_settings play;
    struct matrix_files files;
    bool has_seed;
};

static const struct command_option options[] = {
    {"column", "NAME=TARGET",
     "one target more, by its name in the table; may be given several times. NAME@PROFILE,PROFILE=TARGET says its profiles.\n"
     "TARGET is as for --target of `meshspec run`, or spawn:COMMAND as for its --spawn",
     MATRIX_COLUMN, NULL},
    {"profile", "VERSION", "the profile of columns that name none themselves (default: 0.2.0, of stores `store`); may be given several times",
     MATRIX_PROFILE, PROFILES_KNOWN_WORDS},
    {"only", "GLOB", "only scenarios whose name matches, such as 'join/*'; other rules are left out", MATRIX_ONLY, NULL},
    {"html", "FILE", "write the matrix as one page: the table, with the evidence behind every cell (- for standard output, and nothing else there)",
     MATRIX_HTML, "FILE"},
    {"reports", NULL, "with --html: write each target's full report besides, into a folder beside FILE, and link to it", MATRIX_REPORTS, NULL},
    {"markdown", "FILE", "write it as Markdown: a summary by area, then every rule, then the evidence of what failed", MATRIX_MARKDOWN, "FILE"},
    {"strict", NULL, "a failing SHOULD fails the run", MATRIX_STRICT_OPTION, NULL},
    {"seed", "N", "the seed for the order of racing steps on sockets (default: drawn)", MATRIX_SEED, NULL},
    {"race-rounds", "N", "how often a race is played on a socket (default: 10)", MATRIX_ROUNDS, NULL},
    {0}};

static bool add_profile(struct matrix_play_settings *play, const char *name, struct error *error) {
    const char *profile = run_profile(name, error);
    if (profile == NULL) {
        return false;
    }
    if (play->profile_count == COLUMNS_PROFILES_CEILING) {
        return error_set(error, ERROR_USAGE, "--profile: there are at most %d", COLUMNS_PROFILES_CEILING);
    }
    play->profiles[play->profile_count++] = profile;
    return true;
}

static bool take_file(struct matrix_options *chosen, struct output *output, const char *file, struct error *error) {
    output->file = file;
    return !output_is_standard(&chosen->files.html) || !output_is_standard(&chosen->files.markdown) ||
           error_set(error, ERROR_USAGE, "only one report can go to standard output");
}

static bool take_option(void *context, int id, const char *argument, struct error *error) {
    struct matrix_options *chosen = context;
    uint64_t number = 0;
    switch (id) {
    case MATRIX_COLUMN:
        return columns_add(&chosen->columns, argument, error);
    case MATRIX_PROFILE:
        return add_profile(&chosen->play, argument, error);
    case MATRIX_ONLY:
        chosen->play.only = argument;
        return true;
    case MATRIX_STRICT_OPTION:
        chosen->play.strict = true;
        return true;
    case MATRIX_HTML:
        return take_file(chosen, &chosen->files.html, argument, error);
    case MATRIX_REPORTS:
        chosen->files.wants_reports = true;
        return true;
    case MATRIX_MARKDOWN:
        return take_file(chosen, &chosen->files.markdown, argument, error);
    case MATRIX_SEED:
        chosen->has_seed = true;
        return command_number("seed", argument, 0, UINT64_MAX, &chosen->play.seed, error);
    default:
        if (!command_number("race-rounds", argument, 1, 10000, &number, error)) {
            return false;
        }
        chosen->play.race_rounds = (unsigned)number;
        return true;
    }
}

/* ---- the whole ---- */

static const struct clause **clauses_of(const struct scenario_set *set, size_t *count) {
    *count = clauses_count(set->clauses);
    const struct clause **list = memory_zeroed(*count + 1, sizeof(*list));
    for (size_t i = 0; i < *count; i++) {
        list[i] = clauses_at(set->clauses, i);
    }
    return list;
}

static enum error_code report_on(struct matrix_options *chosen, const struct scenario_set *set, const struct matrix_run *runs) {
    size_t count;
    const struct clause **clauses = clauses_of(set, &count);
    struct matrix matrix = {.title = chosen->columns.title != NULL ? chosen->columns.title : "Conformance matrix",
                            .version = MESHSPEC_VERSION,
                            .started = chosen->play.started,
                            .only = chosen->play.only,
                            .strict = chosen->play.strict,
                            .clauses = clauses,
                            .clause_count = count,
                            .scenarios = set->scenarios,
                            .scenario_count = set->count,
                            .runs = runs,
                            .run_count = chosen->columns.count};
    struct error error = {0};
    enum error_code code = matrix_files_write(&chosen->files, &matrix, &error) ? matrix_exit(&matrix) : command_fail(&error);
    if (!chosen->play.quiet) {
        printf("%s\n", matrix_headline(&matrix));
    }
    free(clauses);
    return code;
}

static bool play_all(struct matrix_options *chosen, const struct scenario_set *set, struct matrix_side *sides, struct matrix_run *runs,
                     struct error *error) {
    size_t chosen_cases = 0;
    for (size_t i = 0; i < chosen->columns.count; i++) {
        if (!matrix_side_play(&sides[i], set, &chosen->play, chosen->columns.arena, &runs[i], error)) {
            return false;
        }
        chosen_cases += runs[i].results.count + (runs[i].unavailable != NULL);
    }
    return chosen_cases > 0 || error_set(error, ERROR_USAGE, "no scenario matches --only and the profiles");
}

static bool read_all(struct matrix_options *chosen, struct matrix_side *sides, struct error *error) {
    for (size_t i = 0; i < chosen->columns.count; i++) {
        if (!matrix_side_read(&sides[i], &chosen->columns.entries[i], &chosen->play, error)) {
            return false;
        }
    }
    return matrix_files_open(&chosen->files, chosen->columns.arena, error);
}

static enum error_code judge(struct matrix_options *chosen, const struct scenario_set *set) {
    struct error error = {0};
    struct matrix_side *sides = memory_zeroed(COLUMNS_CEILING, sizeof *sides);
    struct matrix_run *runs = memory_zeroed(COLUMNS_CEILING, sizeof *runs);
    enum error_code code = read_all(chosen, sides, &error) && play_all(chosen, set, sides, runs, &error) ? report_on(chosen, set, runs)
                                                                                                       : command_fail(&error);
    for (size_t i = 0; i < COLUMNS_CEILING; i++) {
        suite_results_free(&runs[i].results);
        matrix_side_end(&sides[i]);
    }
    matrix_files_close(&chosen->files);
    free(runs);
    free(sides);
    return code;
}

static bool read_columns(struct matrix_options *chosen, char **files, int count, struct error *error) {
    char home[PATH_MAX];
    for (int i = 0; i < count; i++) {
        if (!home_find(home, sizeof home, error) || !columns_read(&chosen->columns, files[i], home, error)) {
            return false;
        }
    }
    return chosen->columns.count > 0 ||
           error_set(error, ERROR_USAGE, "say what to judge: --column NAME=TARGET, or a file of columns; see `meshspec matrix --help`");
}

static enum error_code read_and_judge(struct matrix_options *chosen, char **files, int count) {
    struct error error = {0};
    struct scenario_set set;
    if (!read_columns(chosen, files, count, &error) || !load_scenarios(&set, NULL, 0, &error)) {
        return command_fail(&error);
    }
    char started[MOMENT_CAPACITY];
    moment_print(started);
    chosen->play.started = started;
    chosen->play.quiet = output_is_standard(&chosen->files.html) || output_is_standard(&chosen->files.markdown);
    chosen->play.progress = !chosen->play.quiet && isatty(STDOUT_FILENO);
    chosen->play.seed = chosen->has_seed ? chosen->play.seed : moment_seed();
    enum error_code code = judge(chosen, &set);
    scenario_set_free(&set);
    return code;
}

static enum error_code matrix(int count, char **arguments) {
    struct matrix_options *chosen = memory_zeroed(1, sizeof *chosen);
    struct error error = {0};
    int first;
    chosen->play.race_rounds = CASE_RACE_ROUNDS;
    columns_begin(&chosen->columns);
    enum command_parsed parsed = command_parse(&command_matrix, count, arguments, take_option, chosen, &first, &error);
    enum error_code code = parsed == COMMAND_GO_ON ? read_and_judge(chosen, arguments + first, count - first)
                           : parsed == COMMAND_DONE ? ERROR_NONE
                                                    : command_fail(&error);
    columns_end(&chosen->columns);
    free(chosen);
    return code;
}

const struct command command_matrix = {
    .name = "matrix",
    .summary = "judge several targets and set them side by side",
    .arguments = "[FILE.yaml…]",
    .description = "Judges several targets, each in one or more profiles, and writes one table: a row for every rule, a column for every target and\n"
                   "profile, and behind every cell its evidence. Targets are named with --column, or by FILE, which holds them as YAML:\n"
                   "\n"
                   "  title: Our relay and theirs\n"
                   "  columns:\n"
                   "    - name: our relay\n"
                   "      transport: WebSocket\n"
                   "      spawn: ./our-relay --port 0 --control 0\n"
                   "      profiles: [0.1.1, 0.2.0]\n"
                   "    - name: their relay\n"
                   "      transport: adapter\n"
                   "      target: exec:node their-adapter.mjs\n"
                   "      known-failing: their-known-failing.txt\n"
                   "      needs: [node, ./node_modules/their-relay]\n"
                   "      optional: true\n"
                   "\n"
                   "An entry has a name and a target or a command to spawn, and may have transport (for the head of the column), profiles,\n"
                   "known-failing and ca (files as for `meshspec run`, beside FILE), insecure, provisioner, store-command, app-id,\n"
                   "admin-secret-file and real-time, which mean what they mean to `meshspec run`. `needs` lists programs, and files by a path\n"
                   "with a slash, without which the column is not available. A column that is not available is shown as such, never as passed, and makes the\n"
                   "exit status 3 unless it is `optional: true`.",
    .options = options,
    .exit_status = "0 all as expected, 1 some case failed, 2 bad usage, scenario or file of columns, 3 some target could not be judged,\n"
                   "4 a fault of the suite itself",
    .examples = "meshspec matrix --column ours=memory --column 'theirs=exec:./their-adapter' --html matrix.html\n"
                "meshspec matrix --column old=ws://127.0.0.1:8080/ --column 'new@0.2.0,0.9=spawn:./new-relay --port 0 --control 0' --markdown -\n"
                "meshspec matrix fixtures/matrix.yaml --html matrix.html --reports --markdown matrix.md\n"
                "meshspec matrix fixtures/matrix.yaml --only 'join/*' --html join.html",
    .run = matrix};
