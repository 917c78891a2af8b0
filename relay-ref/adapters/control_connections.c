#include "relay-ref/adapters/control_connections.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/control_reply.h"

/* Forgets a connection that the core no longer has. */
static void forget(struct control_connection *connection) {
    relay_list_remove(&connection->owner->connections, &connection->link);
    relay_table_take(&connection->owner->control->connections, &connection->item);
    free(connection);
}

void relay_control_forget_connections(struct control_relay *relay) {
    while (relay->connections.first != NULL)
        forget(CONTAINER_OF(relay->connections.first, struct control_connection, link));
}

static struct control_connection *new_connection(struct control_relay *relay, struct relay_text name,
                                                 const struct relay_principal *principal) {
    struct control_connection *connection = calloc(1, sizeof *connection + name.length);
    if (connection == NULL || !relay_table_reserve(&relay->control->connections)) {
        free(connection);
        return NULL;
    }
    if (name.length > 0)
        memcpy(connection->name, name.bytes, name.length);
    connection->item.key = (struct relay_text){connection->name, name.length};
    connection->owner = relay;
    struct relay_sink sink = relay_control_sink(connection);
    connection->connection = relay_connect(relay->relay, &sink, principal);
    if (connection->connection == NULL) {
        free(connection);
        return NULL;
    }
    relay_table_put(&relay->control->connections, &connection->item);
    relay_list_append(&relay->connections, &connection->link);
    return connection;
}

void relay_control_connect(struct control *control, const struct control_command *command,
                           struct control_relay *relay) {
    struct relay_text name = relay_control_text(command, CONTROL_CONN);
    struct control_principal principal;
    if (name.bytes == NULL || relay_table_find(&control->connections, name) != NULL) {
        relay_control_reply_error(control, command, "connect needs conn, a name that no open connection has.");
        return;
    }
    if (!relay_control_principal_read(command, &principal))
        relay_control_reply_error(control, command,
                                  "connect needs a principal {writer, kind?, claims?} with a non-empty writer.");
    else if (control->connections.count >= CONTROL_CONNECTION_CEILING ||
             new_connection(relay, name, &principal.principal) == NULL)
        relay_control_reply_error(control, command, "Memory is out, or too many connections are open.");
    else
        relay_control_reply_ok(control, command);
    relay_control_principal_end(&principal);
}

void relay_control_receive(struct control *control, const struct control_command *command,
                           struct control_connection *connection) {
    struct relay_text text = relay_control_text(command, CONTROL_TEXT);
    if (text.bytes == NULL) {
        relay_control_reply_error(control, command, "receive needs text, a string.");
        return;
    }
    relay_receive(connection->connection, text.bytes, text.length);
    relay_control_reply_ok(control, command);
}

void relay_control_disconnect(struct control *control, const struct control_command *command,
                              struct control_connection *connection) {
    relay_disconnect(connection->connection);
    forget(connection);
    relay_control_reply_ok(control, command);
}
