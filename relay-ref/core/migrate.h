/* Migrations: an envelope with a higher schemaVersion starts a new epoch (migrate.*). */
#ifndef MESHSPEC_RELAY_MIGRATE_H
#define MESHSPEC_RELAY_MIGRATE_H

#include "relay-ref/core/state.h"

struct migration {
    bool bumps;
    double schema_version;
    char *memory; /* owned: the room's next epoch */
    size_t length;
};

/* Finds out what the envelope will do and gets the memory for it. False when memory is out. */
bool relay_migrate_prepare(struct migration *migration, const struct room *room,
                           const struct message_envelope *envelope);

/* Does it; cannot fail. */
void relay_migrate_apply(struct migration *migration, struct room *room);

/* Gives back what a prepared migration took that is not applied. */
void relay_migrate_cancel(struct migration *migration);

#endif
