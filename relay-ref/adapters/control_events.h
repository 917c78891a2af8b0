/* The named relays and connections of a control, and the events that they cause. */
#ifndef MESHSPEC_RELAY_CONTROL_EVENTS_H
#define MESHSPEC_RELAY_CONTROL_EVENTS_H

#include "relay-ref/adapters/control.h"
#include "relay-ref/adapters/control_line.h"
#include "relay-ref/adapters/options.h"
#include "relay-ref/core/list.h"
#include "relay-ref/core/table.h"
#include "relay-ref/core/version.h"

struct control {
    struct control_output output;
    struct table_seed seed;
    struct table relays;      /* struct control_relay by name */
    struct table connections; /* struct control_connection by name */
    uint64_t minted;
    bool stopped;
};

struct control_relay {
    struct table_item item;
    struct control *control;
    struct relay_settings *settings; /* owned */
    struct relay *relay;             /* owned */
    const struct relay_version *version;
    int64_t now;
    bool holds; /* commits stay undecided */
    struct list connections;
    char name[];
};

struct control_connection {
    struct table_item item;
    struct list_link link;
    struct control_relay *owner;
    struct relay_connection *connection;
    char name[];
};

/* Hands a line to the control's output and frees it. */
void relay_control_emit(struct control *control, struct control_line *line);

/* A relay's door to the world: its clock, its epochs, what its observers see as events; further observers
   from 0.9 on. */
struct relay_env relay_control_env(struct control_relay *relay);

/* A connection's frames and its close as events. */
struct relay_sink relay_control_sink(struct control_connection *connection);

#endif
