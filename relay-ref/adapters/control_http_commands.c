#include "relay-ref/adapters/control_http_commands.h"

#include <string.h>

#include "relay-ref/adapters/control_line.h"
#include "relay-ref/adapters/control_observe.h"
#include "relay-ref/adapters/flags.h"

#define REASON_CAPACITY 512

static void reply_no(struct control_line *reply, const char *reason) {
    relay_control_line_words(reply, "no", reason);
}

/* The command itself is at fault, as an adapter would say it. */
static void reply_error(struct control_line *reply, const char *what) {
    relay_control_line_words(reply, "error", what);
}

static void reply_ok(struct control_line *reply, const char *json) {
    relay_control_line_json(reply, "ok", (struct relay_text){json, strlen(json)});
}

static void do_start(struct control_line *reply) {
    reply_ok(reply, "{\"name\":\"" SERVER_NAME "\",\"version\":\"" SERVER_VERSION "\",\"language\":\"C\","
                    "\"profiles\":[" RELAY_OBSERVE_PROFILES "],\"can\":[" RELAY_OBSERVE_CAPABILITIES
                    ",\"restart\",\"fresh\"]}");
}

static const struct relay_version *version_of(const struct control_room *room) {
    return relay_version_of(relay_settings_options(room->live->settings)->protocol);
}

/* Puts a fresh relay in place of the living one; its clients are gone before it is, but only if the options do. */
static void replace(const struct control_room *room, enum relay_protocol protocol, struct relay_text options,
                    struct control_line *reply) {
    char reason[REASON_CAPACITY];
    struct relay_settings *wanted = relay_settings_read(protocol, options, reason, sizeof reason);
    if (wanted == NULL) {
        reply_no(reply, reason);
        return;
    }
    relay_settings_free(wanted);
    room->end_connections(room->context);
    if (!live_open(room->live, protocol, options, reason, sizeof reason)) {
        reply_no(reply, reason);
        return;
    }
    live_restart_clock(room->live);
    reply_ok(reply, "true");
}

static void do_open(const struct control_room *room, const struct control_command *command,
                    struct control_line *reply) {
    enum relay_protocol protocol;
    struct relay_text options = relay_control_json(command, CONTROL_OPTIONS);
    struct relay_text name = relay_control_json(command, CONTROL_RELAY);
    if (!relay_control_profile(command, &protocol)) {
        reply_no(reply, RELAY_CONTROL_PROFILE_FAULT);
        return;
    }
    if (options.bytes == NULL)
        options = (struct relay_text){"{}", 2};
    replace(room, protocol, options, reply);
    if (name.bytes != NULL)
        live_set_name(room->live, name);
}

/* A room that is in the file alone is a room like any other. False when it cannot be read. */
static bool load(const struct live *live, struct relay_text name, struct control_line *reply) {
    struct relay_room_info info;
    if (live->rooms == NULL || relay_room(live->relay, name, &info))
        return true;
    enum relay_kept kept = durable_restore(live->rooms, name);
    durable_calm(live->rooms);
    if (kept == RELAY_KEPT_UNREADABLE)
        reply_error(reply, "The room is in the relay's file but cannot be read.");
    return kept != RELAY_KEPT_UNREADABLE;
}

static void do_hydrate(const struct control_room *room, const struct control_command *command,
                       struct control_line *reply) {
    struct relay_text name = relay_control_text(command, CONTROL_ROOM);
    struct relay_text snapshot = relay_control_json(command, CONTROL_SNAPSHOT);
    if (!version_of(room)->hydrates) {
        reply_no(reply, "Hydrating a room came with protocol version 0.1.1.");
        return;
    }
    if (name.bytes == NULL || snapshot.bytes == NULL) {
        reply_error(reply, "hydrate needs a room and a snapshot.");
        return;
    }
    if (!load(room->live, name, reply))
        return;
    enum relay_hydrated hydrated = relay_hydrate(room->live->relay, name, snapshot);
    if (hydrated == RELAY_HYDRATED && room->live->rooms != NULL)
        durable_adopt(room->live->rooms, name);
    if (hydrated == RELAY_HYDRATE_MALFORMED)
        reply_error(reply, relay_observe_snapshot_fault(version_of(room)));
    else
        reply_ok(reply, hydrated == RELAY_HYDRATED ? "true" : "false");
}

