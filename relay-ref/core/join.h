/* hello and its answers (join.*). */
#ifndef MESHSPEC_RELAY_JOIN_H
#define MESHSPEC_RELAY_JOIN_H

#include "relay-ref/core/state.h"

/* A hello from `connection`. False when memory is out or no further room may be made. */
bool relay_join(struct relay_connection *connection, const struct message *message);

#endif
