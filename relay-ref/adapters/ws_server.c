#include "relay-ref/adapters/ws_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "relay-ref/adapters/control_http.h"
#include "relay-ref/adapters/query.h"
#include "relay-ref/adapters/ws_server_callback.h"
#include "relay-ref/adapters/ws_server_door.h"
#include "relay-ref/adapters/ws_server_drain.h"
#include "relay-ref/adapters/ws_server_file.h"
#include "relay-ref/adapters/ws_server_member.h"
#include "relay-ref/adapters/ws_server_state.h"
#include "relay-ref/json/number.h"

#define REASON_CAPACITY 512
#define POLICY_FILE_CEILING ((size_t)16 << 20)

/* Sockets beyond the members': handshakes under way, the control server's, and what the process has open anyway. */
#define SPARE_SOCKETS (2 * DOOR_VISITORS_CEILING)

/* How long a control client's HTTP connection may wait for its next command. */
#define CONTROL_IDLE_SECONDS 60

static void add_number(struct relay_buffer *out, const char *name, double value) {
    char digits[NUMBER_TEXT_CAPACITY];
    relay_buffer_add_words(out, name);
    relay_buffer_add(out, digits, relay_number_write(value, digits));
}

/* The file is checked by itself first, so that it cannot end the text around it and go on with options of its own. */
static bool add_policy(struct relay_buffer *out, const char *path, char *reason, size_t capacity) {
    struct relay_text policy = file_read(path, POLICY_FILE_CEILING, reason, capacity);
    if (policy.bytes == NULL)
        return false;
    bool fine = query_is_json_object(policy);
    if (!fine)
        snprintf(reason, capacity, "%s: it is not a JSON object like {\"acl\":[…]}", path);
    relay_buffer_add_words(out, ",\"policy\":");
    relay_buffer_add_text(out, policy);
    free((void *)(uintptr_t)policy.bytes);
    return fine;
}

/* Writes the flags as the JSON options that the relay's reader knows. */
static bool write_options(struct server *server, char *reason, size_t capacity) {
    const struct server_flags *flags = server->flags;
    struct relay_buffer *out = &server->options;
    add_number(out, "{\"policyVersion\":", flags->policy_version);
    add_number(out, ",\"journalLimit\":", (double)flags->journal_limit);
    add_number(out, ",\"limits\":{\"maxOpsPerEnvelope\":", (double)flags->max_ops_per_envelope);
    if (flags->max_envelopes_per_second > 0)
        add_number(out, ",\"maxEnvelopesPerSecond\":", flags->max_envelopes_per_second);
    relay_buffer_add_words(out, "}");
    if (flags->policy_file != NULL && !add_policy(out, flags->policy_file, reason, capacity))
        return false;
    relay_buffer_add_words(out, "}");
    if (out->failed)
        snprintf(reason, capacity, "out of memory");
    return !out->failed;
}

static bool read_tokens(struct server *server, char *reason, size_t capacity) {
    char why[REASON_CAPACITY];
    const char *path = server->flags->token_file;
    if (path == NULL)
        return true;
    struct relay_text json = file_read(path, TOKENS_FILE_CEILING, reason, capacity);
    if (json.bytes == NULL)
        return false;
    server->tokens = tokens_read(json, why, sizeof why);
    free((void *)(uintptr_t)json.bytes);
    if (server->tokens == NULL)
        snprintf(reason, capacity, "%s: %s", path, why);
    return server->tokens != NULL;
}

static struct relay_text options_of(const struct server *server) {
    return (struct relay_text){server->options.memory, server->options.length};
}

static bool open_relay(struct server *server, char *reason, size_t capacity) {
    const struct server_flags *flags = server->flags;
    char why[REASON_CAPACITY];
    snprintf(why, sizeof why, "out of memory");
    if (live_start(&server->live, flags->control_port != FLAGS_NO_PORT, flags->max_rooms) &&
        live_open(&server->live, flags->protocol, options_of(server), why, sizeof why))
        return true;
    snprintf(reason, capacity, "%s%s%s", flags->policy_file != NULL ? flags->policy_file : "",
             flags->policy_file != NULL ? ": " : "", why);
    return false;
}

/* libwebsockets sizes its table of sockets by the process' limit, and finds sockets fastest that way. */
static bool limit_sockets(size_t members) {
    struct rlimit limit;
    rlim_t wanted = members + SPARE_SOCKETS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || wanted > limit.rlim_max)
        return false;
    limit.rlim_cur = wanted;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool make_context(struct server *server) {
    struct lws_context_creation_info info = {0};
    lws_set_log_level(0, NULL);
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    info.user = server;
    info.pt_serv_buf_size = SERVER_READ_BYTES;
    info.max_http_header_data = SERVER_HEAD_CEILING;
    info.timeout_secs = (unsigned)server->flags->handshake_seconds;
    server->context = lws_create_context(&info);
    return server->context != NULL;
}

