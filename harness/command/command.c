#include "harness/command/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define HELP_ID 1

static size_t fill(const struct command *command, struct option *list) {
    size_t count = 0;
    for (const struct command_option *one = command->options; one->name != NULL && count < COMMAND_OPTIONS_CEILING; one++) {
        list[count++] = (struct option){one->name, one->argument == NULL ? no_argument : required_argument, NULL, one->id + HELP_ID};
    }
    list[count++] = (struct option){"help", no_argument, NULL, HELP_ID};
    return count;
}

enum command_parsed command_parse(const struct command *command, int count, char **arguments,
                                  bool (*take)(void *context, int id, const char *argument, struct error *error), void *context,
                                  int *first, struct error *error) {
    struct option list[COMMAND_OPTIONS_CEILING + 2] = {0};
    fill(command, list);
    opterr = 0;
    int id;
    while ((id = getopt_long(count, arguments, ":", list, NULL)) != -1) {
        if (id == HELP_ID) {
            command_print_help(stdout, command);
            return COMMAND_DONE;
        }
        if (id == ':' || id == '?') {
            error_set(error, ERROR_USAGE, "%s: %s; see `meshspec %s --help`", arguments[optind - 1],
                      id == ':' ? "its argument is missing" : "there is no such option", command->name);
            return COMMAND_MISUSED;
        }
        if (!take(context, id - HELP_ID, optarg, error)) {
            return COMMAND_MISUSED;
        }
    }
    *first = optind;
    return COMMAND_GO_ON;
}

bool command_number(const char *option, const char *argument, uint64_t least, uint64_t most, uint64_t *out, struct error *error) {
    char *end;
    errno = 0;
    *out = strtoull(argument, &end, 10);
    if (errno == 0 && end != argument && *end == '\0' && strchr(argument, '-') == NULL && *out >= least && *out <= most) {
        return true;
    }
    return error_set(error, ERROR_USAGE, "--%s takes a whole number from %llu to %llu, not \"%s\"", option,
                     (unsigned long long)least, (unsigned long long)most, argument);
}

enum error_code command_fail(const struct error *error) {
    fprintf(stderr, "meshspec: %s\n", error->text);
    return error->code;
}
