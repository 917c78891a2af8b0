/* What an adapter tells of its own accord, made into the target's events. */
#include <stdio.h>
#include <string.h>

#include "harness/target/exec_state.h"

struct exec_connection *exec_find(struct exec_target *exec, int number) {
    for (size_t i = exec->count; i > 0; i--)
        if (exec->connections[i - 1].number == number)
            return &exec->connections[i - 1];
    return NULL;
}

/* The connection that an event names. `*other_case`: one of an earlier case, whose relay may still be at it. */
static struct exec_connection *named_connection(struct exec_target *exec, const struct json_value *event,
                                                bool *other_case) {
    const struct json_value *name = json_get(event, "conn");
    uint64_t serial;
    int number;
    char text[64] = "", again[64];
    if (name == NULL || name->type != JSON_STRING || name->text.length >= sizeof text)
        return NULL;
    memcpy(text, name->text.bytes, name->text.length);
    if (sscanf(text, "case%" SCNu64 "-%d", &serial, &number) != 2)
        return NULL;
    snprintf(again, sizeof again, EXEC_CONNECTION_FORMAT, serial, number);
    if (strcmp(again, text) != 0)
        return NULL;
    *other_case = serial < exec->serial;
    return serial == exec->serial ? exec_find(exec, number) : NULL;
}

static bool take_connection_event(struct exec_target *exec, struct json_value *value, bool closed,
                                  struct error *reason) {
    bool other_case = false;
    const struct exec_connection *connection = named_connection(exec, value, &other_case);
    const struct json_value *text = json_get(value, "text");
    if (!closed && (text == NULL || text->type != JSON_STRING))
        return error_set(reason, ERROR_TARGET, "wrote a `send` without its `text`");
    if (connection == NULL && !other_case)
        return error_set(reason, ERROR_TARGET, "wrote an event of a connection that was never made");
    if (other_case || connection->ended)
        return true;
    events_add(&exec->events, &(struct target_event){.kind = closed ? TARGET_CLOSED : TARGET_MESSAGE,
                                                     .connection = connection->number,
                                                     .text = closed ? TEXT("") : text->text});
    return true;
}

/* What an observer saw: the event without its envelope. */
static bool take_observed(struct exec_target *exec, struct json_value *value) {
    char relay[32];
    snprintf(relay, sizeof relay, "relay%" PRIu64, exec->relay);
    const struct json_value *named = json_get(value, "relay");
    if (named != NULL && !json_is_string(named, relay))
        return true;
    const struct json_value *on = json_get(value, "on");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(on->text.length < sizeof name ? on->text.length : sizeof name - 1),
             on->text.bytes);
    json_remove(value, TEXT("on"));
    json_remove(value, TEXT("relay"));
    struct buffer json = {0};
    json_print(&json, value);
    events_add_owned(&exec->events,
                     &(struct target_event){.kind = TARGET_OBSERVED, .text = {json.bytes, json.length}, .name = name});
    return true;
}

bool exec_take_event(void *context, struct json_value *value, struct error *reason) {
    struct exec_target *exec = context;
    if (events_full(&exec->events))
        return error_set(reason, ERROR_TARGET, "floods: it wrote more than %zu events or %zu bytes that nobody took",
                         TARGET_EVENTS_COUNT_CEILING, TARGET_EVENTS_BYTES_CEILING);
    const struct json_value *on = json_get(value, "on");
    if (json_is_string(on, "send"))
        return take_connection_event(exec, value, false, reason);
    if (json_is_string(on, "close"))
        return take_connection_event(exec, value, true, reason);
    return take_observed(exec, value);
}
