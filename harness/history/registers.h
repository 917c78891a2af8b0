/*
 * The harness' own registers: what a room of wire version 3 keeps for each path after a history of envelopes (register.*, settle.when). Written from the rules, without the
 * reference relay's code, so that it can judge any relay's snapshots.
 */
#ifndef MESHSPEC_HISTORY_REGISTERS_H
#define MESHSPEC_HISTORY_REGISTERS_H

#include "harness/json/value.h"

/* A stamp that somebody cited, or that is settled; of one origin. */
struct stamp {
    struct text origin;
    double p, l;
    struct stamp *next;
};

/* One origin's write at a path. */
struct sibling {
    struct text origin;
    double p, l;
    const struct json_value *shown; /* as a snapshot shows it: {kind, writer, origin, hlc, epoch, value?, prev?} */
    struct sibling *next;
};

/* What is kept for one path. */
struct cell {
    struct text path; /* its segments as strings, joined */
    struct sibling *siblings;
    struct stamp *water;
    double baseline; /* the highest epoch ever seen */
    const struct json_value *seen_in; /* the snapshot that was last found to have it */
    struct cell *next;
};

#define REGISTERS_BUCKETS 4096
#define REGISTERS_JOINT "\x1f" /* between segments: no segment has control characters (valid.details) */

/* Zero-initialise it but for the arena, in which all of it lies; the values that it is given are borrowed. */
struct registers {
    struct arena *arena;
    struct cell *buckets[REGISTERS_BUCKETS];
    bool is_free; /* something was not well formed: what is kept is not known any more */
};

/* Takes a snapshot's `registers` in, in place of what was there. NULL: there are none. */
void registers_load(struct registers *registers, const struct json_value *list);

/* Applies the ops of an envelope. */
void registers_apply(struct registers *registers, const struct json_value *envelope);

/* Collects what the settled stamps, {origin: hlc}, let go of. */
void registers_collect(struct registers *registers, const struct json_value *settled);

/* Whether a snapshot's `registers` show exactly this; else appends one sentence on where they differ. `out` may be NULL. */
bool registers_show(struct registers *registers, const struct json_value *list, struct buffer *out);

/* ---- what its two files share ---- */

/* A path's segments joined as strings, so that 1 and "1" are the same, and [] and [""] are. False when it is no path. */
bool registers_path(struct arena *arena, const struct json_value *path, struct text *out);

/* NULL when nothing was ever kept there. */
struct cell *registers_find(const struct registers *registers, struct text path);

/* Reads an origin and its {p, l}. False when they are none. */
bool registers_stamp(const struct json_value *origin, const struct json_value *hlc, struct stamp *out);

/* The origin's stamp in a list; NULL: there is none. */
struct stamp *registers_stamp_of(struct stamp *list, struct text origin);

#endif
