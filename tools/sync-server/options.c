#include "tools/sync-server/options.h"

#include "tools/sync-server/json.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The longest secret, in bytes. */
#define SECRET_CEILING 4096

enum option_letter {
    OPTION_HELP = 'h',
    OPTION_DB = 256,
    OPTION_SYNC,
    OPTION_HOST,
    OPTION_PORT,
    OPTION_BASE_PATH,
    OPTION_ADMIN_SECRET,
    OPTION_ADMIN_SECRET_FILE,
    OPTION_RECORD,
    OPTION_CONTROL,
    OPTION_CONTROL_SECRET,
    OPTION_FAULT,
    OPTION_MAX_BODY,
    OPTION_MAX_HEAD,
    OPTION_MAX_CONNECTIONS,
    OPTION_MAX_HANGING,
    OPTION_MAX_HANGING_BYTES,
    OPTION_REQUEST_TIMEOUT,
    OPTION_IDLE_TIMEOUT
};

static const struct option names[] = {
    {"help", no_argument, NULL, OPTION_HELP},
    {"db", required_argument, NULL, OPTION_DB},
    {"sync", required_argument, NULL, OPTION_SYNC},
    {"host", required_argument, NULL, OPTION_HOST},
    {"port", required_argument, NULL, OPTION_PORT},
    {"base-path", required_argument, NULL, OPTION_BASE_PATH},
    {"admin-secret", required_argument, NULL, OPTION_ADMIN_SECRET},
    {"admin-secret-file", required_argument, NULL, OPTION_ADMIN_SECRET_FILE},
    {"record", required_argument, NULL, OPTION_RECORD},
    {"control", no_argument, NULL, OPTION_CONTROL},
    {"control-secret", required_argument, NULL, OPTION_CONTROL_SECRET},
    {"fault", required_argument, NULL, OPTION_FAULT},
    {"max-body", required_argument, NULL, OPTION_MAX_BODY},
    {"max-head", required_argument, NULL, OPTION_MAX_HEAD},
    {"max-connections", required_argument, NULL, OPTION_MAX_CONNECTIONS},
    {"max-hanging", required_argument, NULL, OPTION_MAX_HANGING},
    {"max-hanging-bytes", required_argument, NULL, OPTION_MAX_HANGING_BYTES},
    {"request-timeout", required_argument, NULL, OPTION_REQUEST_TIMEOUT},
    {"idle-timeout", required_argument, NULL, OPTION_IDLE_TIMEOUT},
    {0},
};

static bool read_number(const char *name, const char *argument, uint64_t least, uint64_t most, uint64_t *number,
                        struct buffer *why) {
    if (text_to_number(text_of(argument), number) && *number >= least && *number <= most) {
        return true;
    }
    buffer_format(why, "--%s is a whole number from %llu to %llu, not '%.200s'", name, (unsigned long long)least,
                  (unsigned long long)most, argument);
    return false;
}

/* A secret is sent as a header's value, so it must be able to stand in one. */
static bool set_secret(struct buffer *secret, struct text text, const char *name, struct buffer *why) {
    buffer_clear(secret);
    bool fits = text.length >= 1 && text.length <= SECRET_CEILING;
    for (size_t at = 0; at < text.length && fits; at++) {
        unsigned char c = (unsigned char)text.bytes[at];
        bool edge = at == 0 || at + 1 == text.length;
        fits = c >= 0x20 && c != 0x7F && !(c == ' ' && edge);
    }
    if (!fits) {
        buffer_format(why, "--%s needs 1 to %d characters without control characters and without spaces around", name,
                      SECRET_CEILING);
        return false;
    }
    buffer_append_text(secret, text);
    return !secret->failed;
}

/* The file's first line. */
static bool read_secret_file(struct buffer *secret, const char *path, struct buffer *why) {
    char bytes[SECRET_CEILING + 2];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, bytes, sizeof bytes);
    if (length < 0) {
        buffer_format(why, "--admin-secret-file %.500s cannot be read: %s", path, strerror(errno));
    }
    if (file >= 0) {
        close(file);
    }
    if (length < 0) {
        return false;
    }
    const char *newline = memchr(bytes, '\n', (size_t)length);
    size_t line = newline ? (size_t)(newline - bytes) : (size_t)length;
    if (line > 0 && bytes[line - 1] == '\r') {
        line--;
    }
    return set_secret(secret, (struct text){bytes, line}, "admin-secret-file", why);
}

static bool set_base_path(struct options *options, const char *argument, struct buffer *why) {
    struct text path = text_of(argument);
    while (path.length > 0 && path.bytes[path.length - 1] == '/') {
        path.length--;
    }
    if (path.length > 0 && path.bytes[0] != '/') {
        buffer_format(why, "--base-path begins with a slash, not as '%.200s'", argument);
        return false;
    }
    options->base_path = path;
    return true;
}

