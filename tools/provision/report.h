/* Answers: as JSON for programs, as text for people. Pure functions of outcomes and problems. */
#ifndef PROVISION_REPORT_H
#define PROVISION_REPORT_H

#include "tools/provision/operation.h"

/*
 * {"result":{"state":…}} of a status, {"result":{"status":…,"headHash":…}} of an apply, {"result":{"plan":{…}}} of a dry run.
 * Ends in a newline.
 */
struct text report_json(struct arena *arena, const struct outcome *outcome);

/* {"error":{"code","message",…}} with what is known of file, line, column, path, request, status and tables. Ends in a newline. */
struct text report_problem_json(struct arena *arena, const struct problem *problem);

/* The same for people; control characters that came from outside are shown as `?`. */
struct text report_text(struct arena *arena, const struct outcome *outcome);
struct text report_problem_text(struct arena *arena, const struct problem *problem);

#endif
