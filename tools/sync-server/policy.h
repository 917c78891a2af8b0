/*
 * Policies: whether a session may do something with a row (data.policy).
 *
 * Expressions are three-valued. What this evaluator does not support, or what is not well formed, is neither true nor
 * false, and stays so under Not: an operation is allowed only where its policy is true.
 */
#ifndef SYNC_SERVER_POLICY_H
#define SYNC_SERVER_POLICY_H

#include "tools/sync-server/store.h"
#include "tools/sync-server/value.h"

/* How many steps one request's policies may take, and how deep Exists may stand inside Exists. What is beyond is not
 * true. An expression is a step, and so is each element of a list in it; a row that is read counts ten; long values
 * count one more for each 64 bytes. */
#define POLICY_STEPS_CEILING 2000000
#define POLICY_EXISTS_CEILING 8
#define POLICY_STEPS_A_ROW 10
#define POLICY_BYTES_A_STEP 64

/* A row as a policy sees it. */
struct policy_row {
    struct text table;
    struct text id;
    struct text created_by;             /* $createdBy: the author's user id */
    const struct json_document *values; /* node 0 is the object of columns */
    const struct policy_row *outer;     /* inside Exists: the row around it */
};

struct policy_context {
    struct store *store;
    struct text app;
    const struct json_document *permissions; /* of the bundle in force; node 0 */
    const struct json_document *schema;      /* the one that the bundle names; node 0 */
    const struct json_document *request;     /* the document of the session */
    uint32_t session;                        /* an object: userId, claims? */
    uint64_t steps;                          /* taken so far */
    unsigned exists_depth;
    bool store_failed;
};

enum policy_operation { POLICY_SELECT, POLICY_INSERT, POLICY_UPDATE, POLICY_DELETE };
enum policy_clause { POLICY_USING, POLICY_WITH_CHECK };

/* The condition that gates an operation on a table, or JSON_NONE where there is none, which denies it. An update has
 * two: a missing one is taken from the other. */
uint32_t policy_condition(const struct policy_context *context, struct text table, enum policy_operation operation,
                          enum policy_clause clause);

/* Whether the condition is true for the row. JSON_NONE is not. */
bool policy_allows(struct policy_context *context, uint32_t condition, const struct policy_row *row);

/* Counts a row that is read. */
void policy_count_row(struct policy_context *context, const struct row *row);

/* Whether the request has used up its steps, so that its answers are not to be believed. */
bool policy_exhausted(const struct policy_context *context);

#endif
