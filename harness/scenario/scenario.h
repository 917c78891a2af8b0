/*
 * A scenario as read from its YAML file: checked, and with every node's line and column.
 */
#ifndef MESHSPEC_SCENARIO_H
#define MESHSPEC_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/json/value.h"
#include "harness/scenario/clauses.h"

struct client {
    struct text name;
    struct text writer; /* default: the name */
    struct text origin; /* default: the name */
    struct text kind;   /* bytes NULL: none */
    struct text claims; /* JSON text; bytes NULL: none */
    uint32_t line;
};

/* FORMAT.md says what each verb means. */
enum verb {
    /* of a client */
    VERB_CONNECTS,
    VERB_HELLO,
    VERB_WRITES,
    VERB_PRESENCE,
    VERB_SIGNAL,
    VERB_SENDS,
    VERB_SENDS_TEXT,
    VERB_SENDS_BYTES,
    VERB_GETS,
    VERB_GETS_IN_ANY_ORDER,
    VERB_QUIET,
    VERB_CLOSED,
    VERB_LEAVES,
    VERB_DROPS,
    VERB_STALLS,
    VERB_RESUMES,
    VERB_JOINS_AS,
    /* of the relay */
    VERB_HYDRATE,
    VERB_ROOM,
    VERB_COMMITTED,
    VERB_VIOLATED,
    VERB_DROPPED,
    VERB_REJECTED,
    VERB_JOINED,
    VERB_STALLED,
    VERB_HOLDS_COMMITS,
    VERB_DECIDES_COMMITS,
    VERB_RELEASE,
    VERB_FAIL,
    VERB_UNLOAD,
    VERB_RESTART,
    /* of the clock */
    VERB_ADVANCE,
    /* of the store */
    VERB_STORE_GET, VERB_STORE_POST, VERB_STORE_INSERT, VERB_STORE_UPDATE, VERB_STORE_DELETE, VERB_STORE_LIST, VERB_STORE_GOES_THROUGH,
    VERB_STORE_STILL_HANGS, VERB_STORE_REQUESTS, VERB_STORE_FAULTS, VERB_STORE_RESTART, VERB_STORE_AT_ONCE,
    /* of the provisioner */
    VERB_PROVISIONER_STATUS, VERB_PROVISIONER_APPLY, VERB_PROVISIONER_AT_ONCE,
    /* of steps themselves */
    VERB_RACE,
    VERB_EITHER,
    VERB_REPEAT
};

/* A file below fixtures/apps or fixtures/permissions that a step of the provisioner names. */
struct scenario_file {
    const char *folder; /* "apps" or "permissions" */
    struct text name;   /* without `.json` */
    const struct json_value *value;
    struct scenario_file *next;
};

struct step_list {
    struct step *steps;
    size_t count;
};

struct step {
    enum verb verb;
    struct text actor;                 /* a client's name, "relay", "clock", "store" …; empty for race, either, repeat */
    const struct json_value *argument; /* the verb's argument, shorthand as written; NULL when it has none */
    const struct json_value *node;     /* the whole step, {ACTOR: WHAT}; `node->first` is WHAT, with the modifiers */
    struct text room;                  /* the modifier `in`; default "r" */
    const struct json_value *as;       /* the modifier `as` of writes; NULL */
    struct text origin;                /* the modifier `origin` of joins-as; bytes NULL: none */
    int fragments;                     /* the modifier `fragments` of sends-text; default 1 */
    bool binary;                       /* `frame: binary` of sends-bytes */
    bool answers;                      /* hydrate, unload: what it must answer (default true) */
    int64_t milliseconds;              /* advance */
    uint64_t times;                    /* repeat */
    struct text counter;               /* repeat: the name the round's number (from 1) is bound to; empty: none */
    struct step_list *branches;        /* race, either: the branches; repeat: one branch */
    size_t branch_count;
    uint32_t line, column;
};

