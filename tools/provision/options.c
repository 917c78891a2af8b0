#include "tools/provision/options.h"

#include "tools/provision/http.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum flag {
    OPTION_STORE = 1000,
    OPTION_APP_ID,
    OPTION_SECRET_FILE,
    OPTION_APP,
    OPTION_PERMISSIONS,
    OPTION_DRY_RUN,
    OPTION_DETAILED,
    OPTION_JSON,
    OPTION_TEXT,
    OPTION_CONNECT,
    OPTION_TOTAL,
    OPTION_MAX_BYTES,
    OPTION_STDIO,
    OPTION_HELP,
};

static const struct option long_options[] = {
    {"store", required_argument, NULL, OPTION_STORE},
    {"app-id", required_argument, NULL, OPTION_APP_ID},
    {"admin-secret-file", required_argument, NULL, OPTION_SECRET_FILE},
    {"app", required_argument, NULL, OPTION_APP},
    {"permissions", required_argument, NULL, OPTION_PERMISSIONS},
    {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
    {"detailed-exit-code", no_argument, NULL, OPTION_DETAILED},
    {"json", no_argument, NULL, OPTION_JSON},
    {"text", no_argument, NULL, OPTION_TEXT},
    {"connect-timeout-ms", required_argument, NULL, OPTION_CONNECT},
    {"timeout-ms", required_argument, NULL, OPTION_TOTAL},
    {"max-answer-bytes", required_argument, NULL, OPTION_MAX_BYTES},
    {"stdio", no_argument, NULL, OPTION_STDIO},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static bool usage(const char *what, const char *name) {
    fprintf(stderr, "meshspec-provision: %s%s; see meshspec-provision --help\n", what, name);
    return false;
}

/* A whole number from 1 to `most`. */
static bool read_number(const char *text, long most, const char *name, long *number) {
    char *end = NULL;
    errno = 0;
    *number = strtol(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && *number >= 1 && *number <= most) return true;
    fprintf(stderr, "meshspec-provision: --%s must be a whole number from 1 to %ld, not \"%s\"\n", name, most, text);
    return false;
}

static bool take_limit(enum flag option, const char *value, struct options *options) {
    long number = 0;
    if (option == OPTION_CONNECT) return read_number(value, 86400000, "connect-timeout-ms", &options->connect_milliseconds);
    if (option == OPTION_TOTAL) return read_number(value, 86400000, "timeout-ms", &options->total_milliseconds);
    if (!read_number(value, JSON_MAX_BYTES, "max-answer-bytes", &number)) return false;
    options->max_answer_bytes = (size_t)number;
    return true;
}

static bool take_option(int option, const char *value, struct options *options) {
    switch (option) {
    case OPTION_STORE: options->store = value; return true;
    case OPTION_APP_ID: options->app_id = value; return true;
    case OPTION_SECRET_FILE: options->secret_file = value; return true;
    case OPTION_APP: options->app_file = value; return true;
    case OPTION_PERMISSIONS: options->permissions_file = value; return true;
    case OPTION_DRY_RUN: options->dry_run = true; return true;
    case OPTION_DETAILED: options->detailed_exit_code = true; return true;
    case OPTION_JSON: options->format = FORMAT_JSON; return true;
    case OPTION_TEXT: options->format = FORMAT_TEXT; return true;
    case OPTION_STDIO: options->command = COMMAND_STDIO; return true;
    case OPTION_HELP: options->command = COMMAND_HELP; return true;
    case OPTION_CONNECT:
    case OPTION_TOTAL:
    case OPTION_MAX_BYTES: return take_limit((enum flag)option, value, options);
    default: return usage("the arguments cannot be read", "");
    }
}

static bool take_command(int count, char **words, struct options *options) {
    if (options->command == COMMAND_HELP) return true;
    if (options->command == COMMAND_STDIO)
        return count == 0 || usage("--stdio takes its request from standard input, not: ", words[0]);
    if (count != 1) return usage("give one command, status or apply", "");
    if (strcmp(words[0], "status") == 0)
        options->command = COMMAND_STATUS;
    else if (strcmp(words[0], "apply") == 0)
        options->command = COMMAND_APPLY;
    else
        return usage("there is no command ", words[0]);
    return true;
}

/* Provisioning without a permissions file would drop every policy of the app, so it must be said. */
static bool check_complete(const struct options *options) {
    if (options->command == COMMAND_HELP || options->command == COMMAND_STDIO) return true;
    const char *missing = options->store == NULL         ? "--store"
                          : options->app_id == NULL      ? "--app-id"
                          : options->secret_file == NULL ? "--admin-secret-file"
                          : options->app_file == NULL    ? "--app"
                                                         : NULL;
    if (missing != NULL) return usage("this command needs ", missing);
    if (options->command == COMMAND_APPLY && options->permissions_file == NULL)
        return usage("apply needs ", "--permissions");
    if (options->command == COMMAND_STATUS && options->dry_run) return usage("--dry-run goes with apply", "");
    return true;
}

bool options_read(int count, char **arguments, struct options *options) {
    *options = (struct options){.command = COMMAND_STATUS,
                                .connect_milliseconds = HTTP_CONNECT_MILLISECONDS,
                                .total_milliseconds = HTTP_TOTAL_MILLISECONDS,
                                .max_answer_bytes = HTTP_MAX_ANSWER_BYTES};
    int option;
    while ((option = getopt_long(count, arguments, "", long_options, NULL)) != -1)
        if (!take_option(option, optarg, options)) return false;
    return take_command(count - optind, arguments + optind, options) && check_complete(options);
}
