/* Carrying out a plan: the requests that write (store-provisioning, section 4). */
#ifndef PROVISION_APPLY_H
#define PROVISION_APPLY_H

#include "tools/provision/plan.h"

/*
 * Publishes what `plan` says, in the order that lets a run which stopped between two requests be completed by running
 * again (provision.partial). `head_hash` gets the hash that then enforces permissions. False with PROBLEM_HTTP; nothing
 * is written after the request that failed, a 409 included (provision.chained).
 */
bool plan_apply(struct run *run, struct http_client *client, const struct plan *plan, struct text *head_hash);

#endif
