/* The exit codes, one for each thing that a deploy script may want to branch on. `--help` lists them. */
#ifndef PROVISION_EXIT_CODE_H
#define PROVISION_EXIT_CODE_H

#include "tools/provision/operation.h"

#define EXIT_CODE_INTERNAL 1
#define EXIT_CODE_USAGE 2

int exit_code_of_problem(enum problem_code code);

/* `detailed`: a done or planned apply tells created and updated from unchanged. */
int exit_code_of_outcome(const struct outcome *outcome, bool detailed);

#endif
