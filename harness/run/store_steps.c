/* The steps of a store: requests, rows, what hangs, what was recorded, faults. */
#include <string.h>

#include "harness/match/template.h"
#include "harness/run/store_play.h"
#include "harness/scenario/verbs.h"

/* ---- judging ------------------------------------------------------------------------------------- */

static enum play_status differs(struct play *play, const struct step *step, const char *what, const struct json_value *pattern,
                                const struct json_value *view, struct difference *differences) {
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

enum play_status store_judge(struct play *play, const struct step *step, const char *what, const struct json_value *pattern,
                             const struct json_value *view) {
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

/* ---- one request --------------------------------------------------------------------------------- */

/* A request that is on its way. */
struct asked {
    struct http_call *call;
    struct text shown; /* "POST admin/schemas {…}" */
};

static enum play_status fill(struct play *play, const struct json_value *template, struct json_value **filled) {
    struct error error = {0};
    *filled = template_fill(template, &play->bindings, &error);
    return *filled != NULL ? PLAY_OK : play_outcome(play, TARGET_BROKEN, &error);
}

static enum play_status fill_text(struct play *play, const struct json_value *template, const char *what, struct text *text) {
    struct json_value *filled;
    enum play_status status = fill(play, template, &filled);
    if (status != PLAY_OK || filled->type == JSON_STRING) {
        *text = status == PLAY_OK ? filled->text : TEXT("");
        return status;
    }
    struct error error;
    error_set(&error, ERROR_USAGE, "%u:%u: %s must be a text", template->line, template->column, what);
    return play_outcome(play, TARGET_BROKEN, &error);
}

static enum play_status fill_headers(struct play *play, const struct json_value *map, const char *headers[]) {
    size_t count = 0;
    for (const struct json_value *one = map == NULL ? NULL : map->first; one != NULL && count < HTTP_HEADERS_CEILING; one = one->next) {
        struct text value = TEXT("");
        enum play_status status = fill_text(play, one, "a header", &value);
        if (status != PLAY_OK) {
            return status;
        }
        headers[count++] = arena_format(play->arena, "%.*s: %.*s", (int)one->key.length, one->key.bytes, (int)value.length, value.bytes);
    }
    headers[count] = NULL;
    return PLAY_OK;
}

static enum store_secret secret_named(const struct json_value *name) {
    return json_is_string(name, "wrong") ? STORE_SECRET_WRONG : json_is_string(name, "none") ? STORE_SECRET_NONE : STORE_SECRET_RIGHT;
}

static enum play_status send(struct play *play, const struct store_request *request, struct asked *asked) {
    struct error error = {0};
    static const char *const secrets[] = {"", " (wrong secret)", " (no secret)"};
    bool is_row = request->secret == STORE_SECRET_NONE && text_starts_with(request->path, TEXT("data/"));
    asked->shown = text_of(arena_format(play->arena, "%s %.*s%s%.*s%s%s%.*s", request->method, (int)request->path.length, request->path.bytes,
                                        request->other_app.length > 0 ? " of the app -" : "", (int)request->other_app.length,
                                        request->other_app.bytes, is_row ? "" : secrets[request->secret],
                                        request->body.bytes == NULL ? "" : " ", (int)request->body.length,
                                        request->body.bytes == NULL ? "" : request->body.bytes));
    asked->call = store_start(play->store->store, request, &error);
    return asked->call != NULL ? PLAY_OK : play_outcome(play, TARGET_BROKEN, &error);
}

static enum play_status ask(struct play *play, enum verb verb, const struct json_value *argument, struct asked *asked) {
    const struct json_value *body = json_get(argument, "body"), *raw = json_get(argument, "raw"), *app = json_get(argument, "app");
    const char *headers[HTTP_HEADERS_CEILING + 1];
    struct store_request request = {.method = verb == VERB_STORE_GET ? "GET" : "POST",
                                    .secret = secret_named(json_get(argument, "secret")),
                                    .other_app = app == NULL ? TEXT("") : app->text,
                                    .headers = headers};
    struct json_value *filled = NULL;
    enum play_status status = fill_text(play, json_get(argument, "path"), "a path", &request.path);
    if (status == PLAY_OK) {
        status = fill_headers(play, json_get(argument, "headers"), headers);
    }
    if (status == PLAY_OK && raw != NULL) {
        status = fill_text(play, raw, "raw", &request.body);
    }
    if (status == PLAY_OK && body != NULL) {
        status = fill(play, body, &filled);
        request.body = status == PLAY_OK ? play_print(play, filled) : TEXT("");
    }
    return status == PLAY_OK ? send(play, &request, asked) : status;
}

/* The data plane has no secret: what a request says of its session is believed. */
static enum play_status ask_for_row(struct play *play, enum verb verb, const struct json_value *argument, struct asked *asked) {
    struct json_value *filled;
    enum play_status status = fill(play, argument, &filled);
    if (status != PLAY_OK) {
        return status;
    }
    struct store_request request = {.method = "POST",
                                    .secret = STORE_SECRET_NONE,
                                    .path = text_of(arena_format(play->arena, "data/%s", verb_name(verb))),
                                    .other_app = TEXT(""),
                                    .body = play_print(play, filled)};
    return send(play, &request, asked);
}

static bool is_of_rows(enum verb verb) {
    return verb == VERB_STORE_INSERT || verb == VERB_STORE_UPDATE || verb == VERB_STORE_DELETE || verb == VERB_STORE_LIST;
}

static enum play_status begin(struct play *play, enum verb verb, const struct json_value *argument, struct asked *asked) {
    return is_of_rows(verb) ? ask_for_row(play, verb, argument, asked) : ask(play, verb, argument, asked);
}

/* The answer as a view, in the transcript too; the call is forgotten. An exchange that broke is a view with the status null. */
static struct json_value *take_answer(struct play *play, const struct step *step, struct asked *asked) {
    int status = http_status(asked->call);
    struct text body = http_body(asked->call);
    body = secret_redact(play, (struct text){arena_copy(play->arena, body.bytes, body.length), body.length}, NULL);
    struct json_value *view = view_answer(play->arena, status, body);
    const char *failure = http_failure(asked->call);
    if (failure != NULL) {
        json_set(view, TEXT("status"), json_null(play->arena));
        json_set(view, TEXT("failure"), json_string(play->arena, text_of(failure)));
    }
    struct text line = text_of(failure != NULL ? arena_format(play->arena, "%s → no answer: %s", asked->shown.bytes, failure)
                                               : arena_format(play->arena, "%s → %d %.*s", asked->shown.bytes, status, (int)body.length, body.bytes));
    play_trace(play, TRACE_CONTROL, step->actor, -1, line, NULL, step->line);
    http_forget(play->store->store->client, asked->call);
    asked->call = NULL;
    return view;
}

static enum play_status not_answered(struct play *play, const struct step *step, const struct asked *asked) {
    play_trace(play, TRACE_CONTROL, step->actor, -1, text_of(arena_format(play->arena, "%s → not answered", asked->shown.bytes)), NULL, step->line);
    return play_fail(play, step, "the store did not answer within the case's time limit of %d ms", play->scenario->limit_ms);
}

static enum play_status request(struct play *play, const struct step *step) {
    struct asked asked = {0};
    struct http_client *client = play->store->store->client;
    enum play_status status = begin(play, step->verb, step->argument, &asked);
    if (status != PLAY_OK) {
        return status;
    }
    if (!http_wait(client, &asked.call, 1, play_time_left(play))) {
        http_forget(client, asked.call);
        return not_answered(play, step, &asked);
    }
    struct json_value *view = take_answer(play, step, &asked);
    return store_judge(play, step, "the store answered otherwise than the step says", json_get(step->node->first, "answers"), view);
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
        status = begin(play, verb, argument, &asked[begun]);
        if (status == PLAY_OK) {
            calls[begun] = asked[begun].call;
            begun++;
        }
    }
    bool done = status == PLAY_OK && http_wait(client, calls, count, play_time_left(play));
    struct json_value *views = json_array(play->arena);
    for (size_t i = 0; i < begun; i++) {
        if (http_is_done(calls[i])) {
            json_append(views, take_answer(play, step, &asked[i]));
        } else {
            not_answered(play, step, &asked[i]);
            http_forget(client, calls[i]);
        }
    }
    if (status != PLAY_OK || !done) {
        return status != PLAY_OK ? status : PLAY_FAILED;
    }
    return store_judge(play, step, "the store answered otherwise than the step says", json_get(step->node->first, "answers"), views);
}

/* ---- what hangs ---------------------------------------------------------------------------------- */

/* Asks the local store how many writes of this case's app hang. */
static enum play_status count_hanging(struct play *play, size_t *count) {
    struct store *store = play->store->store;
    struct buffer out = {0};
    struct error error = {0};
    enum play_status status = play_outcome(
        play, store->table->control(store, "GET", "hanging", (struct text){NULL, 0}, &out, &error), &error);
    const struct json_value *value = status == PLAY_OK ? json_parse(play->arena, (struct text){out.bytes, out.length}, &error) : NULL;
    buffer_free(&out);
    *count = 0;
    const struct json_value *list = json_get(value, "hanging");
    for (const struct json_value *one = list == NULL ? NULL : list->first; one != NULL; one = one->next) {
        *count += json_is_string(json_get(one, "app"), store->app);
    }
    return status == PLAY_OK && list == NULL ? play_outcome(play, TARGET_BROKEN, &error) : status;
}

static enum play_status was_answered(struct play *play, const struct step *step, struct asked *asked) {
    struct json_value *view = take_answer(play, step, asked);
    play_fail(play, step, "the write should hang; it was answered");
    play->failure.came = view_shown(play, view);
    play->trace_last->unexpected = true;
    return PLAY_FAILED;
}

static enum play_status hangs(struct play *play, const struct step *step, struct text name) {
    struct asked asked = {0};
    struct http_client *client = play->store->store->client;
    enum play_status status = begin(play, step->verb, step->argument, &asked);
    size_t there = 0;
    while (status == PLAY_OK && there <= play->store->hanging_count && play_time_left(play) > 0) {
        if (http_wait(client, &asked.call, 1, STORE_HANG_POLL_MS)) {
            return was_answered(play, step, &asked);
        }
        status = count_hanging(play, &there);
    }
    if (status == PLAY_OK && there <= play->store->hanging_count) {
        status = not_answered(play, step, &asked);
    }
    if (status != PLAY_OK) {
        http_forget(client, asked.call);
        return status;
    }
    play_trace(play, TRACE_CONTROL, step->actor, -1,
               text_of(arena_format(play->arena, "%s → hangs as %.*s", asked.shown.bytes, (int)name.length, name.bytes)), NULL, step->line);
    struct hanging_call *hanging = arena_alloc(play->arena, sizeof *hanging);
    *hanging = (struct hanging_call){name, asked.call, asked.shown, play->store->hanging};
    play->store->hanging = hanging;
    play->store->hanging_count++;
    return PLAY_OK;
}

/* NULL: nothing hangs under that name (any more). */
static struct hanging_call *hanging_named(struct play *play, struct text name) {
    struct hanging_call *hanging = play->store->hanging;
    while (hanging != NULL && (hanging->call == NULL || !text_equal(hanging->name, name))) {
        hanging = hanging->next;
    }
    return hanging;
}

static enum play_status goes_through(struct play *play, const struct step *step) {
    struct hanging_call *hanging = hanging_named(play, step->argument->text);
    struct http_client *client = play->store->store->client;
    if (hanging == NULL) {
        return play_fail(play, step, "%s does not hang any more", step->argument->text.bytes);
    }
    if (!http_wait(client, &hanging->call, 1, play_time_left(play))) {
        return play_fail(play, step, "%s still hangs", step->argument->text.bytes);
    }
    struct asked asked = {hanging->call, hanging->shown};
    struct json_value *view = take_answer(play, step, &asked);
    hanging->call = NULL;
    play->store->hanging_count--;
    return store_judge(play, step, "the write came to another end than the step says", json_get(step->node->first, "answers"), view);
}

static enum play_status still_hangs(struct play *play, const struct step *step) {
    struct hanging_call *hanging = hanging_named(play, step->argument->text);
    if (hanging == NULL) {
        return play_fail(play, step, "%s does not hang any more", step->argument->text.bytes);
    }
    size_t there;
    enum play_status status = count_hanging(play, &there);
    if (status != PLAY_OK) {
        return status;
    }
    if (http_wait(play->store->store->client, &hanging->call, 1, 0) || there < play->store->hanging_count) {
        return play_fail(play, step, "%s does not hang any more: the store has answered it", step->argument->text.bytes);
    }
    return PLAY_OK;
}

void store_let_go(struct play *play) {
    for (struct hanging_call *hanging = play->store->hanging; hanging != NULL; hanging = hanging->next) {
        http_forget(play->store->store->client, hanging->call);
        hanging->call = NULL;
    }
    play->store->hanging_count = 0;
}

/* ---- what was recorded, faults, restart ----------------------------------------------------------- */

static enum play_status requests(struct play *play, const struct step *step) {
    struct json_value *views = play->store->requests == NULL ? json_array(play->arena) : play->store->requests;
    return store_judge(play, step, "the provisioner asked the store otherwise than the step says", step->argument, views);
}

static enum play_status set_fault(struct play *play, const struct step *step, struct json_value *fault) {
    struct store *store = play->store->store;
    const struct json_value *path = json_get(fault, "path");
    struct text app_path = view_app_path(play);
    struct buffer out = {0};
    struct error error = {0};
    json_set(fault, TEXT("path"),
             json_string(play->arena, text_of(arena_format(play->arena, "%s%.*s", app_path.bytes, (int)path->text.length, path->text.bytes))));
    struct text text = play_print(play, fault);
    play->store->has_faults = true;
    enum play_status status = play_outcome(play, store->table->control(store, "POST", "faults", text, &out, &error), &error);
    buffer_free(&out);
    play_trace(play, TRACE_CONTROL, step->actor, -1, text_of(arena_format(play->arena, "fault %s", text.bytes)), NULL, step->line);
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
    enum play_status status = fill(play, step->argument, &filled);
    if (status == PLAY_OK) {
        status = clear_faults(play);
    }
    for (struct json_value *fault = filled == NULL ? NULL : filled->first; status == PLAY_OK && fault != NULL; fault = fault->next) {
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
    const struct json_value *name = step->argument == NULL ? NULL : json_get(step->node->first, "hangs");
    switch (step->verb) {
    case VERB_STORE_AT_ONCE:
        return at_once(play, step);
    case VERB_STORE_GOES_THROUGH:
        return goes_through(play, step);
    case VERB_STORE_STILL_HANGS:
        return still_hangs(play, step);
    case VERB_STORE_REQUESTS:
        return requests(play, step);
    case VERB_STORE_FAULTS:
        return faults(play, step);
    case VERB_STORE_RESTART:
        return restart(play, step);
    default:
        return name != NULL ? hangs(play, step, name->text) : request(play, step);
    }
}
