/* The commands of 0.9: held commits and unloading. For other versions they say no. */
#ifndef MESHSPEC_RELAY_CONTROL_DURABLE_H
#define MESHSPEC_RELAY_CONTROL_DURABLE_H

#include "relay-ref/adapters/control_events.h"

void relay_control_hold(struct control *control, const struct control_command *command, struct control_relay *relay);
void relay_control_unhold(struct control *control, const struct control_command *command, struct control_relay *relay);
void relay_control_release(struct control *control, const struct control_command *command, struct control_relay *relay);
void relay_control_fail(struct control *control, const struct control_command *command, struct control_relay *relay);
void relay_control_unload(struct control *control, const struct control_command *command, struct control_relay *relay);

#endif