static void do_room(const struct control_room *room, const struct control_command *command,
                    struct control_line *reply) {
    struct relay_text name = relay_control_text(command, CONTROL_ROOM);
    struct relay_room_info info;
    if (name.bytes == NULL) {
        reply_error(reply, "room needs the name of a room.");
        return;
    }
    if (!load(room->live, name, reply))
        return;
    if (!relay_room(room->live->relay, name, &info)) {
        reply_ok(reply, "null");
    } else {
        relay_observe_room(reply, version_of(room), &info);
    }
}

/* hold, unhold, release, fail and unload. */
static void do_durable(const struct control_room *room, const struct control_command *command,
                       struct control_line *reply) {
    struct relay_text name = relay_control_text(command, CONTROL_ROOM);
    struct relay *relay = room->live->relay;
    uint64_t seq;
    bool holds = relay_control_is(command, "hold"), unloads = relay_control_is(command, "unload");
    if (!version_of(room)->generations) {
        reply_no(reply, "This command came with protocol version 0.9.");
    } else if (unloads && room->live->rooms != NULL) {
        reply_no(reply, "With --db an unloaded room comes back as it was.");
    } else if (holds || relay_control_is(command, "unhold")) {
        room->live->holds = holds;
        reply_ok(reply, "true");
    } else if (name.bytes == NULL || (!unloads && !relay_control_seq(command, &seq))) {
        reply_error(reply, "The command needs room, a string, and release and fail need seq, a count.");
    } else {
        bool done = unloads                                ? relay_unload(relay, name, relay_control_discards(command))
                    : relay_control_is(command, "release") ? relay_release(relay, name, seq)
                                                           : relay_fail(relay, name, seq);
        reply_ok(reply, done ? "true" : "false");
    }
}

static bool is_durable(const struct control_command *command) {
    static const char *const verbs[] = {"hold", "unhold", "release", "fail", "unload"};
    bool found = false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        found = found || relay_control_is(command, verbs[i]);
    return found;
}

static void do_clock(const struct control_room *room, const struct control_command *command,
                     struct control_line *reply) {
    int64_t ms;
    if (!relay_control_milliseconds(command, &ms)) {
        reply_error(reply, "clock needs whole milliseconds.");
        return;
    }
    live_set_clock(room->live, ms);
    reply_ok(reply, "true");
}

static void dispatch(const struct control_room *room, const struct control_command *command,
                     struct control_line *reply) {
    if (relay_control_is(command, "start"))
        do_start(reply);
    else if (relay_control_is(command, "open"))
        do_open(room, command, reply);
    else if (relay_control_is(command, "hydrate"))
        do_hydrate(room, command, reply);
    else if (relay_control_is(command, "room"))
        do_room(room, command, reply);
    else if (relay_control_is(command, "clock"))
        do_clock(room, command, reply);
    else if (is_durable(command))
        do_durable(room, command, reply);
    else if (relay_control_is(command, "close") || relay_control_is(command, "stop"))
        replace(room, room->protocol, room->options, reply);
    else
        relay_control_line_json(reply, "unsupported", (struct relay_text){"true", 4});
}

/* Puts the reply and the events that wait together. */
static void write_answer(struct live *live, struct control_line *reply, struct relay_buffer *answer) {
    struct relay_text text = relay_control_line_finish(reply);
    answer->failed = answer->failed || text.bytes == NULL;
    relay_buffer_add_words(answer, "{\"reply\":");
    relay_buffer_add_text(answer, text);
    relay_buffer_add_words(answer, ",\"events\":[");
    uint64_t lost = live_take_events(live, answer);
    relay_buffer_add_words(answer, "]");
    if (lost > 0) {
        relay_buffer_add_words(answer, ",\"eventsLost\":");
        relay_buffer_add_count(answer, lost);
    }
    relay_buffer_add_words(answer, "}");
}

bool control_http_command(const struct control_room *room, struct relay_text text, struct relay_buffer *answer) {
    struct control_command command;
    bool read = relay_control_command_read(&command, text.bytes, text.length);
    if (read) {
        struct control_line reply;
        relay_control_line_reply(&reply, &command);
        dispatch(room, &command, &reply);
        write_answer(room->live, &reply, answer);
        relay_control_line_free(&reply);
    }
    relay_control_command_end(&command);
    return read;
}
