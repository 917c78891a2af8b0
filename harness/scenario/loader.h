/*
 * The parts of the scenario loader that its files share. Inside harness/scenario only.
 */
#ifndef MESHSPEC_LOADER_H
#define MESHSPEC_LOADER_H

#include "harness/scenario/catalogue.h"
#include "harness/scenario/scenario.h"

struct hanging_name {
    struct text name;
    struct hanging_name *next;
};

struct loader {
    struct scenario *scenario;
    struct arena *arena; /* the scenario's */
    const struct clauses *clauses;
    struct error *error;
    /* Clients that a step `joins-as` has made so far. */
    struct text *joined;
    size_t joined_count, joined_capacity;
    /* What the steps ask of a target. */
    bool uses[VERB_REPEAT + 1];
    bool fragments;
    struct hanging_name *hanging; /* the writes that a store's steps have called hanging so far */
};

/* All of these return false after they have set "FILE:LINE:COLUMN: …". */
bool loader_fault(struct loader *loader, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* `unknown WHAT "NAME"`, and what was probably meant or what there is. */
bool loader_unknown(struct loader *loader, const char *what, struct text name, uint32_t line, uint32_t column,
                    const char *const *names, size_t count);

/* Reads a time such as 500ms or 20s, up to a ceiling. */
bool loader_time(struct loader *loader, const struct json_value *value, int64_t ceiling_ms, int64_t *milliseconds);

/* Reads a list of steps; schema_check has passed. */
bool loader_steps(struct loader *loader, const struct json_value *list, struct step_list *steps);

/* Reads a step of the store or the provisioner: its verb, its patterns and templates, and the files that it names. */
bool loader_store_step(struct loader *loader, struct step *step, const struct json_value *what);

/* Checks a pattern or a template (NULL: none) and puts the file into the fault's text. */
bool loader_pattern(struct loader *loader, const struct json_value *pattern);
bool loader_template(struct loader *loader, const struct json_value *value);

/* Checks that every name that `$is` uses is bound somewhere in the steps. */
bool loader_names(struct loader *loader, const struct json_value *steps);

/* Makes the list that scenario_needs gives. */
void loader_needs(struct loader *loader);

#endif