/* The vhost of files that are no connections, and the one that WebSockets are handed to: neither listens. */
static bool make_vhosts(struct server *server) {
    static const struct lws_protocols inner_protocols[] = {DRAIN_PROTOCOL, DOOR_PROTOCOLS, {0}};
    static const struct lws_extension deflate[] = {
        {"permessage-deflate", lws_extension_callback_pm_deflate,
         "permessage-deflate; server_no_context_takeover; client_no_context_takeover"},
        {0}};
    struct lws_context_creation_info inner = {
        .port = CONTEXT_PORT_NO_LISTEN, .protocols = inner_protocols, .vhost_name = "inner"};
    struct lws_context_creation_info outer = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
                                              .protocols = server->protocols,
                                              .vhost_name = "relay",
                                              .server_string = SERVER_NAME,
                                              .timeout_secs_ah_idle = (unsigned)server->flags->handshake_seconds,
                                              .extensions = server->flags->deflate ? deflate : NULL};
    server->inner = lws_create_vhost(server->context, &inner);
    server->vhost = lws_create_vhost(server->context, &outer);
    return server->inner != NULL && server->vhost != NULL;
}

/* Returns the port, or 0. */
static int listen_for_control(struct server *server) {
    struct lws_context_creation_info info = {.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
                                             .iface = "127.0.0.1",
                                             .port = (int)server->flags->control_port,
                                             .protocols = control_protocols,
                                             .vhost_name = "control",
                                             .server_string = SERVER_NAME,
                                             .timeout_secs_ah_idle = (unsigned)server->flags->handshake_seconds,
                                             .keepalive_timeout = CONTROL_IDLE_SECONDS};
    struct lws_vhost *vhost = lws_create_vhost(server->context, &info);
    return vhost != NULL ? lws_get_vhost_listen_port(vhost) : 0;
}

static void end_connections(void *context) {
    drain_members(context, CLOSE_RESTART, "a control client opened a fresh relay");
}

static enum server_exit start_listening(struct server *server, FILE *out, FILE *err) {
    char reason[REASON_CAPACITY];
    const struct server_flags *flags = server->flags;
    int control = 0;
    unsigned port = door_open(server, flags->host, flags->port, reason, sizeof reason);
    if (port == 0) {
        fprintf(err, SERVER_NAME ": cannot listen on %s port %zu: %s\n", flags->host, flags->port, reason);
        return SERVER_CANNOT_LISTEN;
    }
    if (flags->control_port != FLAGS_NO_PORT) {
        control = listen_for_control(server);
        if (control == 0) {
            fprintf(err, SERVER_NAME ": cannot listen on 127.0.0.1 port %zu for --control; is it in use?\n",
                    flags->control_port);
            return SERVER_CANNOT_LISTEN;
        }
    }
    bool bracketed = strchr(flags->host, ':') != NULL;
    fprintf(out, "listening ws://%s%s%s:%u/\n", bracketed ? "[" : "", flags->host, bracketed ? "]" : "", port);
    if (control != 0)
        fprintf(out, "control http://127.0.0.1:%d/\n", control);
    fflush(out);
    return SERVER_STOPPED;
}

static enum server_exit serve(struct server *server, FILE *out, FILE *err) {
    server->protocols = make_protocols(server->tokens);
    if (!limit_sockets(server->flags->max_connections)) {
        fprintf(err,
                SERVER_NAME
                ": --max-connections %zu needs %zu open files, which the system does not allow; see ulimit -n\n",
                server->flags->max_connections, server->flags->max_connections + SPARE_SOCKETS);
        return SERVER_BAD_USAGE;
    }
    if (server->protocols == NULL || !make_context(server) || !make_vhosts(server) || !drain_watch_signals(server)) {
        fprintf(err, SERVER_NAME ": cannot start: %s\n", strerror(errno));
        return SERVER_FAILED;
    }
    enum server_exit outcome = start_listening(server, out, err);
    while (outcome == SERVER_STOPPED && !drain_is_over(server))
        if (lws_service(server->context, 0) < 0)
            outcome = SERVER_FAILED;
    return outcome;
}

enum server_exit server_run(const struct server_flags *flags, FILE *out, FILE *err) {
    char reason[REASON_CAPACITY + 256];
    struct server server = {.flags = flags, .signals = -1};
    enum server_exit outcome = SERVER_BAD_USAGE;
    relay_buffer_start(&server.options, 0, 256);
    if (read_tokens(&server, reason, sizeof reason) && write_options(&server, reason, sizeof reason) &&
        open_relay(&server, reason, sizeof reason)) {
        server.control = (struct control_room){.live = &server.live,
                                               .protocol = flags->protocol,
                                               .options = options_of(&server),
                                               .end_connections = end_connections,
                                               .context = &server};
        outcome = serve(&server, out, err);
    } else {
        fprintf(err, SERVER_NAME ": %s\n", reason);
    }
    if (server.context != NULL)
        lws_context_destroy(server.context);
    free_protocols(server.protocols);
    live_end(&server.live);
    relay_buffer_free(&server.options);
    tokens_free(server.tokens);
    return outcome;
}

int server_main(int argc, char **argv) {
    char reason[REASON_CAPACITY];
    struct server_flags flags;
    switch (flags_read(argc, argv, &flags, reason, sizeof reason)) {
    case FLAGS_HELP:
        flags_print_help(stdout);
        return 0;
    case FLAGS_VERSION:
        printf(SERVER_NAME " %s\n", SERVER_VERSION);
        return 0;
    case FLAGS_BAD:
        fprintf(stderr, SERVER_NAME ": %s\n", reason);
        return SERVER_BAD_USAGE;
    default:
        return (int)server_run(&flags, stdout, stderr);
    }
}
