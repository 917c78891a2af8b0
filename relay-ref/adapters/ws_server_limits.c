#include "relay-ref/adapters/ws_server_limits.h"

#define POLICY 1008
#define TOO_LARGE 1009
#define TRY_LATER 1013

struct answer {
    unsigned code;
    const char *reason;
};

static const struct answer answers[RELAY_LIMITS] = {
    [RELAY_LIMIT_ROOMS] = {POLICY, "this relay has all the rooms that it takes"},
    [RELAY_LIMIT_ROOMS_PER_CONNECTION] = {POLICY, "this connection is in as many rooms as it may be"},
    [RELAY_LIMIT_MEMBERS] = {POLICY, "the room has all the members that it takes"},
    [RELAY_LIMIT_ROOT_BYTES] = {TOO_LARGE, "the room has no space left for this write"},
    [RELAY_LIMIT_DEPTH] = {POLICY, "the message nests deeper than this relay takes"},
    [RELAY_LIMIT_ARRAY] = {POLICY, "an array is longer than this relay takes"}, /* closes nothing today */
    [RELAY_LIMIT_NAME_BYTES] = {POLICY, "the name of the room or the origin is longer than this relay takes"},
    [RELAY_LIMIT_PRESENCE_BYTES] = {TOO_LARGE, "the room has no space left for this presence"},
    [RELAY_LIMIT_KEPT_BYTES] = {TRY_LATER, "this relay has no space left for writes"},
};

void limits_put(struct relay_options *options, const struct server_flags *flags) {
    options->max_rooms = flags->max_rooms;
    options->max_rooms_per_connection = flags->max_rooms_per_connection;
    options->max_members_per_room = flags->max_members_per_room;
    options->max_name_bytes = flags->max_name_bytes;
    options->max_presence_bytes = flags->max_presence_bytes;
    options->max_kept_bytes = flags->max_kept_bytes;
    options->max_root_bytes = flags->max_root_bytes;
    options->max_journal_bytes = flags->max_journal_bytes;
    options->max_array_length = flags->max_array_length;
    options->max_depth = flags->max_depth;
}

unsigned limits_close_code(enum relay_limit limit) {
    return answers[limit].code;
}

const char *limits_close_reason(enum relay_limit limit) {
    return answers[limit].reason;
}
