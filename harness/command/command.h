/*
 * The verbs of the `meshspec` command, described as data: --help, the man pages and the shell completion are all made from it.
 */
#ifndef MESHSPEC_COMMAND_H
#define MESHSPEC_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

#define MESHSPEC_VERSION "0.1.0"
#define COMMAND_OPTIONS_CEILING 40 /* options of one verb */

struct command_option {
    const char *name;     /* without the dashes */
    const char *argument; /* what it takes, such as "FILE"; NULL: nothing */
    const char *help;     /* one sentence or more; a line break starts a new line */
    int id;               /* how the verb tells it apart: above 0 */
    const char *values;   /* what a shell may propose, separated by blanks; "FILE" and "SCENARIO" stand for those; NULL: nothing */
};

struct command {
    const char *name;
    const char *summary;   /* one line for the list of verbs */
    const char *arguments; /* "[PATH…]"; "": none */
    const char *description;
    const struct command_option *options; /* ends with a name of NULL; --help is always there besides */
    const char *exit_status; /* what the statuses mean */
    const char *examples;    /* one command a line */
    /* `arguments[0]` is the verb's name. Returns the exit status. */
    enum error_code (*run)(int count, char **arguments);
};

extern const struct command command_run, command_matrix, command_list, command_lint, command_replay, command_clauses, command_diff, command_compare;

/* Every verb; ends with NULL. */
extern const struct command *const commands[];

enum command_parsed { COMMAND_GO_ON, COMMAND_DONE /* help was asked for and printed */, COMMAND_MISUSED /* `error` says how */ };

/*
 * Reads the options. `take` is called for each with its id and argument (NULL: none); it returns false with `error` set to refuse it.
 * `*first` is the index of the first argument that is no option.
 */
enum command_parsed command_parse(const struct command *command, int count, char **arguments,
                                  bool (*take)(void *context, int id, const char *argument, struct error *error), void *context,
                                  int *first, struct error *error);

/* Reads a whole number from `least` to `most`; false with ERROR_USAGE naming the option. */
bool command_number(const char *option, const char *argument, uint64_t least, uint64_t most, uint64_t *out, struct error *error);

/* Prints "meshspec: TEXT" on standard error and returns the code. */
enum error_code command_fail(const struct error *error);

/* ---- help.c ---- */

void command_print_help(FILE *out, const struct command *command);
void command_print_overview(FILE *out);

/* A man page in roff; NULL: the one of `meshspec` itself. */
void command_print_man(FILE *out, const struct command *command);

/* A completion script for bash. */
void command_print_completion(FILE *out);

#endif
