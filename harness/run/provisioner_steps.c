/* The steps of a provisioner: each run is a child process of its own, and what it asks the store is read from the
 * store's record. */
#include <string.h>

#include "harness/match/template.h"
#include "harness/run/store_play.h"
#include "harness/scenario/verbs.h"
#include "harness/target/provisioner.h"

#define MOST_AT_ONCE 16

/* A run that goes on. */
struct running {
    struct provisioner_run *run;
    struct text shown; /* "apply tasks" */
};

/* ---- the request --------------------------------------------------------------------------------- */

/* The content that a name or a map means, filled in; NULL with the status in `status`. */
static struct json_value *content_of(struct play *play, const char *folder, const struct json_value *content,
                                     enum play_status *status) {
    struct error error = {0};
    if (content->type == JSON_STRING) {
        return json_copy(play->arena, scenario_file(play->scenario, folder, content->text));
    }
    struct json_value *filled = template_fill(content, &play->bindings, &error);
    *status = filled == NULL ? play_outcome(play, TARGET_BROKEN, &error) : PLAY_OK;
    return filled;
}

/* provision.base-url: `slashes` more of them stand behind the server's URL. */
static struct json_value *target_of(struct play *play, const struct json_value *run) {
    const struct store *store = play->store->store;
    const struct json_value *slashes = json_get(run, "slashes");
    struct json_value *target = json_object(play->arena);
    const char *url =
        arena_format(play->arena, "%s%.*s", store->url, slashes == NULL ? 0 : (int)slashes->number, "//////////");
    bool wrong = json_is_string(json_get(run, "secret"), "wrong");
    json_set(target, TEXT("url"), json_string(play->arena, text_of(url)));
    json_set(target, TEXT("appId"), json_string(play->arena, text_of(store->app)));
    json_set(target, TEXT("adminSecret"),
             json_string(play->arena, text_of(wrong || store->secret == NULL ? store->wrong_secret : store->secret)));
    return target;
}

static enum play_status request_of(struct play *play, enum verb verb, const struct json_value *run,
                                   struct text *request) {
    static const char *const folders[] = {"apps", "permissions"}, *const keys[] = {"app", "permissions"};
    enum play_status status = PLAY_OK;
    struct json_value *value = json_object(play->arena);
    json_set(value, TEXT("op"), json_string(play->arena, text_of(verb_name(verb))));
    for (size_t i = 0; i < 2 && status == PLAY_OK; i++) {
        const struct json_value *content = json_get(run, keys[i]);
        struct json_value *filled = content == NULL ? NULL : content_of(play, folders[i], content, &status);
        if (filled != NULL) {
            json_set(value, text_of(keys[i]), filled);
        }
    }
    if (status == PLAY_OK) {
        json_set(value, TEXT("target"), target_of(play, run));
        *request = play_print(play, value);
    }
    return status;
}

static struct text shown_content(struct play *play, const struct json_value *content) {
    return content == NULL                ? TEXT("no permissions")
           : content->type == JSON_STRING ? content->text
                                          : play_print(play, content);
}

static enum play_status begin(struct play *play, enum verb verb, const struct json_value *run,
                              struct running *running) {
    struct text request = TEXT("");
    struct error error = {0};
    enum play_status status = request_of(play, verb, run, &request);
    if (status != PLAY_OK) {
        return status;
    }
    running->shown =
        text_of(arena_format(play->arena, "%s %s, %s", verb_name(verb), shown_content(play, json_get(run, "app")).bytes,
                             shown_content(play, json_get(run, "permissions")).bytes));
    running->run = provisioner_start(play->store->provisioner, request, &error);
    return running->run != NULL ? PLAY_OK : play_outcome(play, TARGET_BROKEN, &error);
}

/* ---- what was recorded --------------------------------------------------------------------------- */

/* Our own requests stand in the record too. */
static bool is_ours(const struct json_value *view) {
    return json_is_string(json_get(json_get(view, "headers"), "user-agent"), HTTP_USER_AGENT);
}