struct scenario {
    const char *file; /* as given */
    const char *name; /* the path below the scenarios folder, without `.yaml`: "join/delta-lower-bound" */
    struct text title;
    const struct clause **clauses;
    size_t clause_count;
    const char **ranges; /* `profiles`; none: every profile in which all clauses hold */
    size_t range_count;
    bool of_store;       /* its clauses are of the profile `store`: it judges a store and a provisioner, not a relay */
    bool any_app;        /* of a store: it may find anything in its app */
    struct scenario_file *files;
    const struct json_value *options; /* `relay`, of a store `store`; NULL: the defaults */
    struct client *clients; /* of a store: none */
    size_t client_count;
    bool ignore_presence, ignore_member, ignore_settled; /* `ignore` */
    bool free_outcome;                   /* `outcome: free`, or a clause is FREE */
    int limit_ms;                        /* `limit`, default SCENARIO_LIMIT_MS, of a store SCENARIO_STORE_LIMIT_MS */
    const struct json_value *expect;     /* `expect` of a selftest: {verdict: fail|skip|error, …}; NULL elsewhere */
    struct step_list steps;
    const char *const *needs; /* see scenario_needs */
    struct arena *arena;      /* owns all of it */
};

#define SCENARIO_LIMIT_MS 10000
#define SCENARIO_STORE_LIMIT_MS 30000 /* a provisioner is a process of its own each time */
#define SCENARIO_FILE_CEILING ((size_t)4 << 20) /* bytes of one file */
#define SCENARIO_INTERLEAVINGS_CEILING 1000     /* of one race; a race that has more is an error of the file */
#define SCENARIO_LIMIT_CEILING_MS 3600000       /* of `limit`: an hour */
#define SCENARIO_ADVANCE_CEILING_MS INT64_C(1000000000000) /* of one `advance`: 31 years */

/*
 * Reads and checks one file. Everything that can be wrong with it is found here: YAML syntax, the JSON Schema,
 * unknown verbs, clauses, clients, bad patterns and templates, names that nothing binds. Returns NULL with
 * ERROR_USAGE "file:line:column: what is wrong, what was expected". `name` decides whether it is a selftest: those
 * start with "selftest/". The scenario borrows from `clauses`, which must outlive it.
 */
struct scenario *scenario_load(const char *file, const char *name, const struct clauses *clauses, struct error *error);

/* NULL is allowed. */
void scenario_free(struct scenario *scenario);

/* Whether the scenario runs in a profile such as "0.2.0" or "store". */
bool scenario_in_profile(const struct scenario *scenario, const char *profile);

/*
 * The capabilities (see target.h) that the scenario needs, each once, ended by NULL; valid as long as the scenario.
 * Of "options", "policy.acl", "policy.validate", "policy.canBump", "policy.verifyCitations", "hydrate", "room", "commit",
 * "violation", "drop", "reject", "join", "stalled", "hold", "unload", "clock", "restart", "binary" (for sends-bytes),
 * "fragments", "stall". Of a store (see store.h): "fresh", "options", "requests", "faults", "restart", "data".
 */
const char *const *scenario_needs(struct scenario *scenario);

/* The content of a file that a step names; NULL: the scenario names no such file. */
const struct json_value *scenario_file(const struct scenario *scenario, const char *folder, struct text name);

/* ---- finding files ---- */

struct scenario_set {
    struct scenario **scenarios; /* sorted by name */
    size_t count;
    struct clauses *clauses;
};

/*
 * Loads every `*.yaml` below each path (a file or a folder; default: the scenarios folder). `root` is the folder that
 * holds scenarios/ and fixtures/. The scenarios in scenarios/selftest/ are loaded only by a path that leads into that
 * folder. A file that several paths lead to is loaded once. Reports every bad file, not only the first, through
 * `report`; returns false when there was one. The set must be freed either way.
 */
bool scenario_set_load(struct scenario_set *set, const char *root, const char *const *paths, size_t path_count,
                       void (*report)(void *context, const struct error *error), void *context);

void scenario_set_free(struct scenario_set *set);

#endif
