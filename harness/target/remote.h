/*
 * What a case asks of a relay through its control URL: a fresh relay, its clock, rooms, hydrates, and what its observers
 * saw. Which connections the case has is websocket.c's.
 */
#ifndef MESHSPEC_TARGET_REMOTE_H
#define MESHSPEC_TARGET_REMOTE_H

#include "harness/target/control.h"
#include "harness/target/events.h"

#define REMOTE_CLOSE_LIMIT_MS 1000 /* for the `close` after a case */

struct remote;

/* What observers see goes into `events` (borrowed). Asks nobody yet. NULL with an error as from control_new. */
struct remote *remote_new(const char *url, struct target_events *events, struct error *error);

/* NULL is allowed. */
void remote_free(struct remote *remote);

/* As control_start and control_said. */
enum target_outcome remote_start(struct remote *remote, int limit_ms, struct error *error);
const struct introduction *remote_said(const struct remote *remote);

/* Whether the relay says that it can; false before remote_start was TARGET_OK. */
bool remote_can(const struct remote *remote, const char *capability);

/*
 * A relay for a case, or a new life of it: when the relay lists "options", "fresh" or "restart" it is opened anew with
 * the options (JSON), when it lists "clock" that is set, to TARGET_CLOCK_START or where it stood. TARGET_NO: the relay
 * does not speak the profile or refuses the options. Every command from now on takes `limit_ms` at most.
 */
enum target_outcome remote_open(struct remote *remote, const char *profile, struct text options, int limit_ms,
                                struct error *error);

/* As the target's functions of these names. */
enum target_outcome remote_hydrate(struct remote *remote, struct text room, struct text snapshot, bool *answer,
                                   struct error *error);
enum target_outcome remote_room(struct remote *remote, struct text room, struct buffer *info, struct error *error);
enum target_outcome remote_clock(struct remote *remote, int64_t ms, struct error *error);
enum target_outcome remote_command(struct remote *remote, const char *name, struct text fields, struct buffer *answer,
                                   struct error *error);

/* Fetches what observers saw up to now. TARGET_BROKEN when the relay had to drop some of it. */
enum target_outcome remote_observe(struct remote *remote, struct error *error);

/* Ends the case's relay. */
void remote_close(struct remote *remote);

#endif
