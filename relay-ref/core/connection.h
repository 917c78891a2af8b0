/* What the core does to a connection. */
#ifndef MESHSPEC_RELAY_CONNECTION_H
#define MESHSPEC_RELAY_CONNECTION_H

#include "relay-ref/core/state.h"

/* Hands a frame to the connection, unless it was closed and the version says that this is the end. */
void relay_connection_send(struct relay_connection *connection, struct relay_frame *frame);

/* Tells the sink to close, once. The memberships stay until the transport reports the end (eject.closes-connection). */
void relay_connection_close(struct relay_connection *connection);

/* Reports that a message ran into a ceiling; says false, as whoever cannot do what was asked. */
bool relay_limit_hit(const struct relay *relay, enum relay_limit limit);

/* The connection's member in the room of that name, or NULL (seq.non-member). */
struct member *relay_connection_member(const struct relay_connection *connection, const struct json_value *room);

#endif