static void look_for_secret(struct play *play, const struct json_value *record, const struct json_value *view) {
    const struct json_value *places = json_get(record, "secretElsewhere");
    if (places != NULL && places->count > 0 && play->store->leak == NULL) {
        const struct json_value *path = json_get(view, "path");
        play->store->leak = arena_format(play->arena, "in a request to %s (%s)",
                                         path == NULL ? "the store" : path->text.bytes, play_print(play, places).bytes);
    }
}

static void trace_record(struct play *play, const struct step *step, const struct json_value *view) {
    const struct json_value *method = json_get(view, "method"), *path = json_get(view, "path"),
                            *query = json_get(view, "query");
    const struct json_value *text = json_get(view, "text"), *status = json_get(view, "status");
    if (method == NULL || path == NULL) {
        return;
    }
    const char *line = arena_format(play->arena, "%s %s%s%s%s%s → %s", method->text.bytes, path->text.bytes,
                                    query == NULL ? "" : "?", query == NULL ? "" : query->text.bytes,
                                    text == NULL ? "" : " ", text == NULL ? "" : text->text.bytes,
                                    status == NULL || status->type != JSON_NUMBER ? "no answer" : status->text.bytes);
    play_trace(play, TRACE_OBSERVED, step->actor, -1, text_of(line), NULL, step->line);
}

/* Reads what was recorded since the last time; of what the provisioner asked, a list of views is kept. `step` NULL: it
 * is only passed over. */
static enum play_status read_records(struct play *play, const struct step *step) {
    struct store *store = play->store->store;
    if (!store->table->can(store, "requests")) {
        return PLAY_OK;
    }
    struct buffer out = {0};
    struct error error = {0};
    const char *path = arena_format(play->arena, "requests?after=%.0f", play->store->recorded);
    enum play_status status =
        play_outcome(play, store->table->control(store, "GET", path, (struct text){NULL, 0}, &out, &error), &error);
    const struct json_value *value =
        status == PLAY_OK ? json_parse(play->arena, (struct text){out.bytes, out.length}, &error) : NULL;
    buffer_free(&out);
    if (value == NULL) {
        return status == PLAY_OK ? play_outcome(play, TARGET_BROKEN, &error) : status;
    }
    const struct json_value *list = json_get(value, "requests");
    struct text app_path = view_app_path(play);
    if (step != NULL) {
        play->store->requests = json_array(play->arena);
    }
    for (const struct json_value *record = list == NULL ? NULL : list->first; record != NULL; record = record->next) {
        const struct json_value *number = json_get(record, "n");
        play->store->recorded = number == NULL ? play->store->recorded : number->number;
        struct json_value *view = step == NULL ? NULL : view_record(play->arena, record, app_path);
        if (view != NULL && !is_ours(view)) {
            look_for_secret(play, record, view);
            trace_record(play, step, view);
            json_append(play->store->requests, view);
        }
    }
    return PLAY_OK;
}

/* ---- the answer ---------------------------------------------------------------------------------- */

static enum play_status broken(struct play *play, const char *what, const struct provisioner_result *result,
                               struct text errors) {
    size_t from = errors.length > PROVISIONER_EVIDENCE_CEILING ? errors.length - PROVISIONER_EVIDENCE_CEILING : 0;
    play->reason = text_of(arena_format(play->arena, "the provisioner %s; it %s%s%.*s", what, result->how,
                                        errors.length > 0 ? "; its standard error ends with:\n" : "",
                                        (int)(errors.length - from), errors.bytes + from));
    return PLAY_BROKEN;
}

/* One JSON value, {result} or {error}. */
static enum play_status take_answer(struct play *play, const struct step *step, struct running *running,
                                    struct json_value **answer) {
    struct provisioner_result result = provisioner_finish(running->run, play->arena, play_time_left(play));
    running->run = NULL;
    struct text output = secret_redact(play, result.output, "in the provisioner's answer");
    struct text errors = secret_redact(play, result.errors, "in the provisioner's standard error");
    struct error error = {0};
    play_trace(play, TRACE_CONTROL, step->actor, -1,
               text_of(arena_format(play->arena, "%s → %.*s", running->shown.bytes, (int)output.length, output.bytes)),
               NULL, step->line);
    if (errors.length > 0) {
        play_trace(play, TRACE_CONTROL, step->actor, -1,
                   text_of(arena_format(play->arena, "standard error: %.*s", (int)errors.length, errors.bytes)), NULL,
                   step->line);
    }
    if (!result.ended) {
        return broken(play, "gave no answer in the time that the case has", &result, errors);
    }
    *answer = json_parse(play->arena, output, &error);
    if (*answer == NULL) {
        return broken(play, arena_format(play->arena, "gave no JSON answer (%s)", error.text), &result, errors);
    }
    bool is_answer = (json_get(*answer, "result") == NULL) != (json_get(*answer, "error") == NULL);
    return is_answer ? PLAY_OK : broken(play, "answered neither a \"result\" nor an \"error\"", &result, errors);
}

