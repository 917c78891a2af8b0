#include "relay-ref/adapters/control.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/control_connections.h"
#include "relay-ref/adapters/control_durable.h"
#include "relay-ref/adapters/control_events.h"
#include "relay-ref/adapters/control_observe.h"
#include "relay-ref/adapters/control_reply.h"

/* ---- relays -------------------------------------------------------------------------------------- */

static void close_relay(struct control_relay *relay) {
    relay_control_forget_connections(relay);
    relay_table_take(&relay->control->relays, &relay->item);
    relay_free(relay->relay);
    relay_settings_free(relay->settings);
    free(relay);
}

static struct control_relay *new_relay(struct control *control, struct relay_text name, enum relay_protocol protocol,
                                       struct relay_settings *settings) {
    struct control_relay *relay = calloc(1, sizeof *relay + name.length);
    if (relay == NULL || !relay_table_reserve(&control->relays)) {
        free(relay);
        return NULL;
    }
    if (name.length > 0)
        memcpy(relay->name, name.bytes, name.length);
    relay->item.key = (struct relay_text){relay->name, name.length};
    relay->control = control;
    relay->version = relay_version_of(protocol);
    relay->now = CONTROL_CLOCK_START;
    struct relay_env env = relay_control_env(relay);
    relay->relay = relay_new(&env, relay_settings_options(settings));
    if (relay->relay == NULL) {
        free(relay);
        return NULL;
    }
    relay->settings = settings;
    relay_table_put(&control->relays, &relay->item);
    return relay;
}

/* A new relay takes the place of one of the same name; the connections of the one before are gone. */
static void do_open(struct control *control, const struct control_command *command) {
    struct relay_text name = relay_control_text(command, CONTROL_RELAY);
    enum relay_protocol protocol;
    char reason[256];
    if (!relay_control_profile(command, &protocol)) {
        relay_control_reply_words(control, command, "no", RELAY_CONTROL_PROFILE_FAULT);
        return;
    }
    struct relay_settings *settings =
        relay_settings_read(protocol, relay_control_json(command, CONTROL_OPTIONS), reason, sizeof reason);
    if (settings == NULL) {
        relay_control_reply_words(control, command, "no", reason);
        return;
    }
    struct control_relay *older = CONTAINER_OF(relay_table_find(&control->relays, name), struct control_relay, item);
    if (older != NULL)
        close_relay(older);
    if (control->relays.count >= CONTROL_RELAY_CEILING || new_relay(control, name, protocol, settings) == NULL) {
        relay_settings_free(settings);
        relay_control_reply_error(control, command, "Memory is out, or too many relays are open.");
        return;
    }
    relay_control_reply_ok(control, command);
}

static void do_close(struct control *control, const struct control_command *command, struct control_relay *relay) {
    close_relay(relay);
    relay_control_reply_ok(control, command);
}

static void do_clock(struct control *control, const struct control_command *command, struct control_relay *relay) {
    int64_t ms;
    if (!relay_control_milliseconds(command, &ms) || ms < relay->now) {
        relay_control_reply_error(control, command,
                                  "The clock needs ms, a number that is not below the time it shows.");
        return;
    }
    relay->now = ms;
    relay_control_reply_ok(control, command);
}

static void do_hydrate(struct control *control, const struct control_command *command, struct control_relay *relay) {
    struct relay_text snapshot = relay_control_json(command, CONTROL_SNAPSHOT);
    if (!relay->version->hydrates) {
        relay_control_reply_words(control, command, "no", "Hydrating a room came with protocol version 0.1.1.");
        return;
    }
    if (snapshot.bytes == NULL) {
        relay_control_reply_error(control, command, "hydrate needs a snapshot.");
        return;
    }
    switch (relay_hydrate(relay->relay, relay_control_text(command, CONTROL_ROOM), snapshot)) {
    case RELAY_HYDRATED:
        relay_control_reply_ok(control, command);
        break;
    case RELAY_HYDRATE_REFUSED:
        relay_control_reply_json(control, command, "false");
        break;
    default:
        relay_control_reply_error(control, command, relay_observe_snapshot_fault(relay->version));
    }
}

static void do_room(struct control *control, const struct control_command *command, struct control_relay *relay) {
    struct relay_room_info info;
    if (!relay_room(relay->relay, relay_control_text(command, CONTROL_ROOM), &info)) {
        relay_control_reply_json(control, command, "null");
        return;
    }
    struct control_line line;
    relay_control_line_reply(&line, command);
    relay_observe_room(&line, relay->version, &info);
    relay_control_emit(control, &line);
}

