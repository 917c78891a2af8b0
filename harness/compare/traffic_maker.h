/*
 * Inside the making of traffic: the random source, what the maker believes of the relay, and the parts of messages. All parts are written as JSON text.
 */
#ifndef MESHSPEC_COMPARE_TRAFFIC_MAKER_H
#define MESHSPEC_COMPARE_TRAFFIC_MAKER_H

#include "harness/compare/traffic.h"
#include "harness/run/schedule.h"

enum { MAKER_ROOMS = 4, MAKER_WRITERS = 4, MAKER_ORIGINS = 4, MAKER_STRANGERS = 40, MAKER_CLIENTS = 8, MAKER_MEMORY = 16, MAKER_TEXT = 400 };

/* What stands at a path: what may be below it follows from the path alone, so that no order of steps leads to a path that is not one. */
enum place { PLACE_OBJECT, PLACE_INDEXED, PLACE_LEAF };

struct maker_client {
    bool alive;
    unsigned name; /* "c7" */
    unsigned writer, origin;
    bool joined[MAKER_ROOMS];
};

/* A write at a path that somebody may cite (wire version 3). */
struct maker_dot {
    char path[MAKER_TEXT];
    unsigned origin;
    double p;
    unsigned l;
};

struct maker {
    struct schedule random;
    const struct traffic_features *features;
    struct buffer steps; /* JSON objects, each with a comma in front */
    size_t count;
    struct maker_client clients[MAKER_CLIENTS];
    unsigned names;
    /* what it believes of the relay */
    unsigned seq[MAKER_ROOMS];
    double schema[MAKER_ROOMS]; /* in halves */
    bool banned[MAKER_WRITERS][MAKER_ROOMS];
    unsigned version[MAKER_STRANGERS]; /* of each origin; most of them only stand in envelopes */
    unsigned stamp;
    double clock;
    bool holds;
    struct maker_dot dots[MAKER_MEMORY];
    unsigned dot_count;
    char *sent[MAKER_MEMORY]; /* messages that may be sent again; allocated */
    unsigned sent_count;
    /* the options that were chosen */
    unsigned policy_version, journal_limit, max_ops;
    bool by_connection, bumps;
};

/* ---- the random source ---- */

/* 0 … below − 1; `below` is at least 1. */
unsigned maker_below(struct maker *maker, unsigned below);
bool maker_chance(struct maker *maker, unsigned percent);
const char *maker_one_of(struct maker *maker, const char *const *texts, size_t count);

#define MAKER_ONE_OF(maker, texts) maker_one_of(maker, texts, sizeof(texts) / sizeof *(texts))

/* ---- traffic_values.c ---- */

/* What the root of a room is. */
enum place maker_root(unsigned room);

/* Appends a path as a JSON array and says what may stand there. */
enum place maker_path(struct maker *maker, struct buffer *out, enum place root);

/* Appends a value that may stand at such a place. */
void maker_value(struct maker *maker, struct buffer *out, enum place place);

/* ---- traffic_options.c ---- */

/* Appends the options of a relay and remembers what matters of them. */
void maker_options(struct maker *maker, struct buffer *out);

/* ---- traffic_ops.c ---- */

/* Remembers a write that may be cited from now on. */
void maker_remember_dot(struct maker *maker, const char *path, const struct maker_dot *own);

/* A write that is remembered, so that writes meet; NULL when there is none yet. */
const struct maker_dot *maker_known_dot(struct maker *maker);

/* Appends an array of at most `count` ops of an envelope with this stamp; in wire version 3 no path comes twice. */
void maker_ops(struct maker *maker, struct buffer *out, unsigned room, unsigned origin, double p, unsigned l, unsigned count);

/* ---- traffic_client.c ---- */

/* Mostly the two rooms that everybody is in. */
unsigned maker_any_room(struct maker *maker);

void maker_connect(struct maker *maker);
void maker_leave(struct maker *maker, struct maker_client *client);

/* A hello; one that is not `right` has a version that the relay refuses. */
void maker_hello(struct maker *maker, struct maker_client *client, unsigned room, bool right);

void maker_presence(struct maker *maker, const struct maker_client *client, unsigned room);
void maker_signal(struct maker *maker, const struct maker_client *client, unsigned room);

/* ---- traffic_write.c ---- */

const char *maker_room_name(unsigned room);

/* Appends a step in which a client says `message`, JSON text; at times in another spelling. */
void maker_say(struct maker *maker, const struct maker_client *client, const char *message);

/* Appends one step. */
void maker_step(struct maker *maker, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A client writes to a room: an ordinary envelope, one that migrates the room, one with a sin, or one that was sent before. */
void maker_write(struct maker *maker, struct maker_client *client, unsigned room);
void maker_migrate(struct maker *maker, struct maker_client *client, unsigned room);
void maker_sin(struct maker *maker, struct maker_client *client, unsigned room);
void maker_resend(struct maker *maker, struct maker_client *client);

/* Appends an envelope as the journal of a snapshot has it. */
void maker_journalled(struct maker *maker, struct buffer *out, unsigned room, unsigned seq);

/* ---- traffic_sins.c ---- */

/* One envelope, each part as JSON text; NULL leaves a member out. */
struct maker_envelope {
    const char *proto, *instance, *origin, *writer, *version, *hlc, *policy_version, *schema_version, *ops;
};

/* Makes the parts of an otherwise good envelope (wire version 3) malformed in one place or two. `op` takes a whole op in place of a good one. */
void maker_malform(struct maker *maker, struct maker_envelope *envelope, const char **op);

/* ---- traffic_room.c ---- */

void maker_hydrate(struct maker *maker);
void maker_junk(struct maker *maker);

#endif
