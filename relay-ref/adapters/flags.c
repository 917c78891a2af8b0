#include "relay-ref/adapters/flags.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/options.h"

enum flag_kind { KIND_TEXT, KIND_COUNT, KIND_NUMBER, KIND_PROTOCOL, KIND_SWITCH, KIND_HELP, KIND_VERSION };

struct flag {
    const char *name;
    enum flag_kind kind;
    size_t offset; /* in struct server_flags */
    size_t least, most;
    const char *placeholder;
    const char *meaning;
};

#define AT(field) offsetof(struct server_flags, field)
#define MOST_SECONDS 86400
#define MOST_BYTES ((size_t)1 << 30)

static const struct flag flag_table[] = {
    {"host", KIND_TEXT, AT(host), 0, 0, "ADDRESS", "address to listen on"},
    {"port", KIND_COUNT, AT(port), 0, 65535, "PORT", "port to listen on; 0 takes a free one"},
    {"protocol", KIND_PROTOCOL, AT(protocol), 0, 0, "VERSION", "0.1.0, 0.1.1 or 0.2.0"},
    {"policy-version", KIND_NUMBER, AT(policy_version), 0, 0, "NUMBER", "what hello and every envelope must carry"},
    {"journal-limit", KIND_COUNT, AT(journal_limit), 0, 100000000, "COUNT",
     "envelopes kept per room for delta answers"},
    {"max-ops-per-envelope", KIND_COUNT, AT(max_ops_per_envelope), 0, 100000000, "COUNT",
     "more ops than this eject the writer"},
    {"max-envelopes-per-second", KIND_NUMBER, AT(max_envelopes_per_second), 0, 0, "NUMBER",
     "per writer and room, burst twice the rate; 0 means no limit"},
    {"policy", KIND_TEXT, AT(policy_file), 0, 0, "FILE",
     "JSON file with the write rules: {\"acl\":[…],\"validate\":[…]}"},
    {"token-file", KIND_TEXT, AT(token_file), 0, 0, "FILE",
     "JSON file {TOKEN:{\"writer\":…,\"kind\":…,\"claims\":{…}}}; then only tokens are believed"},
    {"max-rooms", KIND_COUNT, AT(max_rooms), 1, 100000000, "COUNT", "rooms at once; a hello past it is closed"},
    {"max-connections", KIND_COUNT, AT(max_connections), 1, 1000000, "COUNT", "WebSockets at once; past it HTTP 503"},
    {"max-message-bytes", KIND_COUNT, AT(max_message_bytes), 1, MOST_BYTES, "BYTES",
     "a larger message closes its connection with 1009"},
    {"max-waiting-bytes", KIND_COUNT, AT(max_waiting_bytes), 1, MOST_BYTES, "BYTES",
     "more than this behind the message being sent: the reader is cut off"},
    {"handshake-timeout", KIND_COUNT, AT(handshake_seconds), 1, MOST_SECONDS, "SECONDS",
     "time that a client has for its HTTP request"},
    {"drain-timeout", KIND_COUNT, AT(drain_seconds), 0, MOST_SECONDS, "SECONDS",
     "time to send what is queued after SIGTERM or SIGINT"},
    {"ping-interval", KIND_COUNT, AT(ping_seconds), 0, MOST_SECONDS, "SECONDS",
     "a peer silent for two of these is cut off; 0 turns it off"},
    {"deflate", KIND_SWITCH, AT(deflate), 0, 0, NULL, "offer permessage-deflate"},
    {"control", KIND_COUNT, AT(control_port), 0, 65535, "PORT",
     "serve the adapter protocol over HTTP on 127.0.0.1; 0 takes a free port"},
    {"help", KIND_HELP, 0, 0, 0, NULL, "print this page"},
    {"version", KIND_VERSION, 0, 0, 0, NULL, "print the version"},
};

#define FLAG_COUNT (sizeof flag_table / sizeof *flag_table)

static const char *const protocol_names[] = {"0.1.0", "0.1.1", "0.2.0"};

