/* Whether a checked envelope of wire version 3 gets into its room (admit.*). */
#ifndef MESHSPEC_RELAY_ADMIT_H
#define MESHSPEC_RELAY_ADMIT_H

#include "relay-ref/core/check.h"

/* CHECK_DROP comes with the reason of the drop in `violation`, CHECK_VIOLATION with what the writer is ejected for. */
enum check_answer relay_admit(const struct member *member, const struct message_envelope *envelope,
                              struct violation *violation);

/* Tells the submitting connection of the drop, and the observer. False when memory is out. */
bool relay_drop(const struct member *member, const struct message_envelope *envelope, const char *reason);

#endif
