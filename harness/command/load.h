/*
 * Loading scenarios for a verb, with every bad file reported.
 */
#ifndef MESHSPEC_LOAD_H
#define MESHSPEC_LOAD_H

#include "harness/scenario/scenario.h"

/*
 * Loads the scenarios at `paths` (none: all but selftest/). Prints one line for each bad file on standard error; false
 * with ERROR_USAGE when there was one or nothing was found.
 */
bool load_scenarios(struct scenario_set *set, char **paths, int count, struct error *error);

#endif
