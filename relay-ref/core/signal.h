/* Signals: one member to one member of the same room (signal.*). */
#ifndef MESHSPEC_RELAY_SIGNAL_H
#define MESHSPEC_RELAY_SIGNAL_H

#include "relay-ref/core/state.h"

/* A signal message from a member. False when memory is out. */
bool relay_signal_receive(struct member *member, const struct message *message);

#endif
