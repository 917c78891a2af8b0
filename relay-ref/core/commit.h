/* Telling the owner of an ordered envelope (commit.*). */
#ifndef MESHSPEC_RELAY_COMMIT_H
#define MESHSPEC_RELAY_COMMIT_H

#include "relay-ref/core/state.h"

/* True when commits are reported before the broadcast, which they can hold. */
bool relay_commit_comes_first(const struct relay *relay);

/* Makes sure that the next envelope's answers can wait if they have to. False when memory is out. */
bool relay_commit_ready(const struct room *room);

/* Reports the newest envelope of the room, which is as it is after it; gives what the owner says. */
enum relay_committed relay_commit_report(struct room *room, const struct journal_entry *entry);

#endif
