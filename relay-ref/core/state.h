/* What a relay is made of. Private to the core: everybody else sees relay.h. */
#ifndef MESHSPEC_RELAY_STATE_H
#define MESHSPEC_RELAY_STATE_H

#include "relay-ref/core/durability.h"
#include "relay-ref/core/fold.h"
#include "relay-ref/core/generation.h"
#include "relay-ref/core/journal.h"
#include "relay-ref/core/list.h"
#include "relay-ref/core/message.h"
#include "relay-ref/core/reading.h"
#include "relay-ref/core/relay.h"
#include "relay-ref/core/table.h"
#include "relay-ref/core/version.h"

/* The longest epoch that a relay mints; a hydrated one may be longer. */
#define RELAY_EPOCH_CAPACITY 64

struct relay {
    struct relay_env env;
    struct relay_options options;
    const struct relay_version *version;
    struct table_seed seed;
    struct table rooms;        /* struct room by name */
    size_t members;            /* of all rooms */
    size_t kept_bytes;         /* of all rooms; relay_room_weigh keeps it */
    struct list connections;   /* struct relay_connection */
    struct message_ops ops;    /* of the envelope being read */
    struct reading reading;    /* likewise; wire version 3 */
    bool restoring;            /* ceilings do not count */
    struct held_answer *spare; /* owned; for the next answer that must wait, or NULL */
};

struct relay_connection {
    struct relay *relay;
    struct list_link link; /* in relay->connections */
    struct relay_sink sink;
    char *texts; /* owned: what `principal` points into */
    struct relay_principal principal;
    struct table rooms;                     /* struct member by room name */
    struct list memberships;                /* struct member, in the order of joining */
    bool closed;                            /* the sink was told to close: nothing more goes out or comes in */
    struct relay_connection *next_to_close; /* while an ejection gathers them */
};

/* A writer as a room knows it: its rate bucket, and whether it was ejected. */
struct room_writer {
    struct table_item item; /* the writer; its characters follow the struct */
    bool ejected;
    bool metered; /* the bucket below is in use */
    double tokens;
    int64_t metered_at;
    char name[];
};

struct room {
    struct table_item item; /* the decoded name; its characters follow the struct */
    struct relay *relay;
    uint64_t seq;
    double schema_version;
    struct relay_text epoch;       /* decoded characters; owned */
    struct fold fold;              /* wire version 1 */
    struct generation *generation; /* owned; wire version 3, NULL in others */
    struct journal journal;
    struct durability durability;
    uint64_t joins;        /* how often somebody joined */
    struct table members;  /* struct member by origin */
    struct list roster;    /* struct member, in the order of joining */
    struct list presences; /* struct member with an entry, oldest entry first */
    size_t presence_bytes; /* of these entries */
    size_t weight;         /* what the room has in relay->kept_bytes */
    struct table writers;  /* struct room_writer */
    size_t writer_bytes;   /* of them */
    size_t ejected;        /* of them */
    char name[];
};

/* One (connection, origin) in one room. */
struct member {
    struct table_item by_origin; /* in room->members; the origin's characters follow the struct */
    struct table_item by_room;   /* in connection->rooms */
    struct list_link in_roster, in_connection, in_presences;
    struct room *room;
    struct relay_connection *connection;
    uint64_t joined_as;           /* the room's `joins` at that time: ascending along the roster, and one of a kind */
    struct relay_frame *presence; /* kept; the last presence frame, NULL when there is no entry */
    size_t peer_at, peer_length;  /* of the peer object in it */
    char origin[];
};

static inline struct member *relay_member_in_roster(struct list_link *link) {
    return CONTAINER_OF(link, struct member, in_roster);
}

#endif