struct server_flags flags_default(void) {
    struct relay_options relay = relay_options_default(RELAY_PROTOCOL_0_2_0);
    return (struct server_flags){
        .host = "127.0.0.1",
        .port = 0,
        .control_port = FLAGS_NO_PORT,
        .protocol = RELAY_PROTOCOL_0_2_0,
        .policy_version = relay.policy_version,
        .journal_limit = relay.journal_limit,
        .max_ops_per_envelope = relay.max_ops_per_envelope,
        .max_envelopes_per_second = relay.max_envelopes_per_second,
        .max_rooms = relay.max_rooms,
        .max_connections = 1000,
        .max_message_bytes = (size_t)16 << 20,
        .max_waiting_bytes = (size_t)16 << 20,
        .handshake_seconds = 10,
        .drain_seconds = 5,
        .ping_seconds = 30,
    };
}

static bool read_count(const char *text, size_t least, size_t most, size_t *out) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || number < least || number > most)
        return false;
    *out = (size_t)number;
    return true;
}

static bool read_number(const char *text, double *out) {
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number) || number < 0)
        return false;
    *out = number;
    return true;
}

/* Stores `text` where the flag's row says. False with the sentence when it is not what the flag wants. */
static bool store(const struct flag *flag, const char *text, struct server_flags *flags, char *reason,
                  size_t capacity) {
    void *place = (char *)flags + flag->offset;
    switch (flag->kind) {
    case KIND_TEXT:
        *(const char **)place = text;
        if (*text == '\0')
            snprintf(reason, capacity, "--%s got an empty text; it wants %s", flag->name, flag->placeholder);
        return *text != '\0';
    case KIND_COUNT:
        if (read_count(text, flag->least, flag->most, place))
            return true;
        snprintf(reason, capacity, "--%s got \"%s\"; it wants a whole number from %zu to %zu", flag->name, text,
                 flag->least, flag->most);
        return false;
    case KIND_NUMBER:
        if (read_number(text, place))
            return true;
        snprintf(reason, capacity, "--%s got \"%s\"; it wants a number that is not negative", flag->name, text);
        return false;
    case KIND_PROTOCOL:
        if (relay_protocol_from_name(text, place))
            return true;
        snprintf(reason, capacity, "--%s got \"%s\"; it wants 0.1.0, 0.1.1 or 0.2.0", flag->name, text);
        return false;
    default:
        *(bool *)place = true;
        return true;
    }
}

/* getopt's own table, made from ours; `val` is the row. */
static void make_getopt_table(struct option table[FLAG_COUNT + 1]) {
    for (size_t i = 0; i < FLAG_COUNT; i++)
        table[i] = (struct option){.name = flag_table[i].name,
                                   .has_arg = flag_table[i].placeholder != NULL ? required_argument : no_argument,
                                   .val = (int)i};
    table[FLAG_COUNT] = (struct option){0};
}

static bool check_together(const struct server_flags *flags, char *reason, size_t capacity) {
    if (flags->control_port != 0 && flags->control_port == flags->port) {
        snprintf(reason, capacity, "--control and --port both got %zu; they want two different ports", flags->port);
        return false;
    }
    return true;
}

enum flags_outcome flags_read(int argc, char **argv, struct server_flags *flags, char *reason, size_t capacity) {
    struct option table[FLAG_COUNT + 1];
    make_getopt_table(table);
    *flags = flags_default();
    opterr = 0;
    optind = 0;
    for (;;) {
        int row = getopt_long(argc, argv, "+:", table, NULL);
        if (row == -1)
            break;
        if (row == '?' || row == ':') {
            const char *what = row == ':' ? "wants a value" : "is not a flag of this program, or takes no value";
            snprintf(reason, capacity, "%s %s; --help lists them all", argv[optind - 1], what);
            return FLAGS_BAD;
        }
        const struct flag *flag = &flag_table[row];
        if (flag->kind == KIND_HELP)
            return FLAGS_HELP;
        if (flag->kind == KIND_VERSION)
            return FLAGS_VERSION;
        if (!store(flag, optarg, flags, reason, capacity))
            return FLAGS_BAD;
    }
    if (optind < argc) {
        snprintf(reason, capacity, "\"%s\" is not a flag; --help lists them all", argv[optind]);
        return FLAGS_BAD;
    }
    return check_together(flags, reason, capacity) ? FLAGS_RUN : FLAGS_BAD;
}

