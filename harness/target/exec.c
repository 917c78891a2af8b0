/*
 * A relay behind the adapter protocol: a child process, commands out, events and replies in. The reply to a command is
 * the barrier. A child that breaks the protocol costs the open case and is started anew by the next `open`.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/json/characters.h"
#include "harness/json/value.h"
#include "harness/target/exec_state.h"
#include "harness/target/further.h"
#include "harness/target/outcome.h"

static struct exec_target *exec_of(struct target *target) {
    return (struct exec_target *)target;
}

/* ---- the table: cases ---------------------------------------------------------------------------- */

static bool can(struct target *target, const char *capability) {
    static const char *const by_the_protocol[] = {"barrier", "restart", "fresh"};
    static const char *const of_sockets[] = {"binary", "fragments", "abrupt", "stall"};
    for (size_t i = 0; i < sizeof by_the_protocol / sizeof *by_the_protocol; i++)
        if (strcmp(by_the_protocol[i], capability) == 0)
            return true;
    for (size_t i = 0; i < sizeof of_sockets / sizeof *of_sockets; i++)
        if (strcmp(of_sockets[i], capability) == 0)
            return false;
    return introduction_lists(exec_of(target)->adapter.said.can, capability);
}

/* Ends the open relay in the adapter and every connection with it. */
static void end_relay(struct exec_target *exec) {
    for (size_t i = 0; i < exec->count; i++)
        exec->connections[i].ended = true;
    if (exec->opened && exec->adapter.child != NULL) {
        struct error ignored = {0};
        exec_begin(exec, "close");
        if (exec_ask(exec, NULL, &ignored) == TARGET_NO)
            adapter_broke(&exec->adapter, &ignored, "does not close its relay");
    }
    exec->opened = false;
}

static enum target_outcome set_adapter_clock(struct exec_target *exec, struct error *error) {
    struct buffer *command = exec_begin(exec, "clock");
    buffer_format(command, ",\"ms\":%" PRId64, exec->now);
    return exec_ask(exec, NULL, error);
}

static enum target_outcome open_relay(struct exec_target *exec, const char *profile, struct text options,
                                      struct error *error) {
    exec->relay++;
    exec->opened = true;
    struct buffer *command = exec_begin(exec, "open");
    exec_put_text(command, "profile", text_of(profile));
    exec_put_json(command, "options", options);
    enum target_outcome outcome = exec_ask(exec, NULL, error);
    exec->opened = outcome == TARGET_OK;
    /* A restarted relay finds the clock where it stood. */
    if (exec->opened && introduction_lists(exec->adapter.said.can, "clock"))
        outcome = set_adapter_clock(exec, error);
    return outcome;
}

static bool is_empty_object(struct text json) {
    struct arena *arena = arena_new();
    struct error ignored;
    const struct json_value *value = json_parse(arena, json, &ignored);
    bool empty = value != NULL && value->type == JSON_OBJECT && value->count == 0;
    arena_free(arena);
    return empty;
}

static enum target_outcome open_case(struct target *target, const char *profile, struct text options, int limit_ms,
                                     struct error *error) {
    struct exec_target *exec = exec_of(target);
    exec->limit_ms = limit_ms;
    end_relay(exec);
    enum target_outcome outcome = adapter_start(&exec->adapter, error);
    if (outcome != TARGET_OK)
        return outcome;
    target->about = exec->adapter.said.about;
    if (!introduction_lists(exec->adapter.said.profiles, profile))
        return target_lacks(error, "%s does not offer %s", exec->adapter.said.about, profile);
    if (!can(target, "options") && !is_empty_object(options))
        return target_lacks(error, "%s takes no options", exec->adapter.said.about);
    return open_relay(exec, profile, options, error);
}

static void close_case(struct target *target) {
    struct exec_target *exec = exec_of(target);
    end_relay(exec);
    events_clear(&exec->events);
    adapter_forget_log(&exec->adapter);
    exec->count = 0;
    exec->serial++;
    exec->now = TARGET_CLOCK_START;
}

/* ---- the table: connections ---------------------------------------------------------------------- */

static enum target_outcome connect(struct target *target, int number, const struct target_principal *principal,
                                   struct error *error) {
    struct exec_target *exec = exec_of(target);
    if (exec_find(exec, number) != NULL)
        return target_misused(error, "connection %d was connected twice in one case", number);
    exec->connections = memory_room(exec->connections, exec->count, &exec->capacity, sizeof *exec->connections);
    exec->connections[exec->count++] = (struct exec_connection){.number = number};
    struct buffer *command = exec_begin(exec, "connect");
    buffer_format(command, ",\"conn\":\"" EXEC_CONNECTION_FORMAT "\",\"principal\":{\"writer\":", exec->serial, number);
    json_print_string(command, principal->writer);
    if (principal->kind.bytes != NULL)
        exec_put_text(command, "kind", principal->kind);
    if (principal->claims.bytes != NULL)
        exec_put_json(command, "claims", principal->claims);
    buffer_string(command, "}");
    return exec_ask(exec, NULL, error);
}

static enum target_outcome send(struct target *target, int number, struct text message, enum target_frame frame,
                                int fragments, struct error *error) {
    struct exec_target *exec = exec_of(target);
    if (!target_plain_message(error, frame, fragments))
        return TARGET_NO;
    if (!utf8_valid(message))
        return target_lacks(error, "bytes that are not UTF-8 need a socket");
    const struct exec_connection *connection = exec_find(exec, number);
    if (connection == NULL || connection->ended)
        return TARGET_OK;
    exec_put_text(exec_begin_for(exec, "receive", number), "text", message);
    return exec_ask(exec, NULL, error);
}

