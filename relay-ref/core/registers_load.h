/* Registers and evidence from a snapshot (hydrate.registers, hydrate.wm-only). */
#ifndef MESHSPEC_RELAY_REGISTERS_LOAD_H
#define MESHSPEC_RELAY_REGISTERS_LOAD_H

#include "relay-ref/core/hydrate.h"

/* Makes the generation that the snapshot describes the room's, or leaves the room as it was. */
enum relay_hydrated relay_restore_generation(struct room *room, const struct snapshot *snapshot);

#endif
