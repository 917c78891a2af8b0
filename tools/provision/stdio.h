/* The child-process mode: one JSON request in, one JSON answer out. */
#ifndef PROVISION_STDIO_H
#define PROVISION_STDIO_H

#include "tools/provision/operation.h"
#include "tools/provision/options.h"

/*
 * Reads {"op", "app", "permissions", "target": {"url", "appId", "adminSecret"}} as `request`; limits come from the options. A status ignores
 * permissions. False with PROBLEM_BAD_INPUT.
 */
bool stdio_read_request(struct run *run, struct text text, const struct options *options, struct request *request);

#endif
