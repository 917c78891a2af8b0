/*
 * Inside the writing of a scenario: values as YAML, as templates, and as patterns.
 */
#ifndef MESHSPEC_COMPARE_SCENARIO_WRITER_H
#define MESHSPEC_COMPARE_SCENARIO_WRITER_H

#include "harness/compare/compare.h"

enum { BOUND_CEILING = 64 }; /* names in one scenario; a small one has two or three */

struct writer {
    struct arena *arena;
    struct buffer *out;
    const struct compare_result *result;
    struct error *error;                /* why it cannot be written */
    struct text bound[BOUND_CEILING];   /* the shared names that an expectation has bound */
    size_t bound_count;
    struct text observer; /* what this one saw differs, so all of it is expected; else empty */
};

/* Appends a value in YAML's flow style. */
void writer_print(struct writer *writer, const struct json_value *value);

/* Epochs and instances in what is sent: {$is: …}. In place. */
void writer_template(struct writer *writer, struct json_value *step);

/* The pattern for what was said: this and nothing besides, apart from what the protocol leaves open. */
struct json_value *writer_pattern(struct writer *writer, const struct json_value *said);

/* The pattern for what an observer saw, which a scenario has flat: {room, writer, reason, …}. */
struct json_value *writer_observation(struct writer *writer, const struct json_value *seen);

#endif
