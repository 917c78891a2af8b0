#include "relay-ref/adapters/flags.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/flags_table.h"
#include "relay-ref/adapters/options.h"

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
        snprintf(reason, capacity, "--%s got \"%s\"; it wants 0.1.0, 0.1.1, 0.2.0 or 0.9", flag->name, text);
        return false;
    case KIND_EJECTION:
        *(enum relay_ejection *)place = strcmp(text, "writer") == 0 ? RELAY_EJECT_WRITER : RELAY_EJECT_CONNECTION;
        if (strcmp(text, "writer") == 0 || strcmp(text, "connection") == 0)
            return true;
        snprintf(reason, capacity, "--%s got \"%s\"; it wants writer or connection", flag->name, text);
        return false;
    default:
        *(bool *)place = true;
        return true;
    }
}

/* getopt's own table, made from ours; `val` is the row. */
static void make_getopt_table(struct option table[FLAG_ROWS_CEILING]) {
    size_t i = 0;
    for (; flag_table[i].name != NULL; i++)
        table[i] = (struct option){.name = flag_table[i].name,
                                   .has_arg = flag_table[i].placeholder != NULL ? required_argument : no_argument,
                                   .val = (int)i};
    table[i] = (struct option){0};
}

static bool is_same_port(size_t one, size_t other) {
    return one != 0 && one != FLAGS_NO_PORT && one == other;
}

static bool check_db(const struct server_flags *flags, char *reason, size_t capacity) {
    if (flags->durable && flags->db_file == NULL)
        snprintf(reason, capacity, "--durable wants a --db FILE");
    else if (flags->db_file != NULL && flags->protocol == RELAY_PROTOCOL_0_1_0)
        snprintf(reason, capacity, "--db wants --protocol 0.1.1 or newer; before, rooms could not be restored");
    else
        return true;
    return false;
}

static bool check_together(const struct server_flags *flags, char *reason, size_t capacity) {
    if ((flags->certificate_file == NULL) != (flags->key_file == NULL)) {
        snprintf(reason, capacity, "--cert and --key go together; --%s is missing",
                 flags->key_file == NULL ? "key" : "cert");
        return false;
    }
    if (flags->ejection != RELAY_EJECT_WRITER && flags->protocol != RELAY_PROTOCOL_0_9) {
        snprintf(reason, capacity, "--ejection connection came with --protocol 0.9");
        return false;
    }
    const struct {
        const char *name;
        size_t port;
    } ports[] = {{"--port", flags->port}, {"--control", flags->control_port}, {"--metrics", flags->metrics_port}};
    for (size_t i = 0; i < 3; i++) {
        size_t next = (i + 1) % 3;
        if (is_same_port(ports[i].port, ports[next].port)) {
            snprintf(reason, capacity, "%s and %s both got %zu; they want two different ports", ports[next].name,
                     ports[i].name, ports[i].port);
            return false;
        }
    }
    return check_db(flags, reason, capacity);
}

enum flags_outcome flags_read(int argc, char **argv, struct server_flags *flags, char *reason, size_t capacity) {
    struct option table[FLAG_ROWS_CEILING];
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
