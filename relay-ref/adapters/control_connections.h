/* The commands about connections: connect, receive and disconnect. */
#ifndef MESHSPEC_RELAY_CONTROL_CONNECTIONS_H
#define MESHSPEC_RELAY_CONTROL_CONNECTIONS_H

#include "relay-ref/adapters/control_events.h"

void relay_control_connect(struct control *control, const struct control_command *command, struct control_relay *relay);
void relay_control_receive(struct control *control, const struct control_command *command,
                           struct control_connection *connection);
void relay_control_disconnect(struct control *control, const struct control_command *command,
                              struct control_connection *connection);

/* Forgets all connections of a relay that is about to end, and tells nobody. */
void relay_control_forget_connections(struct control_relay *relay);

#endif
