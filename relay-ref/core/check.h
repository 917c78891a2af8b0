/* The checks that an envelope passes before it is ordered (eject.order). */
#ifndef MESHSPEC_RELAY_CHECK_H
#define MESHSPEC_RELAY_CHECK_H

#include "relay-ref/core/eject.h"
#include "relay-ref/core/state.h"

/* CHECK_MALFORMED is ignored in silence, CHECK_VIOLATION ejects, CHECK_DROP tells the sender alone. */
enum check_answer { CHECK_FINE, CHECK_MALFORMED, CHECK_VIOLATION, CHECK_DROP, CHECK_NO_MEMORY };

/* Checks the envelope in `message`, whose ops are in the relay. `violation` is set when the answer says so. */
enum check_answer relay_check_envelope(const struct member *member, const struct message_envelope *envelope,
                                       struct violation *violation);

#endif
