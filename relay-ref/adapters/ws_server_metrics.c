#include "relay-ref/adapters/ws_server_metrics.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "meshspec_relay_"

static const char *const limit_names[METRICS_LIMITS] = {
    [RELAY_LIMIT_ROOMS] = "rooms",
    [RELAY_LIMIT_ROOMS_PER_CONNECTION] = "rooms_per_connection",
    [RELAY_LIMIT_MEMBERS] = "members_per_room",
    [RELAY_LIMIT_ROOT_BYTES] = "root_bytes",
    [RELAY_LIMIT_DEPTH] = "depth",
    [RELAY_LIMIT_ARRAY] = "array_length",
    [RELAY_LIMIT_NAME_BYTES] = "name_bytes",
    [RELAY_LIMIT_PRESENCE_BYTES] = "presence_bytes",
    [RELAY_LIMIT_KEPT_BYTES] = "kept_bytes",
    [METRICS_LIMIT_CONNECTIONS] = "connections",
    [METRICS_LIMIT_CONNECTIONS_PER_ADDRESS] = "connections_per_address",
    [METRICS_LIMIT_HANDSHAKES] = "handshakes",
    [METRICS_LIMIT_HANDSHAKE_TIME] = "handshake_time",
    [METRICS_LIMIT_MESSAGE_BYTES] = "message_bytes",
    [METRICS_LIMIT_MESSAGES_PER_SECOND] = "messages_per_second",
    [METRICS_LIMIT_WAITING_BYTES] = "waiting_bytes",
    [METRICS_LIMIT_WAITING_BYTES_IN_ALL] = "waiting_bytes_in_all",
    [METRICS_LIMIT_SILENCE] = "silence",
};

static const char *const reason_names[METRICS_REASONS] = {
    "proto", "ops-limit", "rate", "writer-mismatch", "can-write", "validate", "malformed", "epoch-bump",
    "unknown-citation", "other"};

static const char *const reject_names[METRICS_REJECTS] = {"unauthorized", "proto", "policy-version", "schema", "other"};

static const char *const drop_names[METRICS_DROPS] = {"duplicate", "generation", "schema", "order", "other"};

static const char *const type_names[METRICS_TYPES] = {"welcome", "env",    "presence", "member",  "signal",
                                                      "reject",  "eject",  "drop",     "settled", "other"};

/* The name's place; the last one when it is none of them. */
static size_t place_of(const char *const *names, size_t count, const char *name, size_t length) {
    size_t place = 0;
    while (place + 1 < count && (strlen(names[place]) != length || memcmp(names[place], name, length) != 0))
        place++;
    return place;
}

void metrics_ejection(struct metrics *metrics, const char *reason) {
    metrics->ejections[place_of(reason_names, METRICS_REASONS, reason, strlen(reason))]++;
}

void metrics_reject(struct metrics *metrics, const char *reason) {
    metrics->rejects[place_of(reject_names, METRICS_REJECTS, reason, strlen(reason))]++;
}

void metrics_drop(struct metrics *metrics, const char *reason) {
    metrics->drops[place_of(drop_names, METRICS_DROPS, reason, strlen(reason))]++;
}

void metrics_sent(struct metrics *metrics, const struct relay_frame *frame) {
    static const char start[] = "{\"t\":\"";
    size_t skip = sizeof start - 1;
    const char *end = frame->length > skip && memcmp(frame->text, start, skip) == 0
                          ? memchr(frame->text + skip, '"', frame->length - skip)
                          : NULL;
    size_t length = end != NULL ? (size_t)(end - frame->text) - skip : 0;
    metrics->messages_sent[place_of(type_names, METRICS_TYPES, frame->text + skip, length)]++;
    metrics->bytes_sent += frame->length;
}

void metrics_received(struct metrics *metrics, size_t length) {
    metrics->messages_received++;
    metrics->bytes_received += length;
}

/* ---- Prometheus' text format --------------------------------------------------------------------- */

