/*
 * Any relay by URL. Events arrive when they arrive; the loop runs while a function of the table is called, and only
 * then.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/json/value.h"
#include "harness/target/events.h"
#include "harness/target/outcome.h"
#include "harness/target/socket.h"
#include "harness/target/url.h"

struct websocket_target {
    struct target target;
    char *name; /* the URL as given */
    struct url url;
    struct socket_loop *loop;
    struct target_events events;
    struct socket **sockets; /* of the open case */
    size_t count, capacity;
    bool opened;
    int limit_ms;
};

static struct websocket_target *websocket_of(struct target *target) {
    return (struct websocket_target *)target;
}

static int64_t deadline_of(const struct websocket_target *websocket) {
    return socket_now() + (int64_t)websocket->limit_ms * 1000;
}

/* The place of a connection among the sockets; `count` when it has none. */
static size_t find(const struct websocket_target *websocket, int number) {
    size_t index = 0;
    while (index < websocket->count && socket_number(websocket->sockets[index]) != number)
        index++;
    return index;
}

static bool can(struct target *target, const char *capability) {
    (void)target;
    static const char *const all[] = {"binary", "fragments", "abrupt", "stall"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i], capability) == 0)
            return true;
    return false;
}

static bool is_empty_object(struct text json) {
    struct arena *arena = arena_new();
    struct error ignored;
    const struct json_value *value = json_parse(arena, json, &ignored);
    bool empty = value != NULL && value->type == JSON_OBJECT && value->count == 0;
    arena_free(arena);
    return empty;
}

/* Which profile the relay speaks is for the caller to know; a URL does not tell. */
static enum target_outcome open(struct target *target, const char *profile, struct text options, int limit_ms,
                                struct error *error) {
    (void)profile;
    struct websocket_target *websocket = websocket_of(target);
    if (websocket->opened)
        return target_lacks(error, "a relay behind a URL cannot be restarted");
    if (!is_empty_object(options))
        return target_lacks(error, "a relay behind a URL takes no options");
    websocket->opened = true;
    websocket->limit_ms = limit_ms;
    return TARGET_OK;
}

static enum target_outcome connect(struct target *target, int number, const struct target_principal *principal,
                                   struct error *error) {
    struct websocket_target *websocket = websocket_of(target);
    if (!websocket->opened)
        return target_misused(error, "the WebSocket target was used before a case was opened");
    if (find(websocket, number) < websocket->count)
        return target_misused(error, "connection %d was connected twice in one case", number);
    struct buffer path = {0};
    url_put_path(&path, &websocket->url, principal);
    if (path.length > SOCKET_PATH_CEILING) {
        buffer_free(&path);
        return target_lacks(error, "the principal is too long to travel in a URL");
    }
    struct socket *socket =
        socket_open(websocket->loop, &websocket->url, path.bytes, number, deadline_of(websocket), error);
    buffer_free(&path);
    if (socket == NULL) {
        error_context(error, "no WebSocket connection to %s", websocket->name);
        return TARGET_BROKEN;
    }
    websocket->sockets =
        memory_room(websocket->sockets, websocket->count, &websocket->capacity, sizeof *websocket->sockets);
    websocket->sockets[websocket->count++] = socket;
    return TARGET_OK;
}

static enum target_outcome send(struct target *target, int number, struct text message, enum target_frame frame,
                                int fragments, struct error *error) {
    struct websocket_target *websocket = websocket_of(target);
    size_t index = find(websocket, number);
    if (index == websocket->count || socket_send(websocket->sockets[index], message, frame == TARGET_FRAME_BINARY,
                                                 fragments, deadline_of(websocket), error))
        return TARGET_OK;
    error_context(error, "%s", websocket->name);
    return TARGET_BROKEN;
}

static void end(struct websocket_target *websocket, size_t index, bool abrupt) {
    struct socket *socket = websocket->sockets[index];
    websocket->sockets[index] = websocket->sockets[--websocket->count];
    events_drop_closed(&websocket->events, socket_number(socket));
    if (abrupt)
        socket_break(socket);
    else
        socket_leave(socket);
}

static enum target_outcome disconnect(struct target *target, int number, bool abrupt, struct error *error) {
    (void)error;
    struct websocket_target *websocket = websocket_of(target);
    size_t index = find(websocket, number);
    if (index < websocket->count)
        end(websocket, index, abrupt);
    return TARGET_OK;
}

static enum target_outcome stall(struct target *target, int number, bool stalled, struct error *error) {
    (void)error;
    struct websocket_target *websocket = websocket_of(target);
    size_t index = find(websocket, number);
    if (index < websocket->count)
        socket_stall(websocket->sockets[index], stalled);
    return TARGET_OK;
}

static bool next_event(struct target *target, int timeout_ms, struct target_event *event, struct error *error) {
    struct websocket_target *websocket = websocket_of(target);
    int64_t deadline = socket_now() + (int64_t)timeout_ms * 1000;
    bool waiting = true;
    while (!events_take(&websocket->events, event)) {
        if (*socket_loop_fault(websocket->loop) != '\0') {
            target_broke(error, "%s: %s", websocket->name, socket_loop_fault(websocket->loop));
            return false;
        }
        if (!waiting)
            return false;
        waiting = socket_now() < deadline;
        socket_loop_run(websocket->loop, deadline);
    }
    return true;
}

static void close_case(struct target *target) {
    struct websocket_target *websocket = websocket_of(target);
    while (websocket->count > 0)
        end(websocket, websocket->count - 1, false);
    events_clear(&websocket->events);
    socket_loop_forget_fault(websocket->loop);
    websocket->opened = false;
}

static void free_target(struct target *target) {
    struct websocket_target *websocket = websocket_of(target);
    if (websocket->loop != NULL)
        close_case(target);
    socket_loop_free(websocket->loop);
    url_free(&websocket->url);
    free(websocket->sockets);
    free(websocket->name);
    free(websocket);
}

struct target *target_websocket_new(const char *url, struct error *error) {
    static const struct target_table table = {.can = can,
                                              .open = open,
                                              .connect = connect,
                                              .send = send,
                                              .disconnect = disconnect,
                                              .stall = stall,
                                              .hydrate = target_has_no_hydrate,
                                              .room = target_has_no_room,
                                              .clock = target_has_no_clock,
                                              .next_event = next_event,
                                              .close = close_case,
                                              .free = free_target};
    struct websocket_target *websocket = memory_zeroed(1, sizeof *websocket);
    struct buffer name = {0};
    buffer_string(&name, url);
    websocket->name = name.bytes;
    websocket->target = (struct target){.table = &table, .name = websocket->name};
    if (url_read(&websocket->url, url, error))
        websocket->loop = socket_loop_new(websocket->url.tls, &websocket->events, error);
    if (websocket->loop == NULL) {
        free_target(&websocket->target);
        return NULL;
    }
    return &websocket->target;
}
