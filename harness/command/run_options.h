/*
 * What `meshspec run` takes on its command line.
 */
#ifndef MESHSPEC_RUN_OPTIONS_H
#define MESHSPEC_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/command/command.h"
#include "harness/command/judged.h"
#include "harness/command/reports.h"

#define PROFILES_CEILING 8

struct run_options {
    struct judged_options judged;
    const char *profiles[PROFILES_CEILING + 1];
    size_t profile_count;
    const char *only;
    struct reports reports;
    const char *known; /* the list's file; NULL: none */
    unsigned rerun;
    bool real_time;
    bool whole; /* no PATH was given */
    uint64_t seed;
    bool has_seed;
    unsigned race_rounds;
    bool strict;
    const char *colour; /* "auto", "always", "never" */
};

/* The options, described for help, man page and completion; ends with a name of NULL. */
extern const struct command_option run_option_list[];

/* The profile of that name, which lives as long as the program; NULL with ERROR_USAGE when there is none. */
const char *run_profile(const char *profile, struct error *error);

/* Takes one option into `context`, a struct run_options; for command_parse. */
bool run_option_take(void *context, int id, const char *argument, struct error *error);

#endif
