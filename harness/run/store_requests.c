/* Making requests out of steps, and views out of their answers. */
#include "harness/match/template.h"
#include "harness/run/store_play.h"
#include "harness/scenario/verbs.h"

#define SHOWN_BODY_CEILING 65536 /* bytes of a request's body in the transcript */

enum play_status store_fill(struct play *play, const struct json_value *template, struct json_value **filled) {
    struct error error = {0};
    *filled = template_fill(template, &play->bindings, &error);
    return *filled != NULL ? PLAY_OK : play_outcome(play, TARGET_BROKEN, &error);
}

static enum play_status fill_text(struct play *play, const struct json_value *template, const char *what,
                                  struct text *text) {
    struct json_value *filled;
    enum play_status status = store_fill(play, template, &filled);
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
    for (const struct json_value *one = map == NULL ? NULL : map->first; one != NULL && count < HTTP_HEADERS_CEILING;
         one = one->next) {
        struct text value = TEXT("");
        enum play_status status = fill_text(play, one, "a header", &value);
        if (status != PLAY_OK) {
            return status;
        }
        headers[count++] = arena_format(play->arena, "%.*s: %.*s", (int)one->key.length, one->key.bytes,
                                        (int)value.length, value.bytes);
    }
    headers[count] = NULL;
    return PLAY_OK;
}

static enum store_secret secret_named(const struct json_value *name) {
    return json_is_string(name, "wrong")  ? STORE_SECRET_WRONG
           : json_is_string(name, "none") ? STORE_SECRET_NONE
                                          : STORE_SECRET_RIGHT;
}

/* " {…}", the beginning of it only when it is large: a transcript is for people. */
static const char *shown_body(struct play *play, struct text body) {
    if (body.bytes == NULL) {
        return "";
    }
    if (body.length <= SHOWN_BODY_CEILING) {
        return arena_format(play->arena, " %.*s", (int)body.length, body.bytes);
    }
    size_t shown = SHOWN_BODY_CEILING;
    while (shown > 0 && ((unsigned char)body.bytes[shown] & 0xC0) == 0x80) {
        shown--; /* not within a character */
    }
    return arena_format(play->arena, " %.*s… (%zu bytes)", (int)shown, body.bytes, body.length);
}

static enum play_status send(struct play *play, const struct store_request *request, struct asked *asked) {
    struct error error = {0};
    static const char *const secrets[] = {"", " (wrong secret)", " (no secret)"};
    bool is_row = request->secret == STORE_SECRET_NONE && text_starts_with(request->path, TEXT("data/"));
    asked->shown = text_of(
        arena_format(play->arena, "%s %.*s%s%.*s%s%s", request->method, (int)request->path.length, request->path.bytes,
                     request->other_app.length > 0 ? " of the app -" : "", (int)request->other_app.length,
                     request->other_app.bytes, is_row ? "" : secrets[request->secret], shown_body(play, request->body)));
    asked->call = store_start(play->store->store, request, &error);
    return asked->call != NULL ? PLAY_OK : play_outcome(play, TARGET_BROKEN, &error);
}

static enum play_status ask(struct play *play, enum verb verb, const struct json_value *argument, struct asked *asked) {
    const struct json_value *body = json_get(argument, "body"), *raw = json_get(argument, "raw"),
                            *app = json_get(argument, "app");
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
        status = store_fill(play, body, &filled);
        request.body = status == PLAY_OK ? play_print(play, filled) : TEXT("");
    }
    return status == PLAY_OK ? send(play, &request, asked) : status;
}

/* The data plane has no secret: what a request says of its session is believed. */
static enum play_status ask_for_row(struct play *play, enum verb verb, const struct json_value *argument,
                                    struct asked *asked) {
    struct json_value *filled;
    enum play_status status = store_fill(play, argument, &filled);
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
    return verb == VERB_STORE_INSERT || verb == VERB_STORE_UPDATE || verb == VERB_STORE_DELETE ||
           verb == VERB_STORE_LIST;
}

enum play_status store_begin(struct play *play, enum verb verb, const struct json_value *argument,
                             struct asked *asked) {
    return is_of_rows(verb) ? ask_for_row(play, verb, argument, asked) : ask(play, verb, argument, asked);
}

struct json_value *store_take_answer(struct play *play, const struct step *step, struct asked *asked) {
    int status = http_status(asked->call);
    struct text body = http_body(asked->call);
    body = secret_redact(play, (struct text){arena_copy(play->arena, body.bytes, body.length), body.length}, NULL);
    struct json_value *view = view_answer(play->arena, status, body);
    const char *failure = http_failure(asked->call);
    if (failure != NULL) {
        json_set(view, TEXT("status"), json_null(play->arena));
        json_set(view, TEXT("failure"), json_string(play->arena, text_of(failure)));
    }
    struct text line =
        text_of(failure != NULL ? arena_format(play->arena, "%s → no answer: %s", asked->shown.bytes, failure)
                                : arena_format(play->arena, "%s → %d %.*s", asked->shown.bytes, status,
                                               (int)body.length, body.bytes));
    play_trace(play, TRACE_CONTROL, step->actor, -1, line, NULL, step->line);
    http_forget(play->store->store->client, asked->call);
    asked->call = NULL;
    return view;
}

enum play_status store_not_answered(struct play *play, const struct step *step, const struct asked *asked) {
    play_trace(play, TRACE_CONTROL, step->actor, -1,
               text_of(arena_format(play->arena, "%s → not answered", asked->shown.bytes)), NULL, step->line);
    return play_fail(play, step, "the store did not answer within the case's time limit of %d ms",
                     play->scenario->limit_ms);
}
