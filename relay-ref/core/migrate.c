#include "relay-ref/core/migrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/json/number.h"

/* migrate.not-bump, migrate.ignored: what is no number above the room's is an unknown field. Any number is a version,
   1.5 too; but one past the range of a double could not be told to anybody. */
static bool bumps(const struct room *room, const struct json_value *schema_version, double *wanted) {
    return room->relay->version->schema && relay_number_read(schema_version, wanted) && isfinite(*wanted) &&
           *wanted > room->schema_version;
}

bool relay_migrate_prepare(struct migration *migration, const struct room *room,
                           const struct message_envelope *envelope) {
    migration->memory = NULL;
    migration->bumps = bumps(room, &envelope->schema_version, &migration->schema_version);
    if (!migration->bumps)
        return true;
    const struct relay_env *env = &room->relay->env;
    char fresh[RELAY_EPOCH_CAPACITY];
    migration->length = env->mint(env->context, fresh, sizeof fresh);
    migration->memory = malloc(migration->length);
    if (migration->memory == NULL)
        return false;
    memcpy(migration->memory, fresh, migration->length);
    return true;
}

/* migrate.bump, migrate.journal-kept */
void relay_migrate_apply(struct migration *migration, struct room *room) {
    if (!migration->bumps)
        return;
    free((char *)room->epoch.bytes);
    room->epoch = (struct relay_text){migration->memory, migration->length};
    room->schema_version = migration->schema_version;
    migration->memory = NULL;
}

void relay_migrate_cancel(struct migration *migration) {
    free(migration->memory);
    migration->memory = NULL;
}