/* ---- commands ------------------------------------------------------------------------------------ */

static void do_start(struct control *control, const struct control_command *command) {
    relay_control_reply_json(control, command,
                             "{\"name\":\"meshspec reference relay\",\"version\":\"1.0.0\",\"language\":\"C\","
                             "\"profiles\":[" RELAY_OBSERVE_PROFILES "],\"can\":[" RELAY_OBSERVE_CAPABILITIES "]}");
}

static void do_stop(struct control *control, const struct control_command *command) {
    control->stopped = true;
    relay_control_reply_ok(control, command);
}

typedef void control_action(struct control *, const struct control_command *);
typedef void relay_action(struct control *, const struct control_command *, struct control_relay *);
typedef void connection_action(struct control *, const struct control_command *, struct control_connection *);

/* One of the three functions is set: what it is called with is looked up first. */
static const struct {
    const char *name;
    bool needs_room;
    control_action *alone;
    relay_action *on_relay;
    connection_action *on_connection;
} commands[] = {
    {"start", false, do_start, NULL, NULL},
    {"stop", false, do_stop, NULL, NULL},
    {"open", false, do_open, NULL, NULL},
    {"close", false, NULL, do_close, NULL},
    {"clock", false, NULL, do_clock, NULL},
    {"hydrate", true, NULL, do_hydrate, NULL},
    {"room", true, NULL, do_room, NULL},
    {"connect", false, NULL, relay_control_connect, NULL},
    {"receive", false, NULL, NULL, relay_control_receive},
    {"disconnect", false, NULL, NULL, relay_control_disconnect},
    {"hold", false, NULL, relay_control_hold, NULL},
    {"unhold", false, NULL, relay_control_unhold, NULL},
    {"release", true, NULL, relay_control_release, NULL},
    {"fail", true, NULL, relay_control_fail, NULL},
    {"unload", true, NULL, relay_control_unload, NULL},
};

static void run_on_relay(struct control *control, const struct control_command *command, relay_action *action) {
    struct relay_text name = relay_control_text(command, CONTROL_RELAY);
    struct control_relay *relay = CONTAINER_OF(relay_table_find(&control->relays, name), struct control_relay, item);
    if (relay == NULL)
        relay_control_reply_error(control, command, "No relay of that name is open.");
    else
        action(control, command, relay);
}

static void run_on_connection(struct control *control, const struct control_command *command,
                              connection_action *action) {
    struct relay_text name = relay_control_text(command, CONTROL_CONN);
    struct control_connection *connection =
        CONTAINER_OF(relay_table_find(&control->connections, name), struct control_connection, item);
    if (connection == NULL)
        relay_control_reply_error(control, command, "No connection of that name is open.");
    else
        action(control, command, connection);
}

static void run(struct control *control, const struct control_command *command) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!relay_control_is(command, commands[i].name))
            continue;
        if (commands[i].needs_room && relay_control_text(command, CONTROL_ROOM).bytes == NULL)
            relay_control_reply_error(control, command, "The command needs room, a string.");
        else if (commands[i].alone != NULL)
            commands[i].alone(control, command);
        else if (commands[i].on_relay != NULL)
            run_on_relay(control, command, commands[i].on_relay);
        else
            run_on_connection(control, command, commands[i].on_connection);
        return;
    }
    relay_control_reply_unsupported(control, command);
}

struct control *relay_control_new(const struct control_output *output) {
    struct control *control = calloc(1, sizeof *control);
    if (control == NULL)
        return NULL;
    control->output = *output;
    relay_table_start(&control->relays, &control->seed);
    relay_table_start(&control->connections, &control->seed);
    return control;
}

void relay_control_free(struct control *control) {
    if (control == NULL)
        return;
    size_t position;
    struct table_item *item;
    while (position = 0, (item = relay_table_next(&control->relays, &position)) != NULL)
        close_relay(CONTAINER_OF(item, struct control_relay, item));
    relay_table_free(&control->relays);
    relay_table_free(&control->connections);
    free(control);
}

void relay_control_command(struct control *control, const char *line, size_t length) {
    struct control_command command;
    if (relay_control_command_read(&command, line, length))
        run(control, &command);
    else
        relay_control_reply_error(control, &command, command.problem);
    relay_control_command_end(&command);
}

bool relay_control_stopped(const struct control *control) {
    return control->stopped;
}
