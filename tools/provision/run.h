/* What every step of a run is given: the memory it may take and the one problem that it may report. */
#ifndef PROVISION_RUN_H
#define PROVISION_RUN_H

#include "tools/provision/json.h"

/* Why a run was refused or failed. The names that the outside sees are stable (see `problem_name`). */
enum problem_code {
    PROBLEM_NONE,
    PROBLEM_BAD_INPUT,         /* the app, the permissions, the store's URL, the app id or the secret */
    PROBLEM_NOT_NESTED,        /* status.not-nested: a flat app */
    PROBLEM_OUTSIDE_NAMESPACE, /* permissions for a table of somebody else */
    PROBLEM_SCHEMA_DRIFT,      /* the store has other tables in the app's namespaces */
    PROBLEM_POLICY_LITERAL,    /* a literal that the wire cannot carry */
    PROBLEM_HTTP,              /* a request failed or its answer is not what it must be */
};

/* "bad-input", "not-nested", "outside-namespace", "schema-drift", "policy-literal", "http"; "none" for no problem. */
const char *problem_name(enum problem_code code);

struct problem {
    enum problem_code code;
    struct text message;     /* complete by itself; never holds the secret */
    struct text file;        /* where the place is; no text when there is no place */
    struct place place;      /* line 0: no place */
    struct text request;     /* "GET http://…" of an http problem */
    long status;             /* its HTTP status; 0 when no answer came */
    struct text_list tables; /* names as JSON strings with quotes: those outside, or those that drifted */
};

struct run {
    struct arena *arena;
    struct problem problem;
};

/* A JSON document from outside, with the name to report it by: a file's path, or a part of a request. */
struct input {
    struct text file;
    struct json root;
};

/* For `%.*s`. */
#define TEXT_ARGUMENTS(text) (int)(text).length, (text).bytes == NULL ? "" : (text).bytes

/* Sets the run's problem and returns false, so that a caller can `return problem_set(…)`. At most 512 bytes of message. */
bool problem_set(struct run *run, enum problem_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As `problem_set`, for something at `value` in `file`; the message begins with file, line, column and JSON path. */
bool problem_at(struct run *run, enum problem_code code, struct text file, struct json value, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/*
 * Scans `text` (owned by the arena, or longer lived) as the document called `file`. False and PROBLEM_BAD_INPUT, with line and
 * column, when it is not JSON.
 */
bool input_scan(struct run *run, struct text file, struct text text, struct input *input);

#endif
