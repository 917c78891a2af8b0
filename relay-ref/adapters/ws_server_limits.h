/* What a client is told whose message ran into a ceiling of the core. */
#ifndef MESHSPEC_WS_SERVER_LIMITS_H
#define MESHSPEC_WS_SERVER_LIMITS_H

#include "relay-ref/adapters/flags.h"

/* Puts the ceilings among the flags into the options of a relay. */
void limits_put(struct relay_options *options, const struct server_flags *flags);

/* The close code and the reason, a literal of at most 123 bytes, of a connection that ended because of `limit`. */
unsigned limits_close_code(enum relay_limit limit);
const char *limits_close_reason(enum relay_limit limit);

#endif
