#include "relay-ref/adapters/flags_table.h"

#define AT(field) offsetof(struct server_flags, field)
#define MOST_SECONDS 86400
#define MOST_BYTES ((size_t)1 << 30)
#define MOST_BYTES_IN_ALL ((size_t)1 << 40)

const struct flag flag_table[] = {
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
    {"max-connections", KIND_COUNT, AT(max_connections), 1, 1000000, "COUNT", "WebSockets at once; past it HTTP 503"},
    {"max-connections-per-address", KIND_COUNT, AT(max_connections_per_address), 0, 1000000, "COUNT",
     "of them from one IPv4 address or IPv6 /64; past it HTTP 429; 0 means no limit"},
    {"max-rooms", KIND_COUNT, AT(max_rooms), 1, 100000000, "COUNT", "rooms at once; a hello past it is closed"},
    {"max-rooms-per-connection", KIND_COUNT, AT(max_rooms_per_connection), 1, 100000000, "COUNT",
     "rooms that one connection is in; a hello past it is closed"},
    {"max-members-per-room", KIND_COUNT, AT(max_members_per_room), 1, 100000000, "COUNT",
     "members of one room; a hello past it is closed"},
    {"max-message-bytes", KIND_COUNT, AT(max_message_bytes), 1, MOST_BYTES, "BYTES",
     "a larger message closes its connection with 1009"},
    {"max-messages-per-second", KIND_NUMBER, AT(max_messages_per_second), 0, 0, "NUMBER",
     "per connection, burst twice the rate; a faster one is read no faster; 0 means no limit"},
    {"max-depth", KIND_COUNT, AT(max_depth), 1, 100000000, "LEVELS",
     "of a value, and of an op's path with its value; deeper closes with 1008"},
    {"max-waiting-bytes", KIND_COUNT, AT(max_waiting_bytes), 1, MOST_BYTES, "BYTES",
     "more than this behind the message being sent: the reader is cut off"},
    {"max-waiting-bytes-in-all", KIND_COUNT, AT(max_waiting_bytes_in_all), 1, MOST_BYTES_IN_ALL, "BYTES",
     "more than this for all readers together: the one with the most is cut off"},
    {"max-root-bytes", KIND_COUNT, AT(max_root_bytes), 1, MOST_BYTES, "BYTES",
     "of a room's root as JSON; a write past it closes with 1009, not ordered"},
    {"max-journal-bytes", KIND_COUNT, AT(max_journal_bytes), 0, MOST_BYTES, "BYTES",
     "of a room's journal; past it the oldest envelopes leave"},
    {"max-array-length", KIND_COUNT, AT(max_array_length), 1, 4294967295, "COUNT",
     "items of an array in a root; a write past it is left out of the root"},
    {"handshake-timeout", KIND_COUNT, AT(handshake_seconds), 1, MOST_SECONDS, "SECONDS",
     "time that a client has for its HTTP request"},
    {"drain-timeout", KIND_COUNT, AT(drain_seconds), 0, MOST_SECONDS, "SECONDS",
     "time to send what is queued after SIGTERM or SIGINT"},
    {"ping-interval", KIND_COUNT, AT(ping_seconds), 0, MOST_SECONDS, "SECONDS",
     "a peer silent for two of these is cut off; 0 turns it off"},
    {"deflate", KIND_SWITCH, AT(deflate), 0, 0, NULL, "offer permessage-deflate"},
    {"control", KIND_COUNT, AT(control_port), 0, 65535, "PORT",
     "serve the adapter protocol over HTTP on 127.0.0.1; 0 takes a free port"},
    {"metrics", KIND_COUNT, AT(metrics_port), 0, 65535, "PORT",
     "serve counters in Prometheus' text format on 127.0.0.1; 0 takes a free port"},
    {"help", KIND_HELP, 0, 0, 0, NULL, "print this page"},
    {"version", KIND_VERSION, 0, 0, 0, NULL, "print the version"},
    {0}};

_Static_assert(sizeof flag_table / sizeof *flag_table <= FLAG_ROWS_CEILING, "more rows than getopt's table has");


struct server_flags flags_default(void) {
    struct relay_options relay = relay_options_default(RELAY_PROTOCOL_0_2_0);
    return (struct server_flags){
        .host = "127.0.0.1",
        .port = 0,
        .control_port = FLAGS_NO_PORT,
        .metrics_port = FLAGS_NO_PORT,
        .protocol = RELAY_PROTOCOL_0_2_0,
        .policy_version = relay.policy_version,
        .journal_limit = relay.journal_limit,
        .max_ops_per_envelope = relay.max_ops_per_envelope,
        .max_envelopes_per_second = relay.max_envelopes_per_second,
        .max_rooms = relay.max_rooms,
        .max_rooms_per_connection = relay.max_rooms_per_connection,
        .max_members_per_room = relay.max_members_per_room,
        .max_root_bytes = relay.max_root_bytes,
        .max_journal_bytes = relay.max_journal_bytes,
        .max_array_length = relay.max_array_length,
        .max_depth = 10000,
        .max_connections = 1000,
        .max_connections_per_address = 250,
        .max_messages_per_second = 5000,
        .max_message_bytes = (size_t)16 << 20,
        .max_waiting_bytes = (size_t)16 << 20,
        .max_waiting_bytes_in_all = (size_t)256 << 20,
        .handshake_seconds = 10,
        .drain_seconds = 5,
        .ping_seconds = 30,
    };
}
