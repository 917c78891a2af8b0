#include "relay-ref/adapters/control_events.h"

#include <stdio.h>

#include "relay-ref/adapters/control_observe.h"

void relay_control_emit(struct control *control, struct control_line *line) {
    struct relay_text text = relay_control_line_finish(line);
    if (text.bytes != NULL)
        control->output.line(control->output.context, text.bytes, text.length);
    relay_control_line_free(line);
}

static int64_t clock_now(void *context) {
    const struct control_relay *relay = context;
    return relay->now;
}

/* epoch.unique: one counter for all relays, so that a restarted one has a new life too. */
static size_t mint(void *context, char *out, size_t capacity) {
    struct control_relay *relay = context;
    int length = snprintf(out, capacity, "epoch-%llu", (unsigned long long)++relay->control->minted);
    return (size_t)length;
}

static void begin(struct control_relay *relay, struct control_line *line, const char *event, struct relay_text room) {
    relay_control_line_event(line, event);
    relay_control_line_string(line, "relay", relay->item.key);
    relay_control_line_string(line, "room", room);
}

static enum relay_committed on_commit(void *context, struct relay_text room, struct relay_text envelope,
                                      const struct relay_commit_state *state, struct relay_commit *commit) {
    struct control_relay *relay = context;
    struct control_line line;
    begin(relay, &line, "commit", room);
    relay_observe_commit(&line, relay->version, envelope, state, commit);
    relay_control_emit(relay->control, &line);
    return relay->holds ? RELAY_COMMIT_HELD : RELAY_COMMIT_DECIDED;
}

static void on_violation(void *context, struct relay_text room, const struct relay_violation *violation) {
    struct control_relay *relay = context;
    struct control_line line;
    begin(relay, &line, "violation", room);
    relay_observe_violation(&line, violation);
    relay_control_emit(relay->control, &line);
}

static void on_join(void *context, struct relay_text room, struct relay_text writer, struct relay_text origin) {
    struct control_relay *relay = context;
    struct control_line line;
    begin(relay, &line, "join", room);
    relay_observe_join(&line, writer, origin);
    relay_control_emit(relay->control, &line);
}

static void on_reject(void *context, struct relay_text room, const struct relay_rejection *rejection) {
    struct control_relay *relay = context;
    struct control_line line;
    begin(relay, &line, "reject", room);
    relay_observe_reject(&line, rejection);
    relay_control_emit(relay->control, &line);
}

static void on_drop(void *context, struct relay_text room, const struct relay_dropped *dropped) {
    struct control_relay *relay = context;
    struct control_line line;
    begin(relay, &line, "drop", room);
    relay_observe_drop(&line, dropped);
    relay_control_emit(relay->control, &line);
}

static void on_durability_failed(void *context, struct relay_text room, uint64_t seq) {
    struct control_relay *relay = context;
    struct control_line line;
    begin(relay, &line, "stalled", room);
    relay_control_line_count(&line, "seq", seq);
    relay_control_emit(relay->control, &line);
}

static void on_send(void *context, struct relay_frame *frame) {
    struct control_connection *connection = context;
    struct control_line line;
    relay_control_line_event(&line, "send");
    relay_control_line_string(&line, "conn", connection->item.key);
    relay_control_line_string(&line, "text", (struct relay_text){frame->text, frame->length});
    relay_control_emit(connection->owner->control, &line);
}

static void on_close(void *context) {
    struct control_connection *connection = context;
    struct control_line line;
    relay_control_line_event(&line, "close");
    relay_control_line_string(&line, "conn", connection->item.key);
    relay_control_emit(connection->owner->control, &line);
}

struct relay_env relay_control_env(struct control_relay *relay) {
    struct relay_env env = {
        .context = relay, .now = clock_now, .mint = mint, .on_commit = on_commit, .on_violation = on_violation};
    if (!relay->version->generations)
        return env;
    env.on_join = on_join;
    env.on_reject = on_reject;
    env.on_drop = on_drop;
    env.on_durability_failed = on_durability_failed;
    return env;
}

struct relay_sink relay_control_sink(struct control_connection *connection) {
    return (struct relay_sink){connection, on_send, on_close};
}