/* ---- judging ------------------------------------------------------------------------------------- */

static enum play_status differs(struct play *play, const struct step *step, const char *what,
                                const struct json_value *pattern, const struct json_value *answer,
                                struct difference *differences) {
    play_fail(play, step, "%s", what);
    if (pattern != NULL) {
        play->failure.wanted = play_print(play, pattern);
    }
    play->failure.came = play_print(play, answer);
    play->failure.differences = differences;
    return PLAY_FAILED;
}

/* Holds a member of the answer against its pattern; without a pattern a "result" is enough. */
static enum play_status judge(struct play *play, const struct step *step, const struct json_value *answer) {
    const struct json_value *gives = json_get(step->node->first, "gives"),
                            *fails = json_get(step->node->first, "fails");
    const struct json_value *member = json_get(answer, fails != NULL ? "error" : "result"),
                            *pattern = fails != NULL ? fails : gives;
    if (member == NULL) {
        return differs(play, step,
                       fails != NULL ? "the provisioner should have refused"
                                     : "the provisioner should have had a result",
                       pattern, answer, NULL);
    }
    struct match_result result = {.matched = true};
    if (pattern != NULL) {
        result = match(pattern, member, &play->bindings);
    }
    return result.matched ? PLAY_OK
                          : differs(play, step, "the provisioner answered otherwise than the step says", pattern,
                                    answer, result.first);
}

static enum play_status one_run(struct play *play, const struct step *step) {
    struct running running = {0};
    struct json_value *answer = NULL;
    enum play_status status = read_records(play, NULL);
    if (status == PLAY_OK) {
        status = begin(play, step->verb, step->argument, &running);
    }
    if (status == PLAY_OK) {
        status = take_answer(play, step, &running, &answer);
        enum play_status read = read_records(play, step);
        status = status == PLAY_OK ? read : status;
    }
    return status == PLAY_OK ? judge(play, step, answer) : status;
}

/* provision.concurrent */
static enum play_status at_once(struct play *play, const struct step *step) {
    struct running running[MOST_AT_ONCE] = {0};
    size_t begun = 0;
    enum play_status status = read_records(play, NULL);
    for (const struct json_value *one = step->argument->first; one != NULL && status == PLAY_OK && begun < MOST_AT_ONCE;
         one = one->next) {
        enum verb verb = VERB_PROVISIONER_STATUS;
        const struct json_value *argument = verb_of_store_in(one, true, &verb);
        status = begin(play, verb, argument, &running[begun]);
        begun += status == PLAY_OK;
    }
    struct json_value *answers = json_array(play->arena);
    for (size_t i = 0; i < begun; i++) {
        struct json_value *answer = NULL;
        enum play_status took = take_answer(play, step, &running[i], &answer);
        if (took == PLAY_OK) {
            json_append(answers, answer);
        }
        status = status == PLAY_OK ? took : status;
    }
    enum play_status read = read_records(play, step);
    status = status == PLAY_OK ? read : status;
    const struct json_value *pattern = json_get(step->node->first, "answers");
    if (status != PLAY_OK || pattern == NULL) {
        return status;
    }
    struct match_result result = match(pattern, answers, &play->bindings);
    return result.matched ? PLAY_OK
                          : differs(play, step, "the provisioners answered otherwise than the step says", pattern,
                                    answers, result.first);
}

enum play_status play_provisioner_step(struct play *play, const struct step *step) {
    return step->verb == VERB_PROVISIONER_AT_ONCE ? at_once(play, step) : one_run(play, step);
}
