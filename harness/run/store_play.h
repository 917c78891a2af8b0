/*
 * What a play against a store has besides the state of every play. Internal to harness/run.
 */
#ifndef MESHSPEC_STORE_PLAY_H
#define MESHSPEC_STORE_PLAY_H

#include "harness/run/play.h"
#include "harness/target/store.h"

/* A write to the data plane that a step says hangs. */
struct hanging_call {
    struct text name;
    struct http_call *call;
    struct text shown;
    struct hanging_call *next;
};

struct store_play {
    struct store *store;
    const char *provisioner;
    struct hanging_call *hanging;
    size_t hanging_count;        /* of those that have not come to their end */
    struct json_value *requests; /* what the provisioner asked in its last step; NULL: it has not run */
    double recorded;             /* the number of the last record of the store that was read */
    bool has_faults;             /* some are set and must go when the case is over */
    const char *leak;            /* where the admin secret turned up; NULL: nowhere */
};

#define STORE_HANG_POLL_MS 5 /* between two looks at what hangs */

/* ---- store_view.c ---- */

/* An answer as patterns see it: {status, text, body?, raw?, names?}. */
struct json_value *view_answer(struct arena *arena, int status, struct text body);

/*
 * A recorded request as patterns see it: {method, path, query?, headers, secret, status, fault, text?, body?, raw?,
 * names?}; `path` is the part behind the case's app, or the whole path when it is elsewhere.
 */
struct json_value *view_record(struct arena *arena, const struct json_value *record, struct text app_path);

/* The same, short enough for people: no headers, and a body once only. */
struct text view_shown(struct play *play, const struct json_value *view);

/* The path of the case's app at its store, with a slash at its end: "/sync/apps/case-1/". */
struct text view_app_path(struct play *play);

/* ---- store_secret.c ---- */

/* Replaces both secrets by `[secret]` and notes in `leak` where the text is from, when there was one (`where` NULL: it
 * is no fault there). */
struct text secret_redact(struct play *play, struct text text, const char *where);

/* Fails a play that went well but let the secret out (provision.secret). */
enum play_status secret_check(struct play *play, enum play_status status);

/* ---- store_requests.c ---- */

/* A request that is on its way. */
struct asked {
    struct http_call *call;
    struct text shown; /* "POST admin/schemas {…}" */
};

/* Fills a template in; PLAY_BROKEN when it cannot be. */
enum play_status store_fill(struct play *play, const struct json_value *template, struct json_value **filled);

/* Begins the request that a verb (get, post, insert, update, delete, list) and its argument say. */
enum play_status store_begin(struct play *play, enum verb verb, const struct json_value *argument, struct asked *asked);

/*
 * The answer as a view, which stands in the transcript too; the call is forgotten. An exchange that broke is a view
 * with the status null and `failure`.
 */
struct json_value *store_take_answer(struct play *play, const struct step *step, struct asked *asked);

/* Fails the play because no answer came in time. The call is not forgotten. */
enum play_status store_not_answered(struct play *play, const struct step *step, const struct asked *asked);

/* ---- store_hanging.c ---- */

/* goes-through, still-hangs, and a write with `hangs`. */
enum play_status play_hanging_step(struct play *play, const struct step *step);

/* Ends what still hangs, without judging it. */
void store_let_go(struct play *play);

/* ---- store_steps.c, provisioner_steps.c ---- */

enum play_status play_store_step(struct play *play, const struct step *step);
enum play_status play_provisioner_step(struct play *play, const struct step *step);

/* Fails when `answers` (NULL: any status from 200 to 299) does not match. */
enum play_status store_judge(struct play *play, const struct step *step, const char *what,
                             const struct json_value *pattern, const struct json_value *view);

#endif