static bool set_sync(struct options *options, const char *argument, struct buffer *why) {
    bool machine = strcmp(argument, "machine") == 0;
    if (!machine && strcmp(argument, "process") != 0) {
        buffer_format(why, "--sync is process or machine, not '%.200s'", argument);
        return false;
    }
    options->sync = machine ? STORE_SYNC_MACHINE : STORE_SYNC_PROCESS;
    return true;
}

static bool set_fault(struct options *options, const char *argument, struct buffer *why) {
    struct buffer reason;
    buffer_init(&reason, 4096);
    bool right = fault_add_text(&options->faults, text_of(argument), &reason);
    if (!right) {
        buffer_format(why, "--fault '%.300s': ", argument);
        buffer_append_text(why, buffer_text(&reason));
    }
    buffer_free(&reason);
    return right;
}

/* Options whose argument is a number. */
static bool set_number(struct options *options, int option, const char *argument, struct buffer *why) {
    uint64_t number = 0;
    bool right = true;
    switch (option) {
    case OPTION_PORT:
        right = read_number("port", argument, 0, 65535, &number, why);
        options->http.port = (uint16_t)number;
        return right;
    case OPTION_MAX_BODY:
        right = read_number("max-body", argument, 1, 256u * 1024 * 1024, &number, why);
        options->http.limits.body = (size_t)number;
        return right;
    case OPTION_MAX_HEAD:
        right = read_number("max-head", argument, 256, 1024 * 1024, &number, why);
        options->http.limits.head = (size_t)number;
        return right;
    case OPTION_MAX_CONNECTIONS:
        right = read_number("max-connections", argument, 1, 100000, &number, why);
        options->http.connections = (unsigned)number;
        return right;
    case OPTION_MAX_HANGING:
        right = read_number("max-hanging", argument, 0, 100000, &number, why);
        options->hanging.writes = (unsigned)number;
        return right;
    case OPTION_MAX_HANGING_BYTES:
        right = read_number("max-hanging-bytes", argument, 0, UINT64_C(1) << 32, &number, why);
        options->hanging.bytes = (size_t)number;
        return right;
    case OPTION_REQUEST_TIMEOUT:
        right = read_number("request-timeout", argument, 1, 86400, &number, why);
        options->http.request_seconds = (unsigned)number;
        return right;
    default:
        right = read_number("idle-timeout", argument, 1, 86400, &number, why);
        options->http.idle_seconds = (unsigned)number;
        return right;
    }
}

static bool set_option(struct options *options, int option, const char *argument, struct buffer *why) {
    switch (option) {
    case OPTION_DB:
        options->database = argument;
        return true;
    case OPTION_SYNC:
        return set_sync(options, argument, why);
    case OPTION_HOST:
        options->http.host = argument;
        return true;
    case OPTION_RECORD:
        options->record = argument;
        return true;
    case OPTION_CONTROL:
        options->control = true;
        return true;
    case OPTION_BASE_PATH:
        return set_base_path(options, argument, why);
    case OPTION_ADMIN_SECRET:
        return set_secret(&options->admin_secret, text_of(argument), "admin-secret", why);
    case OPTION_ADMIN_SECRET_FILE:
        return read_secret_file(&options->admin_secret, argument, why);
    case OPTION_CONTROL_SECRET:
        return set_secret(&options->control_secret, text_of(argument), "control-secret", why);
    case OPTION_FAULT:
        return set_fault(options, argument, why);
    default:
        return set_number(options, option, argument, why);
    }
}

static void set_defaults(struct options *options) {
    *options = (struct options){
        .http = {.host = "127.0.0.1",
                 .port = 0,
                 .limits = {.head = 64 * 1024, .body = 16 * 1024 * 1024},
                 .connections = 1024,
                 .request_seconds = 30,
                 .idle_seconds = 75},
        .base_path = {"", 0},
        .hanging = {.writes = 256, .bytes = 64 * 1024 * 1024},
    };
    buffer_init(&options->admin_secret, SECRET_CEILING);
    buffer_init(&options->control_secret, SECRET_CEILING);
}

enum options_result options_read(struct options *options, int count, char **arguments, struct buffer *why) {
    set_defaults(options);
    opterr = 0;
    int option;
    int before = optind;
    while ((option = getopt_long(count, arguments, ":h", names, NULL)) != -1) {
        if (option == OPTION_HELP) {
            return OPTIONS_HELP;
        }
        if (option == '?' || option == ':') {
            buffer_format(why, option == ':' ? "%.200s needs an argument" : "there is no option %.200s",
                          arguments[before]);
            return OPTIONS_BAD;
        }
        if (!set_option(options, option, optarg, why)) {
            return OPTIONS_BAD;
        }
        before = optind;
    }
    if (optind < count) {
        buffer_format(why, "'%.200s' is no option", arguments[optind]);
        return OPTIONS_BAD;
    }
    return OPTIONS_RUN;
}

void options_free(struct options *options) {
    fault_clear(&options->faults);
    buffer_free(&options->control_secret);
    buffer_free(&options->admin_secret);
}
