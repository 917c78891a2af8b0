#include "harness/target/memory_observe.h"

#include <string.h>

#include "relay-ref/adapters/control_observe.h"

/* Begins {"on":NAME,"room":ROOM. */
static void begin(struct control_line *line, const char *name, struct relay_text room) {
    relay_control_line_event(line, name);
    relay_control_line_string(line, "room", room);
}

/* Queues the event, without `on`, which its name says. */
static void queue(struct memory_observer *observer, const char *name, struct control_line *line) {
    struct relay_text text = relay_control_line_finish(line);
    if (text.bytes != NULL) {
        size_t head = strlen("{\"on\":\"\",") + strlen(name);
        struct buffer json = {0};
        buffer_string(&json, "{");
        buffer_append(&json, text.bytes + head, text.length - head);
        observer->before(observer->owner);
        events_add_owned(observer->events, &(struct target_event){.kind = TARGET_OBSERVED, .text = {json.bytes, json.length}, .name = name});
    }
    relay_control_line_free(line);
}

/*
 * The event carries the state, so each commit of this target costs the room's size, however small the write: a long run
 * on a large room is quadratic here, and not in a relay whose observer does not ask for it.
 */
static enum relay_committed on_commit(void *context, struct relay_text room, struct relay_text envelope,
                                      const struct relay_commit_state *state, struct relay_commit *commit) {
    struct memory_observer *observer = context;
    struct control_line line;
    begin(&line, "commit", room);
    relay_observe_commit(&line, relay_version_of(observer->protocol), envelope, state, commit);
    queue(observer, "commit", &line);
    return observer->holds ? RELAY_COMMIT_HELD : RELAY_COMMIT_DECIDED;
}

static void on_violation(void *context, struct relay_text room, const struct relay_violation *violation) {
    struct control_line line;
    begin(&line, "violation", room);
    relay_observe_violation(&line, violation);
    queue(context, "violation", &line);
}

static void on_join(void *context, struct relay_text room, struct relay_text writer, struct relay_text origin) {
    struct control_line line;
    begin(&line, "join", room);
    relay_observe_join(&line, writer, origin);
    queue(context, "join", &line);
}

static void on_reject(void *context, struct relay_text room, const struct relay_rejection *rejection) {
    struct control_line line;
    begin(&line, "reject", room);
    relay_observe_reject(&line, rejection);
    queue(context, "reject", &line);
}

static void on_drop(void *context, struct relay_text room, const struct relay_dropped *dropped) {
    struct control_line line;
    begin(&line, "drop", room);
    relay_observe_drop(&line, dropped);
    queue(context, "drop", &line);
}

static void on_durability_failed(void *context, struct relay_text room, uint64_t seq) {
    struct control_line line;
    begin(&line, "stalled", room);
    relay_control_line_count(&line, "seq", seq);
    queue(context, "stalled", &line);
}

void memory_observe_with(struct relay_env *env, const struct memory_observer *observer) {
    env->on_commit = on_commit;
    env->on_violation = on_violation;
    if (!relay_version_of(observer->protocol)->generations)
        return;
    env->on_join = on_join;
    env->on_reject = on_reject;
    env->on_drop = on_drop;
    env->on_durability_failed = on_durability_failed;
}

/* Of the line {"on":"room","ok":INFO} the info alone. */
void memory_room_info(enum relay_protocol protocol, const struct relay_room_info *info, struct buffer *out) {
    size_t head = strlen("{\"on\":\"room\",\"ok\":");
    struct control_line line;
    relay_control_line_event(&line, "room");
    relay_observe_room(&line, relay_version_of(protocol), info);
    struct relay_text text = relay_control_line_finish(&line);
    if (text.bytes != NULL)
        buffer_append(out, text.bytes + head, text.length - head - 1);
    relay_control_line_free(&line);
}
