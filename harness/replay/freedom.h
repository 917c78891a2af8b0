/*
 * What the protocol leaves to a relay, and so must not count as a difference (wire version 3): the order of the
 * registers and of each one's siblings (register.snapshot), and the detail of a violation, which is specified for
 * `malformed` only (valid.details).
 */
#ifndef MESHSPEC_REPLAY_FREEDOM_H
#define MESHSPEC_REPLAY_FREEDOM_H

#include "harness/json/value.h"

/* Makes the two outputs the same wherever they differ by nothing else. */
void freedom_grant(struct json_value *wanted, struct json_value *came);

#endif
