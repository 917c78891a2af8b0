#include "relay-ref/adapters/control_events.h"

#include <stdio.h>

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

static void on_commit(void *context, struct relay_text room, struct relay_text envelope,
                      const struct relay_commit_state *state, struct relay_commit *commit) {
    struct control_relay *relay = context;
    struct control_line line;
    relay_control_line_event(&line, "commit");
    relay_control_line_string(&line, "relay", relay->item.key);
    relay_control_line_string(&line, "room", room);
    relay_control_line_json(&line, "env", envelope);
    relay_control_line_open(&line, "state");
    relay_control_line_count(&line, "seq", state->seq);
    relay_control_line_string(&line, "epoch", state->epoch);
    struct relay_text root = relay_commit_root(commit);
    if (root.bytes != NULL)
        relay_control_line_json(&line, "root", root);
    if (relay->version->schema)
        relay_control_line_count(&line, "schemaVersion", state->schema_version);
    relay_control_line_close(&line);
    relay_control_emit(relay->control, &line);
}

static void on_violation(void *context, struct relay_text room, const struct relay_violation *violation) {
    struct control_relay *relay = context;
    struct control_line line;
    relay_control_line_event(&line, "violation");
    relay_control_line_string(&line, "relay", relay->item.key);
    relay_control_line_string(&line, "room", room);
    relay_control_line_open(&line, "violation");
    relay_control_line_string(&line, "writer", violation->writer);
    relay_control_line_words(&line, "reason", violation->reason);
    if (violation->path.bytes != NULL)
        relay_control_line_json(&line, "path", violation->path);
    relay_control_line_close(&line);
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
    return (struct relay_env){.context = relay,
                              .now = clock_now,
                              .mint = mint,
                              .on_commit = on_commit,
                              .on_violation = on_violation};
}

struct relay_sink relay_control_sink(struct control_connection *connection) {
    return (struct relay_sink){connection, on_send, on_close};
}
