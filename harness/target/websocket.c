/*
 * Any relay by URL. Events arrive when they arrive; the loop runs while a function of the table is called, and only
 * then.
 */
#include "harness/target/websocket.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/target/events.h"
#include "harness/target/further.h"
#include "harness/target/options.h"
#include "harness/target/outcome.h"
#include "harness/target/remote.h"
#include "harness/target/socket.h"

struct websocket_target {
    struct target target;
    struct websocket_settings settings;
    char *name; /* the URL as given */
    struct url url;
    struct socket_loop *loop;
    struct remote *remote; /* its control URL; NULL: none */
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

static bool is_one_of(const char *capability, const char *const *all, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i], capability) == 0)
            return true;
    return false;
}

static bool can(struct target *target, const char *capability) {
    static const char *const of_sockets[] = {"binary", "fragments", "abrupt", "stall"};
    static const char *const of_options[] = {"options",   "policy.acl", "policy.validate", "policy.canBump",
                                             "policy.verifyCitations"};
    const struct websocket_target *websocket = websocket_of(target);
    const struct websocket_settings *settings = &websocket->settings;
    if (is_one_of(capability, of_sockets, sizeof of_sockets / sizeof *of_sockets))
        return true;
    if (strcmp(capability, "barrier") == 0)
        return false;
    if (strcmp(capability, "fixed-writers") == 0)
        return settings->principal->token_count > 0;
    if (strcmp(capability, "fence.hello") == 0)
        return settings->hello_fences;
    if (settings->options != NULL && is_one_of(capability, of_options, sizeof of_options / sizeof *of_options))
        return true;
    return websocket->remote != NULL && remote_can(websocket->remote, capability);
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

static bool speaks(const struct websocket_settings *settings, const char *profile) {
    size_t count = 0;
    while (settings->profiles != NULL && settings->profiles[count] != NULL)
        count++;
    return count == 0 || is_one_of(profile, settings->profiles, count);
}

/* Whether the relay runs with these options, or the control URL takes them; else false and the reason. */
static bool suits(const struct websocket_target *websocket, struct text options, struct error *error) {
    const char *fixed = websocket->settings.options;
    if (websocket->remote != NULL && remote_can(websocket->remote, "options"))
        return true;
    if (options_same(options, text_of(fixed != NULL ? fixed : "{}")))
        return true;
    return fixed == NULL ? error_set(error, ERROR_TARGET, "a relay behind a URL takes no options")
                         : error_set(error, ERROR_TARGET, "the relay runs with other options: %s", fixed);
}

/* Without a control URL, which profile the relay speaks is for the caller to know; a URL does not tell. */
static enum target_outcome open(struct target *target, const char *profile, struct text options, int limit_ms,
                                struct error *error) {
    struct websocket_target *websocket = websocket_of(target);
    bool again = websocket->opened;
    if (again && !can(target, "restart"))
        return target_lacks(error, "a relay behind a URL cannot be restarted");
    if (!speaks(&websocket->settings, profile))
        return target_lacks(error, "the target file does not list %s", profile);
    websocket->limit_ms = limit_ms;
    if (websocket->remote != NULL) {
        enum target_outcome outcome = remote_start(websocket->remote, limit_ms, error);
        if (outcome != TARGET_OK)
            return outcome;
        target->about = remote_said(websocket->remote)->about;
    }
    if (!suits(websocket, options, error))
        return TARGET_NO;
    websocket->opened = true;
    if (websocket->remote == NULL)
        return TARGET_OK;
    enum target_outcome outcome = remote_open(websocket->remote, profile, options, limit_ms, error);
    /* The life before has ended, and its connections with it. */
    while (again && websocket->count > 0)
        end(websocket, websocket->count - 1, true);
    return outcome;
}

static enum target_outcome connect_with(struct websocket_target *websocket, int number,
                                        const struct principal_request *request, struct error *error) {
    if (request->path.length + request->headers.length + request->subprotocol.length > SOCKET_REQUEST_CEILING)
        return target_lacks(error, "the principal is too long to travel in a URL");
    const struct socket_request wanted = {
        .path = request->path.bytes, .headers = request->headers.bytes, .subprotocol = request->subprotocol.bytes};
    struct socket *socket =
        socket_open(websocket->loop, &websocket->url, &wanted, number, deadline_of(websocket), error);
    if (socket == NULL) {
        error_context(error, "no WebSocket connection to %s", websocket->name);
        return TARGET_BROKEN;
    }
    websocket->sockets =
        memory_room(websocket->sockets, websocket->count, &websocket->capacity, sizeof *websocket->sockets);
    websocket->sockets[websocket->count++] = socket;
    return TARGET_OK;
}

static enum target_outcome connect(struct target *target, int number, const struct target_principal *principal,
                                   struct error *error) {
    struct websocket_target *websocket = websocket_of(target);
    if (!websocket->opened)
        return target_misused(error, "the WebSocket target was used before a case was opened");
    if (find(websocket, number) < websocket->count)
        return target_misused(error, "connection %d was connected twice in one case", number);
    struct principal_request request = {0};
    enum target_outcome outcome =
        principal_put(&request, &websocket->url, websocket->settings.principal, principal, error);
    if (outcome == TARGET_OK)
        outcome = connect_with(websocket, number, &request, error);
    principal_request_free(&request);
    return outcome;
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

/* ---- the control URL ----------------------------------------------------------------------------- */

static enum target_outcome hydrate(struct target *target, struct text room, struct text snapshot, bool *answer,
                                   struct error *error) {
    return can(target, "hydrate") ? remote_hydrate(websocket_of(target)->remote, room, snapshot, answer, error)
                                  : target_has_no_hydrate(target, room, snapshot, answer, error);
}

static enum target_outcome room(struct target *target, struct text name, struct buffer *info, struct error *error) {
    return can(target, "room") ? remote_room(websocket_of(target)->remote, name, info, error)
                               : target_has_no_room(target, name, info, error);
}

static enum target_outcome set_clock(struct target *target, int64_t ms, struct error *error) {
    return can(target, "clock") ? remote_clock(websocket_of(target)->remote, ms, error)
                                : target_has_no_clock(target, ms, error);
}

static enum target_outcome further_command(struct target *target, const char *name, struct text fields,
                                           struct buffer *answer, struct error *error) {
    struct websocket_target *websocket = websocket_of(target);
    return websocket->remote != NULL && remote_can(websocket->remote, further_capability(name))
               ? remote_command(websocket->remote, name, fields, answer, error)
               : further_missing(target, name, error);
}

static enum target_outcome observe(struct target *target, struct error *error) {
    struct websocket_target *websocket = websocket_of(target);
    return websocket->remote != NULL ? remote_observe(websocket->remote, error) : TARGET_OK;
}

/* ---- events and the end -------------------------------------------------------------------------- */

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
    if (websocket->remote != NULL)
        remote_close(websocket->remote);
    events_clear(&websocket->events);
    socket_loop_forget_fault(websocket->loop);
    websocket->opened = false;
}

static void free_target(struct target *target) {
    struct websocket_target *websocket = websocket_of(target);
    if (websocket->loop != NULL)
        close_case(target);
    remote_free(websocket->remote);
    socket_loop_free(websocket->loop);
    url_free(&websocket->url);
    free(websocket->sockets);
    free(websocket->name);
    free(websocket);
}

/* Takes the URLs apart and asks the control URL what it can do. False with an error as from target_websocket_open. */
static bool set_up(struct websocket_target *websocket, struct error *error) {
    const struct websocket_settings *settings = &websocket->settings;
    if (!url_read(&websocket->url, settings->url, error) || !trust_check(&settings->trust, error))
        return false;
    if (trust_is_chosen(&settings->trust) && !websocket->url.tls)
        return error_set(error, ERROR_USAGE, "ca and insecure are for relays behind wss://, not for %s", settings->url);
    if (settings->control != NULL) {
        websocket->remote = remote_new(settings->control, &websocket->events, error);
        if (websocket->remote == NULL)
            return false;
        struct error ignored = {0};
        if (remote_start(websocket->remote, CONTROL_START_LIMIT_MS, &ignored) == TARGET_OK)
            websocket->target.about = remote_said(websocket->remote)->about;
    }
    websocket->loop = socket_loop_new(websocket->url.tls ? &settings->trust : NULL, &websocket->events, error);
    return websocket->loop != NULL;
}

struct target *target_websocket_open(const struct websocket_settings *settings, struct error *error) {
    static const struct target_table table = {.can = can,
                                              .open = open,
                                              .connect = connect,
                                              .send = send,
                                              .disconnect = disconnect,
                                              .stall = stall,
                                              .hydrate = hydrate,
                                              .room = room,
                                              .clock = set_clock,
                                              .command = further_command,
                                              .next_event = next_event,
                                              .observe = observe,
                                              .close = close_case,
                                              .free = free_target};
    struct websocket_target *websocket = memory_zeroed(1, sizeof *websocket);
    struct buffer name = {0};
    buffer_string(&name, settings->url);
    websocket->name = name.bytes;
    websocket->settings = *settings;
    if (settings->principal == NULL)
        websocket->settings.principal = &principal_by_query;
    websocket->target =
        (struct target){.table = &table, .name = websocket->name, .options = settings->options};
    if (set_up(websocket, error))
        return &websocket->target;
    free_target(&websocket->target);
    return NULL;
}

struct target *target_websocket_new(const char *url, struct error *error) {
    return target_websocket_open(&(struct websocket_settings){.url = url}, error);
}
