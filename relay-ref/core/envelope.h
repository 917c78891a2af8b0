/* Envelopes: checked, ordered, folded, sent to all (seq.*, commit.*). */
#ifndef MESHSPEC_RELAY_ENVELOPE_H
#define MESHSPEC_RELAY_ENVELOPE_H

#include "relay-ref/core/state.h"

/* An env message from a member, which an ejection frees. False when memory is out: nothing was ordered then. */
bool relay_envelope_receive(struct member *member, const struct message *message);

#endif