static void print_default(FILE *out, const struct flag *flag, const struct server_flags *flags) {
    const void *place = (const char *)flags + flag->offset;
    if (flag->kind == KIND_TEXT)
        fprintf(out, " [%s]", *(char *const *)place != NULL ? *(char *const *)place : "none");
    else if (flag->kind == KIND_COUNT && *(const size_t *)place == FLAGS_NO_PORT)
        fprintf(out, " [off]");
    else if (flag->kind == KIND_COUNT)
        fprintf(out, " [%zu]", *(const size_t *)place);
    else if (flag->kind == KIND_NUMBER)
        fprintf(out, " [%g]", *(const double *)place);
    else if (flag->kind == KIND_PROTOCOL)
        fprintf(out, " [%s]", protocol_names[*(const enum relay_protocol *)place]);
    else if (flag->kind == KIND_SWITCH)
        fprintf(out, " [off]");
}

void flags_print_help(FILE *out) {
    struct server_flags defaults = flags_default();
    fputs("Usage: " SERVER_NAME " [FLAG …]\n\n"
          "The reference mesh relay behind WebSockets. When it can serve it prints one line,\n"
          "    listening ws://ADDRESS:PORT/\n"
          "and with --control a second one, `control http://127.0.0.1:PORT/`. Any path is accepted.\n\n"
          "A connection's principal is in the query: ?writer=ana&kind=human&claims={\"role\":\"admin\"}, "
          "percent-encoded;\n"
          "`writer` is required. With --token-file it is what the token stands for: `Authorization: Bearer TOKEN`,\n"
          "?token=TOKEN, or the subprotocol `bearer.TOKEN` (at most 56 characters).\n\nFlags, with their defaults:\n",
          out);
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        const struct flag *flag = &flag_table[i];
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", flag->name, flag->placeholder != NULL ? " " : "",
                 flag->placeholder != NULL ? flag->placeholder : "");
        fprintf(out, "  %-34s %s", left, flag->meaning);
        print_default(out, flag, &defaults);
        fputc('\n', out);
    }
    fputs(
        "\nClose codes: 1001 the relay shuts down; 1003 binary message; 1007 not UTF-8; 1008 the relay ended it\n"
        "(ejection, takeover, a message that is none); 1009 message too large; 1011 out of memory; 1012 a control\n"
        "client opened a fresh relay. A reader that is too slow is cut off without a closing handshake.\n\n"
        "The control server takes one command of the adapter protocol a POST and answers "
        "{\"reply\":…,\"events\":[…]}:\n"
        "start, open, hydrate, room, clock, close, stop. Commits and violations since the last command are the "
        "events.\n"
        "open and close put a fresh relay in place and close every WebSocket with 1012. Time is the system's until a\n"
        "clock comes; after an open it starts at 1700000000000 ms. All this is for tests: it needs no password.\n\n"
        "Exit codes: 0 stopped by SIGTERM or SIGINT; 1 it could not go on; 2 bad flag or file; 3 it cannot listen.\n\n"
        "Examples:\n"
        "  " SERVER_NAME " --port 8787\n"
        "  " SERVER_NAME " --protocol 0.1.1 --journal-limit 100 --max-envelopes-per-second 50\n"
        "  " SERVER_NAME " --token-file tokens.json --policy policy.json --host 0.0.0.0 --port 8787\n"
        "  " SERVER_NAME " --control 8788\n"
        "      curl -d '{\"id\":1,\"do\":\"room\",\"room\":\"r\"}' http://127.0.0.1:8788/\n",
        out);
}