static void describe(struct relay_buffer *out, const char *name, const char *type, const char *help) {
    char text[512];
    snprintf(text, sizeof text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
    relay_buffer_add_words(out, text);
}

static void print_number(struct relay_buffer *out, const char *name, const char *type, const char *help, double value) {
    char text[128];
    describe(out, name, type, help);
    snprintf(text, sizeof text, "%s %.16g\n", name, value);
    relay_buffer_add_words(out, text);
}

static void print_counter(struct relay_buffer *out, const char *name, const char *help, uint64_t value) {
    print_number(out, name, "counter", help, (double)value);
}

static void print_gauge(struct relay_buffer *out, const char *name, const char *help, double value) {
    print_number(out, name, "gauge", help, value);
}

/* One counter with a label, a line for each of its values: a series that is there from the start never seems to begin
   with a jump. */
static void print_family(struct relay_buffer *out, const char *name, const char *help, const char *label,
                         const char *const *names, const uint64_t *values, size_t count) {
    char text[256];
    describe(out, name, "counter", help);
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%s{%s=\"%s\"} %.16g\n", name, label, names[i], (double)values[i]);
        relay_buffer_add_words(out, text);
    }
}

static void print_now(const struct metrics_now *now, struct relay_buffer *out) {
    char text[256];
    describe(out, PREFIX "build_info", "gauge", "Always 1; the labels say which program this is.");
    snprintf(text, sizeof text, PREFIX "build_info{version=\"%s\",protocol=\"%s\"} 1\n", now->version, now->protocol);
    relay_buffer_add_words(out, text);
    print_gauge(out, PREFIX "uptime_seconds", "Time since the relay began to serve.", now->uptime_seconds);
    print_gauge(out, PREFIX "connections", "WebSockets that are open.", (double)now->connections);
    print_gauge(out, PREFIX "handshakes", "Sockets that have not shown a whole request yet.", (double)now->handshakes);
    print_gauge(out, PREFIX "rooms", "Rooms that exist, with members or without.", (double)now->rooms);
    print_gauge(out, PREFIX "members", "Members of all rooms.", (double)now->members);
    print_gauge(out, PREFIX "kept_bytes", "Bytes of all that rooms keep together.",
                (double)now->kept_bytes);
    print_gauge(out, PREFIX "queued_bytes", "Bytes that wait for readers, each reader's counted.",
                (double)now->queued_bytes);
    print_gauge(out, "process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
                now->start_seconds);
    if (now->resident_bytes > 0)
        print_gauge(out, "process_resident_memory_bytes", "Resident memory size in bytes.", (double)now->resident_bytes);
    if (now->open_files > 0)
        print_gauge(out, "process_open_fds", "Number of open file descriptors.", (double)now->open_files);
}

static void print_file(const struct durable_counts *file, struct relay_buffer *out) {
    print_counter(out, PREFIX "file_transactions_total", "Transactions that the file of rooms has.",
                  file->transactions);
    print_counter(out, PREFIX "file_envelopes_total", "Envelopes in them.", file->envelopes);
    print_counter(out, PREFIX "file_loads_total", "Rooms that were read from it.", file->loads);
    print_counter(out, PREFIX "file_checkpoints_total", "Checkpoints of rooms in it.", file->checkpoints);
    print_counter(out, PREFIX "file_failures_total", "Transactions that failed, and rooms that could not be read.",
                  file->failures);
}

void metrics_print(const struct metrics *metrics, const struct metrics_now *now, struct relay_buffer *out) {
    print_now(now, out);
    if (now->file != NULL)
        print_file(now->file, out);
    print_counter(out, PREFIX "connections_opened_total", "WebSockets that were opened.", metrics->connections);
    print_counter(out, PREFIX "handshakes_refused_total", "Handshakes that were answered with an HTTP error.",
                  metrics->refusals);
    print_counter(out, PREFIX "messages_received_total", "Whole text messages from clients.",
                  metrics->messages_received);
    print_counter(out, PREFIX "received_bytes_total", "Bytes of them.", metrics->bytes_received);
    print_family(out, PREFIX "messages_sent_total", "Messages to clients, each receiver's counted.", "type", type_names,
                 metrics->messages_sent, METRICS_TYPES);
    print_counter(out, PREFIX "sent_bytes_total", "Bytes of them.", metrics->bytes_sent);
    print_family(out, PREFIX "ejections_total", "Writers that were ejected.", "reason", reason_names,
                 metrics->ejections, METRICS_REASONS);
    print_family(out, PREFIX "rejects_total", "Hellos that were rejected.", "reason", reject_names, metrics->rejects,
                 METRICS_REJECTS);
    print_family(out, PREFIX "drops_total", "Envelopes that were dropped.", "reason", drop_names, metrics->drops,
                 METRICS_DROPS);
    print_family(out, PREFIX "limit_hits_total", "How often somebody ran into a ceiling.", "limit", limit_names,
                 metrics->limits, METRICS_LIMITS);
}
