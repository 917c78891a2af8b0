#include <string.h>

#include "relay-ref/adapters/flags_table.h"
#include "relay-ref/adapters/options.h"

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
        fprintf(out, " [%s]", relay_protocol_name(*(const enum relay_protocol *)place));
    else if (flag->kind == KIND_EJECTION)
        fprintf(out, " [%s]", *(const enum relay_ejection *)place == RELAY_EJECT_WRITER ? "writer" : "connection");
    else if (flag->kind == KIND_SWITCH)
        fprintf(out, " [off]");
}

void flags_print_help(FILE *out) {
    struct server_flags defaults = flags_default();
    fputs("Usage: " SERVER_NAME " [FLAG …]\n\n"
          "The reference mesh relay behind WebSockets. When it can serve it prints one line,\n"
          "    listening ws://ADDRESS:PORT/\n"
          "(wss:// with --cert and --key), "
          "and with --control and --metrics one each, `control http://127.0.0.1:PORT/` and `metrics http://127.0.0.1:PORT/`.\n"
          "Any path is accepted.\n\n"
          "A connection's principal is in the query: ?writer=ana&kind=human&claims={\"role\":\"admin\"}, "
          "percent-encoded;\n"
          "`writer` is required. With --token-file it is what the token stands for: `Authorization: Bearer TOKEN`,\n"
          "?token=TOKEN, or the subprotocol `bearer.TOKEN` (at most 56 characters).\n\nFlags, with their defaults:\n",
          out);
    for (const struct flag *flag = flag_table; flag->name != NULL; flag++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", flag->name, flag->placeholder != NULL ? " " : "",
                 flag->placeholder != NULL ? flag->placeholder : "");
        fprintf(out, "  %-37s %s", left, flag->meaning);
        print_default(out, flag, &defaults);
        fputc('\n', out);
    }
    fputs(
        "\nClose codes: 1001 the relay shuts down; 1003 binary message; 1007 not UTF-8; 1008 the relay ended it\n"
        "(ejection, takeover, a message that is none or nests too deep, a name too long, too many rooms or members);\n"
        "1009 message, root or presence too large; 1011 out of memory, or a room cannot be read from the --db file or\n"
        "written to it; 1012 a control client opened a fresh relay; 1013 no space left for writes, or the --db file is\n"
        "locked: try again later. A reader that is too slow and a peer that is silent are cut off without a closing\n"
        "handshake. Visitors who have not shown a whole request are at most 512, and 128 from one address: a further one\n"
        "takes the place of the one who has stood there longest.\n\n"
        "The control server takes one command of the adapter protocol a POST and answers "
        "{\"reply\":…,\"events\":[…]}:\n"
        "start, open, hydrate, room, clock, close, stop, for 0.9 hold, unhold, release, fail and unload too. What the\n"
        "observers saw since the last command is the events.\n"
        "open and close put a fresh relay in place and close every WebSocket with 1012. Time is the system's until a\n"
        "clock comes; after an open it starts at 1700000000000 ms. All this is for tests: it needs no password.\n\n"
        "The metrics server answers GET /metrics.\n\n"
        "Exit codes: 0 stopped by SIGTERM or SIGINT; 1 it could not go on; 2 bad flag or file; 3 it cannot listen.\n\n"
        "Examples:\n"
        "  " SERVER_NAME " --port 8787\n"
        "  " SERVER_NAME " --protocol 0.1.1 --journal-limit 100 --max-envelopes-per-second 50\n"
        "  " SERVER_NAME " --token-file tokens.json --policy policy.json --host 0.0.0.0 --port 8787\n"
        "  " SERVER_NAME " --control 8788\n"
        "      curl -d '{\"id\":1,\"do\":\"room\",\"room\":\"r\"}' http://127.0.0.1:8788/\n",
        out);
}
