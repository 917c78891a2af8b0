/* The `meshspec` command: finds the verb and hands over. */
#include <string.h>

#include "harness/command/command.h"

const struct command *const commands[] = {&command_run, &command_matrix, &command_list, &command_lint, &command_replay, &command_compare, &command_diff, &command_clauses, NULL};

static const struct command *find(const char *verb) {
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, verb) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

/* `meshspec help [VERB]`, `meshspec help --man [VERB]`, `meshspec help --completion`: what `make install` puts in place. */
static int help(int count, char **arguments) {
    const char *first = count > 0 ? arguments[0] : "";
    if (strcmp(first, "--completion") == 0) {
        command_print_completion(stdout);
        return ERROR_NONE;
    }
    bool man = strcmp(first, "--man") == 0;
    const char *verb = man ? (count > 1 ? arguments[1] : NULL) : (count > 0 ? first : NULL);
    const struct command *command = verb == NULL ? NULL : find(verb);
    if (verb != NULL && command == NULL) {
        fprintf(stderr, "meshspec: there is no verb \"%s\"\n", verb);
        return ERROR_USAGE;
    }
    if (man) {
        command_print_man(stdout, command);
    } else if (command != NULL) {
        command_print_help(stdout, command);
    } else {
        command_print_overview(stdout);
    }
    return ERROR_NONE;
}

int main(int count, char **arguments) {
    if (count < 2) {
        command_print_overview(stderr);
        return ERROR_USAGE;
    }
    const char *verb = arguments[1];
    if (strcmp(verb, "--version") == 0) {
        puts("meshspec " MESHSPEC_VERSION);
        return ERROR_NONE;
    }
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "help") == 0) {
        return help(count - 2, arguments + 2);
    }
    const struct command *command = find(verb);
    if (command == NULL) {
        fprintf(stderr, "meshspec: there is no verb \"%s\"\n\n", verb);
        command_print_overview(stderr);
        return ERROR_USAGE;
    }
    return (int)command->run(count - 1, arguments + 1);
}
