/* Writes to the data plane that hang (data.hang). What hangs is asked of the local store: nobody waits to find out that
 * nothing comes. */
#include "harness/run/store_play.h"

/* Asks the local store how many writes of this case's app hang. */
static enum play_status count_hanging(struct play *play, size_t *count) {
    struct store *store = play->store->store;
    struct buffer out = {0};
    struct error error = {0};
    enum play_status status = play_outcome(
        play, store->table->control(store, "GET", "hanging", (struct text){NULL, 0}, &out, &error), &error);
    const struct json_value *value =
        status == PLAY_OK ? json_parse(play->arena, (struct text){out.bytes, out.length}, &error) : NULL;
    buffer_free(&out);
    *count = 0;
    const struct json_value *list = json_get(value, "hanging");
    for (const struct json_value *one = list == NULL ? NULL : list->first; one != NULL; one = one->next) {
        *count += json_is_string(json_get(one, "app"), store->app);
    }
    return status == PLAY_OK && list == NULL ? play_outcome(play, TARGET_BROKEN, &error) : status;
}

static enum play_status was_answered(struct play *play, const struct step *step, struct asked *asked) {
    struct json_value *view = store_take_answer(play, step, asked);
    play_fail(play, step, "the write should hang; it was answered");
    play->failure.came = view_shown(play, view);
    play->trace_last->unexpected = true;
    return PLAY_FAILED;
}

static enum play_status hangs(struct play *play, const struct step *step, struct text name) {
    struct asked asked = {0};
    struct http_client *client = play->store->store->client;
    enum play_status status = store_begin(play, step->verb, step->argument, &asked);
    size_t there = 0;
    while (status == PLAY_OK && there <= play->store->hanging_count && play_time_left(play) > 0) {
        if (http_wait(client, &asked.call, 1, STORE_HANG_POLL_MS)) {
            return was_answered(play, step, &asked);
        }
        status = count_hanging(play, &there);
    }
    if (status == PLAY_OK && there <= play->store->hanging_count) {
        status = store_not_answered(play, step, &asked);
    }
    if (status != PLAY_OK) {
        http_forget(client, asked.call);
        return status;
    }
    play_trace(
        play, TRACE_CONTROL, step->actor, -1,
        text_of(arena_format(play->arena, "%s → hangs as %.*s", asked.shown.bytes, (int)name.length, name.bytes)), NULL,
        step->line);
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
    struct json_value *view = store_take_answer(play, step, &asked);
    hanging->call = NULL;
    play->store->hanging_count--;
    return store_judge(play, step, "the write came to another end than the step says",
                       json_get(step->node->first, "answers"), view);
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
        return play_fail(play, step, "%s does not hang any more: the store has answered it",
                         step->argument->text.bytes);
    }
    return PLAY_OK;
}

enum play_status play_hanging_step(struct play *play, const struct step *step) {
    switch (step->verb) {
    case VERB_STORE_GOES_THROUGH:
        return goes_through(play, step);
    case VERB_STORE_STILL_HANGS:
        return still_hangs(play, step);
    default:
        return hangs(play, step, json_get(step->node->first, "hangs")->text);
    }
}

void store_let_go(struct play *play) {
    for (struct hanging_call *hanging = play->store->hanging; hanging != NULL; hanging = hanging->next) {
        http_forget(play->store->store->client, hanging->call);
        hanging->call = NULL;
    }
    play->store->hanging_count = 0;
}