/* An adapter's connections have no handshake to leave out. */
static enum target_outcome disconnect(struct target *target, int number, bool abrupt, struct error *error) {
    (void)abrupt;
    struct exec_target *exec = exec_of(target);
    struct exec_connection *connection = exec_find(exec, number);
    if (connection == NULL || connection->ended)
        return TARGET_OK;
    connection->ended = true;
    events_drop_closed(&exec->events, number);
    exec_begin_for(exec, "disconnect", number);
    return exec_ask(exec, NULL, error);
}

/* ---- the table: controls ------------------------------------------------------------------------- */

static enum target_outcome hydrate(struct target *target, struct text room, struct text snapshot, bool *answer,
                                   struct error *error) {
    struct exec_target *exec = exec_of(target);
    if (!can(target, "hydrate"))
        return target_has_no_hydrate(target, room, snapshot, answer, error);
    struct buffer *command = exec_begin(exec, "hydrate");
    exec_put_text(command, "room", room);
    exec_put_json(command, "snapshot", snapshot);
    struct json_value *ok = NULL;
    enum target_outcome outcome = exec_ask(exec, &ok, error);
    if (outcome != TARGET_OK)
        return outcome;
    if (ok->type != JSON_BOOLEAN)
        return adapter_broke(&exec->adapter, error, "answered `hydrate` with %s instead of true or false",
                             json_type_name(ok->type));
    *answer = ok->boolean;
    return TARGET_OK;
}

static enum target_outcome room(struct target *target, struct text name, struct buffer *info, struct error *error) {
    struct exec_target *exec = exec_of(target);
    if (!can(target, "room"))
        return target_has_no_room(target, name, info, error);
    exec_put_text(exec_begin(exec, "room"), "room", name);
    struct json_value *ok = NULL;
    enum target_outcome outcome = exec_ask(exec, &ok, error);
    if (outcome != TARGET_OK)
        return outcome;
    if (ok->type != JSON_OBJECT && ok->type != JSON_NULL)
        return adapter_broke(&exec->adapter, error, "answered `room` with %s instead of an object or null",
                             json_type_name(ok->type));
    json_print(info, ok);
    return TARGET_OK;
}

static enum target_outcome set_clock(struct target *target, int64_t ms, struct error *error) {
    struct exec_target *exec = exec_of(target);
    if (!can(target, "clock"))
        return target_has_no_clock(target, ms, error);
    exec->now = ms;
    return set_adapter_clock(exec, error);
}

static enum target_outcome further_command(struct target *target, const char *name, struct text fields,
                                           struct buffer *answer, struct error *error) {
    struct exec_target *exec = exec_of(target);
    if (!can(target, further_capability(name)))
        return further_missing(target, name, error);
    if (!further_put(exec_begin(exec, name), fields))
        return target_misused(error, "the members of `%s` are no JSON object", name);
    struct json_value *ok = NULL;
    enum target_outcome outcome = exec_ask(exec, &ok, error);
    if (outcome == TARGET_OK)
        json_print(answer, ok);
    return outcome;
}

static bool next_event(struct target *target, int timeout_ms, struct target_event *event, struct error *error) {
    (void)timeout_ms;
    struct exec_target *exec = exec_of(target);
    if (events_take(&exec->events, event))
        return true;
    if (exec->opened && exec->adapter.child == NULL)
        target_broke(error, "the adapter `%s` has ended earlier in this case", exec->adapter.command);
    return false;
}

static struct text log_of(struct target *target) {
    return adapter_log(&exec_of(target)->adapter);
}

/* ---- making and freeing -------------------------------------------------------------------------- */

static void free_target(struct target *target) {
    struct exec_target *exec = exec_of(target);
    adapter_free(&exec->adapter);
    events_clear(&exec->events);
    buffer_free(&exec->command);
    free(exec->connections);
    free(exec->name);
    free(exec);
}

struct target *target_exec_new(const char *command, struct error *error) {
    static const struct target_table table = {.can = can,
                                              .open = open_case,
                                              .connect = connect,
                                              .send = send,
                                              .disconnect = disconnect,
                                              .stall = target_has_no_stall,
                                              .hydrate = hydrate,
                                              .room = room,
                                              .clock = set_clock,
                                              .command = further_command,
                                              .next_event = next_event,
                                              .close = close_case,
                                              .free = free_target,
                                              .log = log_of};
    if (command[strspn(command, " \t\n")] == '\0') {
        error_set(error, ERROR_USAGE, "exec: needs a command, such as exec:build/meshspec-adapter");
        return NULL;
    }
    struct exec_target *exec = memory_zeroed(1, sizeof *exec);
    struct buffer name = {0};
    buffer_format(&name, "exec:%s", command);
    exec->name = name.bytes;
    exec->target = (struct target){.table = &table, .name = exec->name};
    exec->adapter = (struct adapter){.command = exec->name + strlen("exec:"), .on_event = exec_take_event, .context = exec};
    exec->now = TARGET_CLOCK_START;
    /* What it can do has to be known before a case is opened. */
    if (adapter_start(&exec->adapter, error) != TARGET_OK) {
        free_target(&exec->target);
        return NULL;
    }
    exec->target.about = exec->adapter.said.about;
    return &exec->target;
}
