/* What a relay's observers see, as members of the adapter protocol's events: the same for every way to carry them. */
#ifndef MESHSPEC_RELAY_CONTROL_OBSERVE_H
#define MESHSPEC_RELAY_CONTROL_OBSERVE_H

#include "relay-ref/adapters/control_line.h"
#include "relay-ref/core/version.h"

/* The profiles that a relay core speaks behind the adapter protocol, as the members of the JSON array `profiles`. */
#define RELAY_OBSERVE_PROFILES "\"0.1.0\",\"0.1.1\",\"0.2.0\",\"0.9\""

/* What it can be asked for, as the members of the JSON array `can`. */
#define RELAY_OBSERVE_CAPABILITIES                                                                                     \
    "\"options\",\"clock\",\"hydrate\",\"room\",\"commit\",\"violation\",\"policy.acl\",\"policy.validate\","          \
    "\"policy.canBump\",\"policy.verifyCitations\",\"ejection\",\"hold\",\"unload\",\"join\",\"reject\",\"drop\","     \
    "\"stalled\""

/* What is said of a snapshot that is not well formed. */
const char *relay_observe_snapshot_fault(const struct relay_version *version);

/* Each adds the members that follow `on`, `relay` and `room` to an event's line. */
void relay_observe_commit(struct control_line *line, const struct relay_version *version, struct relay_text envelope,
                          const struct relay_commit_state *state, struct relay_commit *commit);
void relay_observe_violation(struct control_line *line, const struct relay_violation *violation);
void relay_observe_join(struct control_line *line, struct relay_text writer, struct relay_text origin);
void relay_observe_reject(struct control_line *line, const struct relay_rejection *rejection);
void relay_observe_drop(struct control_line *line, const struct relay_dropped *dropped);

/* Adds the room's info as the member `ok` of a reply. */
void relay_observe_room(struct control_line *line, const struct relay_version *version,
                        const struct relay_room_info *info);

#endif
