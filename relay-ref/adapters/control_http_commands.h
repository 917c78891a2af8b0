/*
 * The adapter protocol's commands on the live relay of a server: one JSON command in, {"reply":…,"events":[…]} out.
 * Knows nothing of HTTP.
 *
 * start, open, hydrate, room, clock, close and stop are offered, and for 0.9 hold, unhold, release, fail and unload;
 * everything else is answered
 * {"id":…,"unsupported":true}: clients connect through WebSockets. The server has one relay, so a command's `relay` is
 * only repeated in events.
 */
#ifndef MESHSPEC_CONTROL_HTTP_COMMANDS_H
#define MESHSPEC_CONTROL_HTTP_COMMANDS_H

#include <stdbool.h>

#include "relay-ref/adapters/ws_server_live.h"
#include "relay-ref/core/buffer.h"

/* What the commands act on. */
struct control_room {
    struct live *live;
    enum relay_protocol protocol; /* of the relay that `close` puts in place */
    struct relay_text options;    /* likewise */
    /* Ends every client's connection; called before the relay that it is connected to is freed. */
    void (*end_connections)(void *context);
    void *context;
};

/* Does one command and appends the whole answer. False when `text` is not a JSON object with an `id` and a `do`;
   nothing happened then and nothing was appended. */
bool control_http_command(const struct control_room *room, struct relay_text text, struct relay_buffer *answer);

#endif
