/* The reference relay's command line: every flag is one row of a table, which parsing and `--help` share. */
#ifndef MESHSPEC_FLAGS_H
#define MESHSPEC_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "relay-ref/core/relay.h"

#define SERVER_NAME "meshspec-relay"
#define SERVER_VERSION "1.0.0"

/* `control_port` and `metrics_port` when that server is not wanted. */
#define FLAGS_NO_PORT ((size_t)-1)

/* Everything that the command line decides. Texts are borrowed from `argv`. */
struct server_flags {
    const char *host;
    size_t port; /* 0: any free one */
    size_t control_port;
    size_t metrics_port;
    enum relay_protocol protocol;
    enum relay_ejection ejection;
    const char *token_file;  /* NULL: the principal is in the query */
    const char *policy_file; /* NULL: no policy */
    const char *db_file;     /* NULL: rooms are in memory alone */
    bool durable;
    size_t checkpoint_envelopes, checkpoint_bytes;
    size_t unload_seconds; /* 0: never */
    const char *certificate_file, *key_file; /* NULL, both: no TLS */
    double policy_version;
    size_t journal_limit;
    size_t max_ops_per_envelope;
    double max_envelopes_per_second; /* 0: no limit */
    size_t max_rooms;
    size_t max_rooms_per_connection;
    size_t max_members_per_room;
    size_t max_name_bytes;
    size_t max_presence_bytes;
    size_t max_kept_bytes;
    size_t max_root_bytes;
    size_t max_journal_bytes;
    size_t max_array_length;
    size_t max_depth;
    size_t max_connections;
    size_t max_connections_per_address; /* 0: no limit */
    size_t max_message_bytes;
    double max_messages_per_second; /* 0: no limit */
    size_t max_waiting_bytes;
    size_t max_waiting_bytes_in_all;
    size_t handshake_seconds;
    size_t drain_seconds;
    size_t ping_seconds; /* 0: never */
    bool deflate;
};

enum flags_outcome { FLAGS_RUN, FLAGS_HELP, FLAGS_VERSION, FLAGS_BAD };

/* What holds when the command line is empty. */
struct server_flags flags_default(void);

/*
 * Reads `argv` (argv[0] is the program) over the defaults. FLAGS_BAD comes with a sentence in `reason`, at most
 * `capacity` bytes with its NUL: which flag, what it got, what it wants.
 */
enum flags_outcome flags_read(int argc, char **argv, struct server_flags *flags, char *reason, size_t capacity);

/* Writes the help page: every flag with its unit and default, and examples. */
void flags_print_help(FILE *out);

#endif
