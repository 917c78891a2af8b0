/* Whether an envelope of wire version 3 is well formed (valid.details). */
#ifndef MESHSPEC_RELAY_WELLFORMED_H
#define MESHSPEC_RELAY_WELLFORMED_H

#include "relay-ref/core/check.h"

/*
 * Checks `envelope`, whose ops the relay has read, in the order of the table of valid.details, and fills the relay's
 * reading. CHECK_VIOLATION comes with reason `malformed` and the detail of the first row that fails.
 */
enum check_answer relay_wellformed(struct relay *relay, const struct message_envelope *envelope,
                                   struct violation *violation);

#endif
