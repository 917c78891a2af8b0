#include "harness/target/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/target/further.h"
#include "harness/target/outcome.h"

#define NAME_CAPACITY 32

struct remote {
    struct control *control;
    struct target_events *events;
    uint64_t relay; /* the number in the open relay's name; never used twice */
    bool opened;    /* a relay is open, and the control URL has not broken since */
    int limit_ms;
    int64_t now;           /* of the virtual clock */
    uint64_t dropped;      /* events that found no room in `events` */
    struct buffer command; /* under construction */
};

static void name_relay(const struct remote *remote, char name[NAME_CAPACITY]) {
    snprintf(name, NAME_CAPACITY, "relay%" PRIu64, remote->relay);
}

/* What an observer of the open relay saw: the event without its envelope. */
static void take_event(void *context, struct json_value *event) {
    struct remote *remote = context;
    char relay[NAME_CAPACITY], name[64];
    name_relay(remote, relay);
    const struct json_value *named = json_get(event, "relay"), *on = json_get(event, "on");
    if (named != NULL && !json_is_string(named, relay))
        return;
    if (events_full(remote->events)) {
        remote->dropped++;
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(on->text.length < sizeof name ? on->text.length : sizeof name - 1),
             on->text.bytes);
    json_remove(event, TEXT("on"));
    json_remove(event, TEXT("relay"));
    struct buffer json = {0};
    json_print(&json, event);
    events_add_owned(remote->events,
                     &(struct target_event){.kind = TARGET_OBSERVED, .text = {json.bytes, json.length}, .name = name});
}

struct remote *remote_new(const char *url, struct target_events *events, struct error *error) {
    struct remote *remote = memory_zeroed(1, sizeof *remote);
    *remote = (struct remote){.events = events, .now = TARGET_CLOCK_START};
    remote->control = control_new(url, take_event, remote, error);
    if (remote->control != NULL)
        return remote;
    free(remote);
    return NULL;
}

void remote_free(struct remote *remote) {
    if (remote == NULL)
        return;
    control_free(remote->control);
    buffer_free(&remote->command);
    free(remote);
}

enum target_outcome remote_start(struct remote *remote, int limit_ms, struct error *error) {
    return control_start(remote->control, limit_ms, error);
}

const struct introduction *remote_said(const struct remote *remote) {
    return control_said(remote->control);
}

bool remote_can(const struct remote *remote, const char *capability) {
    return introduction_lists(remote_said(remote)->can, capability);
}

/* ---- commands ------------------------------------------------------------------------------------ */

static struct buffer *begin(struct remote *remote, const char *verb) {
    char relay[NAME_CAPACITY];
    name_relay(remote, relay);
    remote->command.length = 0;
    buffer_format(&remote->command, "\"do\":\"%s\",\"relay\":\"%s\"", verb, relay);
    return &remote->command;
}

static void put_text(struct buffer *command, const char *key, struct text text) {
    buffer_format(command, ",\"%s\":", key);
    json_print_string(command, text);
}

static void put_json(struct buffer *command, const char *key, struct text json) {
    buffer_format(command, ",\"%s\":", key);
    buffer_text(command, json);
}

static enum target_outcome ask(struct remote *remote, struct json_value **ok, struct error *error) {
    struct text command = {remote->command.bytes, remote->command.length};
    enum target_outcome outcome = control_ask(remote->control, command, remote->limit_ms, ok, error);
    remote->opened = remote->opened && outcome != TARGET_BROKEN;
    return outcome;
}

static enum target_outcome send_clock(struct remote *remote, struct error *error) {
    struct buffer *command = begin(remote, "clock");
    buffer_format(command, ",\"ms\":%" PRId64, remote->now);
    return ask(remote, NULL, error);
}

static bool opens(const struct remote *remote) {
    return remote_can(remote, "options") || remote_can(remote, "fresh") || remote_can(remote, "restart");
}

