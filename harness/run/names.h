/*
 * The names on the wire: rooms and writers carry the case's suffix there, and lose it in what patterns see.
 */
#ifndef MESHSPEC_NAMES_H
#define MESHSPEC_NAMES_H

#include "harness/json/value.h"
#include "harness/scenario/scenario.h"

struct names {
    struct arena *arena;
    struct text suffix; /* empty: names travel as they are */
    bool writers_stay;  /* the target knows its writers by name: only rooms carry the suffix */
};

/* A room's and a writer's name on the wire; in the names' arena. */
struct text names_room(const struct names *names, struct text room);
struct text names_writer(const struct names *names, struct text writer);

/*
 * Takes the suffix off where the protocol puts a room or a writer: `room`, `writer`, and the writers in `peer`, `peers`, `env`, `envs`, `violation`, and in the
 * siblings of `registers`, at the top or in `state`. Changes the value in place.
 */
void names_strip(const struct names *names, struct json_value *message);

/* Puts the suffix on a string `room` at the top of `message`, and on a string `writer` of `env` or of the top that is one of the scenario's. In place. */
void names_dress(const struct names *names, const struct scenario *scenario, struct json_value *message);

/* What `{{room}}`, `{{wire}}` and `{{instance}}` stand for in a text. */
struct placeholders {
    struct text room; /* as the scenario names it */
    int wire;
    struct text instance;
};

/*
 * Replaces `{{room}}`, `{{room:NAME}}` and `{{writer:NAME}}` by the names on the wire and `{{instance}}` by the room's instance, escaped as inside a JSON
 * string, and `{{wire}}` by the wire version. Other text in braces stays.
 */
struct text names_expand(const struct names *names, struct text text, const struct placeholders *values);

#endif
