/* Envelopes: checked, ordered, folded, sent to all (seq.*, commit.*). */
#ifndef MESHSPEC_RELAY_ENVELOPE_H
#define MESHSPEC_RELAY_ENVELOPE_H

#include "relay-ref/core/state.h"

/* An env message from a member, which an ejection frees. False when memory is out: nothing was ordered then. */
bool relay_envelope_receive(struct member *member, const struct message *message);

/* An envelope that was ordered in an earlier life of the room: taken in as then, but nobody is told. False when it is
   none or memory is out; the room is then as before. */
bool relay_envelope_again(struct room *room, const struct message *message);

#endif
