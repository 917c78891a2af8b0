/* meshspec-store: a local sync store. See --help. */
#include "tools/sync-server/options.h"
#include "tools/sync-server/service.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum exit_code { EXIT_ENDED = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static int complain(const struct buffer *why, enum exit_code code) {
    struct text text = buffer_text(why);
    fprintf(stderr, "meshspec-store: %.*s\n", (int)text.length, text.bytes);
    return (int)code;
}

/* The readiness line: whoever started the store waits for it. */
static void announce(const struct options *options, const struct http_server *server) {
    const char *address = http_server_address(server);
    bool six = strchr(address, ':') != NULL;
    printf("listening http://%s%s%s:%u%.*s/\n", six ? "[" : "", address, six ? "]" : "",
           (unsigned)http_server_port(server), (int)options->base_path.length, options->base_path.bytes);
    fflush(stdout);
}

static int serve(struct options *options, struct store *store, struct recorder *recorder, struct buffer *why) {
    struct service service;
    service_init(&service, options, &options->faults, store, recorder);
    struct http_handler handler = service_handler(&service);
    struct http_server *server = http_server_open(&options->http, &handler, why);
    if (!server) {
        return complain(why, EXIT_FAILED);
    }
    announce(options, server);
    bool ended = http_server_run(server);
    http_server_close(server);
    return ended ? EXIT_ENDED : EXIT_FAILED;
}

static int run(struct options *options, struct buffer *why) {
    struct store *store = store_open(options->database, options->sync, why);
    struct recorder *recorder = store ? recorder_open(options->record, why) : NULL;
    int code = recorder ? serve(options, store, recorder, why) : complain(why, EXIT_FAILED);
    recorder_close(recorder);
    store_close(store);
    return code;
}

int main(int count, char **arguments) {
    struct options options;
    struct buffer why;
    int code = EXIT_ENDED;
    buffer_init(&why, 64 * 1024);
    signal(SIGPIPE, SIG_IGN);
    switch (options_read(&options, count, arguments, &why)) {
    case OPTIONS_RUN:
        code = run(&options, &why);
        break;
    case OPTIONS_HELP:
        fputs(options_help, stdout);
        break;
    case OPTIONS_BAD:
        code = complain(&why, EXIT_USAGE);
        fputs("Try meshspec-store --help.\n", stderr);
        break;
    }
    options_free(&options);
    buffer_free(&why);
    return code;
}
