/* The tripwire: a writer that broke a rule leaves the room for good (eject.*). */
#ifndef MESHSPEC_RELAY_EJECT_H
#define MESHSPEC_RELAY_EJECT_H

#include "relay-ref/core/state.h"

/* What an envelope broke. */
struct violation {
    const char *reason;
    struct json_value path; /* of the op that failed; JSON_ABSENT where no single op did */
    const char *detail;     /* NULL where the reason says it all */
};

/* Ejects the writer of `offender`, whose every member in the room is freed; or, where the option `ejection` says so,
   this one connection (eject.connection). False when memory is out: nobody was ejected then. */
bool relay_eject(struct member *offender, const struct violation *violation);

#endif