static enum target_outcome open_relay(struct remote *remote, const char *profile, struct text options,
                                      struct error *error) {
    remote->relay++;
    remote->opened = true;
    struct buffer *command = begin(remote, "open");
    put_text(command, "profile", text_of(profile));
    put_json(command, "options", options);
    enum target_outcome outcome = ask(remote, NULL, error);
    remote->opened = outcome == TARGET_OK;
    /* What observers saw of the relay before is gone with it. */
    control_take_lost(remote->control);
    remote->dropped = 0;
    return outcome;
}

enum target_outcome remote_open(struct remote *remote, const char *profile, struct text options, int limit_ms,
                                struct error *error) {
    remote->limit_ms = limit_ms;
    enum target_outcome outcome =
        remote_start(remote, limit_ms < CONTROL_START_LIMIT_MS ? limit_ms : CONTROL_START_LIMIT_MS, error);
    if (outcome != TARGET_OK)
        return outcome;
    const struct introduction *said = remote_said(remote);
    if (!introduction_lists(said->profiles, profile))
        return target_lacks(error, "%s does not offer %s", said->about, profile);
    if (opens(remote))
        outcome = open_relay(remote, profile, options, error);
    /* A restarted relay finds the clock where it stood. */
    if (outcome == TARGET_OK && remote_can(remote, "clock"))
        outcome = send_clock(remote, error);
    return outcome;
}

void remote_close(struct remote *remote) {
    if (remote->opened) {
        const struct buffer *command = begin(remote, "close");
        control_tell(remote->control, (struct text){command->bytes, command->length}, REMOTE_CLOSE_LIMIT_MS);
    }
    if (remote->command.capacity > ((size_t)1 << 20))
        buffer_free(&remote->command);
    remote->opened = false;
    remote->now = TARGET_CLOCK_START;
}

enum target_outcome remote_hydrate(struct remote *remote, struct text room, struct text snapshot, bool *answer,
                                   struct error *error) {
    struct buffer *command = begin(remote, "hydrate");
    put_text(command, "room", room);
    put_json(command, "snapshot", snapshot);
    struct json_value *ok = NULL;
    enum target_outcome outcome = ask(remote, &ok, error);
    if (outcome != TARGET_OK)
        return outcome;
    if (ok->type != JSON_BOOLEAN)
        return target_broke(error, "the control URL answered `hydrate` with %s instead of true or false",
                            json_type_name(ok->type));
    *answer = ok->boolean;
    return TARGET_OK;
}

enum target_outcome remote_room(struct remote *remote, struct text room, struct buffer *info, struct error *error) {
    put_text(begin(remote, "room"), "room", room);
    struct json_value *ok = NULL;
    enum target_outcome outcome = ask(remote, &ok, error);
    if (outcome != TARGET_OK)
        return outcome;
    if (ok->type != JSON_OBJECT && ok->type != JSON_NULL)
        return target_broke(error, "the control URL answered `room` with %s instead of an object or null",
                            json_type_name(ok->type));
    json_print(info, ok);
    return TARGET_OK;
}

enum target_outcome remote_clock(struct remote *remote, int64_t ms, struct error *error) {
    remote->now = ms;
    return send_clock(remote, error);
}

enum target_outcome remote_command(struct remote *remote, const char *name, struct text fields, struct buffer *answer,
                                   struct error *error) {
    if (!further_put(begin(remote, name), fields))
        return target_misused(error, "the members of `%s` are no JSON object", name);
    struct json_value *ok = NULL;
    enum target_outcome outcome = ask(remote, &ok, error);
    if (outcome == TARGET_OK)
        json_print(answer, ok);
    return outcome;
}

/* The protocol has no command that only fetches; one that nobody knows does, for every answer carries the events. */
enum target_outcome remote_observe(struct remote *remote, struct error *error) {
    begin(remote, "events");
    enum target_outcome outcome = ask(remote, NULL, error);
    if (outcome == TARGET_BROKEN)
        return outcome;
    uint64_t lost = control_take_lost(remote->control) + remote->dropped;
    if (lost > 0)
        return target_broke(error, "%" PRIu64 " observed events were lost: more came than is kept", lost);
    return TARGET_OK;
}
