/*
 * What a room of wire version 3 keeps of one generation: registers (per path the concurrent writes, the water and the
 * epoch baseline), and per origin the admission evidence. Values are never folded (register.never-folds).
 *
 * One cell stands for one origin at one path: its sibling there and the water up to which its writes there were cited.
 * So every rule about the two is about one cell, and the cells of an origin can be kept in the order in which they
 * become collectable (settle.c).
 */
#ifndef MESHSPEC_RELAY_GENERATION_H
#define MESHSPEC_RELAY_GENERATION_H

#include "relay-ref/core/hlc.h"
#include "relay-ref/core/list.h"
#include "relay-ref/core/table.h"

/* Inclusive (admit.duplicate). */
struct version_range {
    double from, to;
};

struct register_origin {
    struct table_item item;       /* the decoded origin; its characters follow the struct */
    struct version_range *ranges; /* owned, ascending, never touching; empty for an origin that is only cited */
    size_t range_count, range_capacity;
    bool is_settled;
    struct hlc settled;
    struct relay_text notice;     /* owned: `"origin":hlc` as in notices; without bytes until settled */
    struct list_link in_settled;  /* in the generation's list, once settled */
    struct register_cell *heap;   /* cells with water, the one that is collectable first on top */
    struct list_link in_unsorted; /* in the generation's list */
    bool is_unsorted;             /* something changed since the last collection */
    size_t uses;                  /* cells, and reservations */
    char name[];
};

/* The JSON text of a sibling, as it stands in snapshots. */
struct register_sibling {
    struct hlc hlc;
    size_t length;
    char text[];
};

struct register_cell {
    struct table_item item; /* the two pointers below, as bytes */
    struct {
        struct path_register *path_register;
        struct register_origin *origin;
    } of;
    struct list_link in_register;
    struct register_sibling *sibling; /* owned; NULL when there is none */
    bool has_water;
    struct hlc water;
    size_t reservations;
    bool in_heap;
    struct register_cell *child, *next, *previous; /* in the origin's heap; `previous` is the parent of a first child */
};

struct path_register {
    struct table_item item; /* the joined path; its bytes follow the struct */
    struct list cells;      /* none while only the baseline is left */
    size_t reservations;
    char *spelling;          /* owned, JSON ended by NUL: the path as first spelled; NULL while there are no cells */
    double baseline;         /* the highest epoch ever seen here (register.baseline) */
    char *baseline_spelling; /* owned; as first spelled with an epoch; NULL while `baseline` is 0 */
    char key[];
};

struct generation {
    const struct table_seed *seed;
    struct table registers;         /* struct path_register by joined path */
    struct table origins;           /* struct register_origin by origin */
    struct table cells;             /* struct register_cell by the two of them */
    struct list settled;            /* struct register_origin with a settled stamp */
    size_t notice_bytes;            /* of all notices of `settled` */
    struct list unsorted;           /* struct register_origin that the next collection looks at */
    size_t bytes;                   /* about the memory that all of it takes */
    struct relay_buffer checkpoint; /* registers, then wm; built on first use, until the next write */
    size_t checkpoint_registers;    /* length of the registers in it */
    bool checkpoint_fresh;
};

/* NULL when memory is out. `seed` must outlive it. */
struct generation *relay_generation_new(const struct table_seed *seed);

/* NULL is allowed. */
void relay_generation_free(struct generation *generation);

/* The origin, or NULL. */
struct register_origin *relay_generation_origin(const struct generation *generation, struct relay_text name);

/* The origin, made if need be, with one more use. NULL when memory is out. */
struct register_origin *relay_generation_use_origin(struct generation *generation, struct relay_text name);

/* Gives one use back; the last one forgets an origin of which there is no evidence. */
void relay_generation_release_origin(struct generation *generation, struct register_origin *origin);

/* The bytes of a checkpoint are no longer true. */
void relay_generation_touch(struct generation *generation);

#endif
