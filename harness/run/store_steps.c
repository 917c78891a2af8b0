/* The steps of a store: requests, alone and at once, what was recorded, faults, a restart. */
#include "harness/run/store_play.h"
#include "harness/scenario/verbs.h"

/* ---- judging ------------------------------------------------------------------------------------- */

static enum play_status differs(struct play *play, const struct step *step, const char *what,
                                const struct json_value *pattern, const struct json_value *view,
                                struct difference *differences) {
    play_fail(play, step, "%s", what);
    play->failure.wanted = play_print(play, pattern);
    play->failure.came = view_shown(play, view);
    play->failure.differences = differences;
    if (play->trace_last != NULL) {
        play->trace_last->unexpected = true;
    }
    return PLAY_FAILED;
}

static bool is_well(const struct json_value *view) {
    const struct json_value *status = json_get(view, "status");
    return status != NULL && status->number >= 200 && status->number < 300;
}

enum play_status store_judge(struct play *play, const struct step *step, const char *what,
                             const struct json_value *pattern, const struct json_value *view) {
    if (pattern != NULL) {
        struct match_result result = match(pattern, view, &play->bindings);
        return result.matched ? PLAY_OK : differs(play, step, what, pattern, view, result.first);
    }
    const struct json_value *one = view->type == JSON_ARRAY ? view->first : view;
    while (one != NULL && is_well(one)) {
        one = view->type == JSON_ARRAY ? one->next : NULL;
    }
    if (one == NULL) {
        return PLAY_OK;
    }
    play_fail(play, step, "a status from 200 to 299 was expected, as the step does not say another");
    play->failure.came = view_shown(play, one);
    if (play->trace_last != NULL) {
        play->trace_last->unexpected = true;
    }
    return PLAY_FAILED;
}

/* ---- requests ---- */

static enum play_status request(struct play *play, const struct step *step) {
    struct asked asked = {0};
    struct http_client *client = play->store->store->client;
    enum play_status status = store_begin(play, step->verb, step->argument, &asked);
    if (status != PLAY_OK) {
        return status;
    }
    if (!http_wait(client, &asked.call, 1, play_time_left(play))) {
        http_forget(client, asked.call);
        return store_not_answered(play, step, &asked);
    }
    struct json_value *view = store_take_answer(play, step, &asked);
    return store_judge(play, step, "the store answered otherwise than the step says",
                       json_get(step->node->first, "answers"), view);
}

/* ---- many at once -------------------------------------------------------------------------------- */

/* store.perm-race: all are on their way before any answer is taken. */
static enum play_status at_once(struct play *play, const struct step *step) {
    size_t count = step->argument->count, begun = 0;
    struct http_client *client = play->store->store->client;
    struct asked *asked = arena_alloc(play->arena, count * sizeof *asked);
    struct http_call **calls = arena_alloc(play->arena, count * sizeof(struct http_call *));
    enum play_status status = PLAY_OK;
    for (const struct json_value *one = step->argument->first; one != NULL && status == PLAY_OK; one = one->next) {
        enum verb verb = VERB_STORE_GET;
        const struct json_value *argument = verb_of_store_in(one, false, &verb);
        status = store_begin(play, verb, argument, &asked[begun]);
        if (status == PLAY_OK) {
            calls[begun] = asked[begun].call;
            begun++;
        }
    }
    bool done = status == PLAY_OK && http_wait(client, calls, count, play_time_left(play));
    struct json_value *views = json_array(play->arena);
    for (size_t i = 0; i < begun; i++) {
        if (http_is_done(calls[i])) {
            json_append(views, store_take_answer(play, step, &asked[i]));
        } else {
            store_not_answered(play, step, &asked[i]);
            http_forget(client, calls[i]);
        }
    }
    if (status != PLAY_OK || !done) {
        return status != PLAY_OK ? status : PLAY_FAILED;
    }
    return store_judge(play, step, "the store answered otherwise than the step says",
                       json_get(step->node->first, "answers"), views);
}

/* ---- what was recorded, faults, restart ----------------------------------------------------------- */

static enum play_status requests(struct play *play, const struct step *step) {
    struct json_value *views = play->store->requests == NULL ? json_array(play->arena) : play->store->requests;
    return store_judge(play, step, "the provisioner asked the store otherwise than the step says", step->argument,
                       views);
}

static enum play_status set_fault(struct play *play, const struct step *step, struct json_value *fault) {
    struct store *store = play->store->store;
    const struct json_value *path = json_get(fault, "path");
    struct text app_path = view_app_path(play);
    struct buffer out = {0};
    struct error error = {0};
    json_set(fault, TEXT("path"),
             json_string(play->arena, text_of(arena_format(play->arena, "%s%.*s", app_path.bytes,
                                                           (int)path->text.length, path->text.bytes))));
    struct text text = play_print(play, fault);
    play->store->has_faults = true;
    enum play_status status =
        play_outcome(play, store->table->control(store, "POST", "faults", text, &out, &error), &error);
    buffer_free(&out);
    play_trace(play, TRACE_CONTROL, step->actor, -1, text_of(arena_format(play->arena, "fault %s", text.bytes)), NULL,
               step->line);
    return status;
}

static enum play_status clear_faults(struct play *play) {
    struct store *store = play->store->store;
    struct buffer out = {0};
    struct error error = {0};
    play->store->has_faults = false;
    enum play_status status = play_outcome(
        play, store->table->control(store, "DELETE", "faults", (struct text){NULL, 0}, &out, &error), &error);
    buffer_free(&out);
    return status;
}

/* A list of faults takes the place of those that were set before. */
static enum play_status faults(struct play *play, const struct step *step) {
    struct json_value *filled;
    enum play_status status = store_fill(play, step->argument, &filled);
    if (status == PLAY_OK) {
        status = clear_faults(play);
    }
    for (struct json_value *fault = filled == NULL ? NULL : filled->first; status == PLAY_OK && fault != NULL;
         fault = fault->next) {
        status = set_fault(play, step, fault);
    }
    return status;
}

/* What was recorded before belongs to the server that is gone. */
static enum play_status restart(struct play *play, const struct step *step) {
    struct store *store = play->store->store;
    struct error error = {0};
    store_let_go(play);
    play_trace(play, TRACE_RESTARTED, step->actor, -1, TEXT("after a kill"), NULL, step->line);
    play->store->recorded = 0;
    play->store->has_faults = false;
    return play_outcome(play, store->table->restart(store, &error), &error);
}

/* ---- which is which ------------------------------------------------------------------------------ */

enum play_status play_store_step(struct play *play, const struct step *step) {
    bool hangs = json_get(step->node->first, "hangs") != NULL;
    switch (step->verb) {
    case VERB_STORE_AT_ONCE:
        return at_once(play, step);
    case VERB_STORE_GOES_THROUGH:
    case VERB_STORE_STILL_HANGS:
        return play_hanging_step(play, step);
    case VERB_STORE_REQUESTS:
        return requests(play, step);
    case VERB_STORE_FAULTS:
        return faults(play, step);
    case VERB_STORE_RESTART:
        return restart(play, step);
    default:
        return hangs ? play_hanging_step(play, step) : request(play, step);
    }
}
