/* The command line. */
#ifndef PROVISION_OPTIONS_H
#define PROVISION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum command { COMMAND_STATUS, COMMAND_APPLY, COMMAND_STDIO, COMMAND_HELP };
enum format { FORMAT_BY_TERMINAL, FORMAT_JSON, FORMAT_TEXT };

struct options {
    enum command command;
    const char *store, *app_id, *secret_file, *app_file, *permissions_file; /* NULL: not given */
    bool dry_run;
    bool detailed_exit_code;
    enum format format;
    long connect_milliseconds, total_milliseconds;
    size_t max_answer_bytes;
};

/*
 * Reads the arguments, which must live as long as `options`. False when they are wrong; one line on standard error then says
 * what is, and the exit code is 2.
 */
bool options_read(int count, char **arguments, struct options *options);

/* The text of --help. */
const char *options_help(void);

#endif
