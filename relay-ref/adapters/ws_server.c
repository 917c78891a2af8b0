#include "relay-ref/adapters/ws_server.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "relay-ref/adapters/query.h"
#include "relay-ref/adapters/ws_server_callback.h"
#include "relay-ref/adapters/ws_server_drain.h"
#include "relay-ref/adapters/ws_server_file.h"
#include "relay-ref/adapters/ws_server_member.h"
#include "relay-ref/adapters/ws_server_rooms.h"
#include "relay-ref/adapters/ws_server_state.h"
#include "relay-ref/adapters/ws_server_tls.h"
#include "relay-ref/adapters/ws_server_vhosts.h"

#define REASON_CAPACITY STORE_ERROR_CAPACITY
#define POLICY_FILE_CEILING ((size_t)16 << 20)

static void add_number(struct relay_buffer *out, const char *name, double value) {
    relay_buffer_add_words(out, name);
    relay_buffer_add_number(out, value);
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
    if (flags->ejection == RELAY_EJECT_CONNECTION)
        relay_buffer_add_words(out, ",\"ejection\":\"connection\"");
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
    bool started = live_start(&server->live, flags->control_port != FLAGS_NO_PORT, flags, &server->metrics);
    server->live.rooms = server->rooms;
    if (started && live_open(&server->live, flags->protocol, options_of(server), why, sizeof why))
        return true;
    snprintf(reason, capacity, "%s%s%s", flags->policy_file != NULL ? flags->policy_file : "",
             flags->policy_file != NULL ? ": " : "", why);
    return false;
}

static void end_connections(void *context) {
    rooms_turn_over(context);
    drain_members(context, CLOSE_RESTART, "a control client opened a fresh relay");
}

static enum server_exit serve(struct server *server, FILE *out, FILE *err) {
    enum server_exit outcome = vhosts_listen(server, out, err);
    while (outcome == SERVER_STOPPED && !drain_is_over(server)) {
        if (lws_service(server->context, 0) < 0)
            outcome = SERVER_FAILED;
        rooms_turn_over(server);
    }
    return outcome;
}

enum server_exit server_run(const struct server_flags *flags, FILE *out, FILE *err) {
    char reason[REASON_CAPACITY + 256];
    struct server server = {.flags = flags, .signals = -1, .messages = err};
    enum server_exit outcome = SERVER_BAD_USAGE;
    relay_buffer_start(&server.options, 0, 256);
    addresses_start(&server.addresses);
    server.started = lws_now_usecs();
    server.started_at = (int64_t)time(NULL);
    if ((flags->certificate_file == NULL || tls_check_files(flags, reason, sizeof reason)) &&
        read_tokens(&server, reason, sizeof reason) && write_options(&server, reason, sizeof reason) &&
        rooms_open(&server, reason, sizeof reason) && open_relay(&server, reason, sizeof reason)) {
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
    rooms_close(&server);
    live_end(&server.live);
    addresses_end(&server.addresses);
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
